/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'b80c2ff15b1473fe',
  queue: 'ceac2459b59357cd',
  task: 'b41f281d976cbb4e',
  pod: 'a8d5cb9c76632cc0',
  turn: '8f9f04345832e3ca',
  issue: '0ff6ba68508bee95',
  'merge-request': '1ef6cf95a4ab7b99',
  'ingest-job': 'b802c7907670c2a5',
}
