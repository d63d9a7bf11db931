/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'befe4ebbf975dcda',
  queue: '308d88992a9fb73c',
  ledger: 'aaa4675453b93131',
  'model-key': '42e828935c3409a6',
  memory: '2f3ab8446ad218c2',
  'memory-stack': 'ee9fbaa3674942cb',
  task: '671be0ae38cf92d4',
  pod: 'eae57a8e10235bad',
  turn: 'b63ee6f9b2bee855',
  issue: '6bd16f203191bb44',
  'merge-request': '7c1780af425e10a2',
  'ingest-job': 'cd269529343b5675',
}
