/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: '5ad55a7a79607942',
  queue: '50366781b2efddf2',
  ledger: 'aaa4675453b93131',
  task: '693b92d05e964891',
  pod: 'd87b2c672bd238ac',
  turn: 'b63ee6f9b2bee855',
  issue: '0f3a16eb9b802444',
  'merge-request': '562f586dc5c15bf8',
  'ingest-job': 'cd269529343b5675',
}
