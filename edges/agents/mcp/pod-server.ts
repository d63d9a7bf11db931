import { callTimeoutMs } from '../call-timeout.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { CreateToolsServer } from '../../../wrapper/tools/port.ts'
import { brokeredBackend } from './backend.ts'
import { createMcpServer } from './server.ts'

/** An orchestrator that restarts is back well within this. */
const patienceMs = 60_000

/** The tools' server as the wrapper asks for it, one for each connection of the CLI. */
export function podServer(version: string, newId: () => string): CreateToolsServer {
  return ({ task, project, profile, repositories, hasMemory }, runner) => {
    const pod = { task: nameOf(task), project: nameOf(project), profile, repositories }
    const options = { pod, hasMemory, timeoutMs: callTimeoutMs, patienceMs, clock: systemClock, newId }
    return createMcpServer({
      profile,
      version,
      clock: systemClock,
      runner,
      backend: (calls, call) => brokeredBackend(options, calls, call),
    })
  }
}

function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
