import { join } from 'node:path'
import { writeAtomically } from './atomic-file.ts'
import { processStat } from './orphan.ts'

/** Where this wrapper listens: with `HTTP_ADDR` on port 0 nobody could know otherwise. */
interface Endpoint {
  readonly pid: number
  /** Clock ticks since the machine's boot, from /proc: with the pid it names this process for good. */
  readonly startTime: string
  readonly url: string
}

export function writeEndpoint(stateDir: string, url: string): void {
  const endpoint: Endpoint = { pid: process.pid, startTime: processStat(process.pid)?.startTime ?? '', url }
  writeAtomically(join(stateDir, 'endpoint.json'), `${JSON.stringify(endpoint)}\n`)
}
