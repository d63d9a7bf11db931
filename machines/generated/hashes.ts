/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'e9f1fb354c257596',
  queue: '80deb3fa8c1797f7',
  ledger: 'aaa4675453b93131',
  'model-key': '42e828935c3409a6',
  memory: '2f3ab8446ad218c2',
  task: 'ed5d2cf372f49e45',
  pod: 'eae57a8e10235bad',
  turn: 'b63ee6f9b2bee855',
  issue: '0f3a16eb9b802444',
  'merge-request': '64fddf10743c3202',
  'ingest-job': 'cd269529343b5675',
}
