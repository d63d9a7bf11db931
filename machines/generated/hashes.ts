/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: '1810aad352788fea',
  queue: '942338848ee94e0d',
  ledger: 'aaa4675453b93131',
  task: '1e34530f9a0f27a7',
  pod: 'd87b2c672bd238ac',
  turn: 'b63ee6f9b2bee855',
  issue: 'ba82caa6924a5f91',
  'merge-request': 'bdbe9b28e4e59975',
  'ingest-job': 'cd269529343b5675',
}
