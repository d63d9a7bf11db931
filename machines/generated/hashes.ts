/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'f3d67d8f66395b9a',
  queue: 'ac26b3766c072cc8',
  ledger: 'd3bd621b1f18e36d',
  task: 'ebbd4bac37d442c5',
  pod: '46369ef78314ac86',
  turn: '5ee26c76b7fd9755',
  issue: 'fc921769db2515eb',
  'merge-request': '8b7550153e313bff',
  'ingest-job': '2372c47f83d3efb4',
}
