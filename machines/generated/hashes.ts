/** Generated from the machines by bin/generators/machine-hashes.mjs (npm run generate). Not edited by hand. */
import type { ActorKind } from '../definition.ts'

export const sourceHashes: Readonly<Record<ActorKind, string>> = {
  project: 'e5f1704f564a756d',
  queue: 'ceac2459b59357cd',
  ledger: 'addaa8d0e252ea88',
  task: '6c9460f95099613f',
  pod: '25bcdf188bd5f680',
  turn: '54e19ca7bd3ed59f',
  issue: '943f8ea071b73fcd',
  'merge-request': '62ce8e5c24067ba9',
  'ingest-job': '103fe5827ea19499',
}
