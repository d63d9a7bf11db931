/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: '0e8a0d8263923f53',
  queue: 'ceac2459b59357cd',
  task: 'e413e4dfea567e2e',
  pod: '0773aed00e4f46fc',
  turn: '8f9f04345832e3ca',
  issue: '28b4b8119a2af704',
  'merge-request': 'ccfcb710fe89f032',
  'ingest-job': '9652c3816b007eaa',
}
