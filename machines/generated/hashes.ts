/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'e5f1704f564a756d',
  queue: 'ceac2459b59357cd',
  ledger: 'addaa8d0e252ea88',
  task: '05581703f832717b',
  pod: 'e6e9f8e2dcbc310d',
  turn: '54e19ca7bd3ed59f',
  issue: '2b612bd679d24604',
  'merge-request': '2cb2bce6ea2204f6',
  'ingest-job': '103fe5827ea19499',
}
