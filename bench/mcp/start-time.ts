import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface Start {
  /** From the spawn to the answer of tools/list. */
  readonly ms: number
  /** What it holds then. */
  readonly rssMb: number
  readonly tools: number
}

/** A server that does not answer is killed. */
const boundMs = 60_000

/** As a client starts it: initialize, initialized, tools/list; ended by closing its input. */
export async function startOnce(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Start> {
  const started = performance.now()
  const child = spawn(process.execPath, parameters, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })
  const closed = once(child, 'close')
  const bound = setTimeout(() => child.kill('SIGKILL'), boundMs)
  const say = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'bench', version: '0' }
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line) as { id: number; result: { tools?: readonly unknown[] } }
      if (id === 1) {
        say({ method: 'notifications/initialized' })
        say({ id: 2, method: 'tools/list' })
      } else {
        return { ms: performance.now() - started, rssMb: rssOf(child.pid), tools: result.tools?.length ?? 0 }
      }
    }
    throw new Error(`${parameters.join(' ')} ended without an answer`)
  } finally {
    child.stdin.end()
    await closed
    clearTimeout(bound)
  }
}

function rssOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024
}
