/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: '065a159e5298de43',
  queue: '9b977c5d3ee416e6',
  ledger: 'aaa4675453b93131',
  'model-key': '42e828935c3409a6',
  memory: '2f3ab8446ad218c2',
  task: 'b5f78f06a0e4f962',
  pod: 'eae57a8e10235bad',
  turn: 'b63ee6f9b2bee855',
  issue: 'b489cc901601d44a',
  'merge-request': '7c1780af425e10a2',
  'ingest-job': 'cd269529343b5675',
}
