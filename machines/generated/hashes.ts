/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: '2e7dd692a42a0870',
  queue: '942338848ee94e0d',
  ledger: 'aaa4675453b93131',
  task: '5a4f8cc93e2938fe',
  pod: 'd87b2c672bd238ac',
  turn: 'b63ee6f9b2bee855',
  issue: 'ba82caa6924a5f91',
  'merge-request': '562f586dc5c15bf8',
  'ingest-job': 'cd269529343b5675',
}
