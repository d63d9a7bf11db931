/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'd38e8963927fdc06',
  queue: 'ceac2459b59357cd',
  task: 'dd7cf959c2cec65b',
  pod: '0773aed00e4f46fc',
  turn: '8f9f04345832e3ca',
  issue: 'f2293e6b960086ec',
  'merge-request': '2eac11ab1ca39623',
  'ingest-job': 'b802c7907670c2a5',
}
