/** A Restate server with its defaults (fsync on, one node) in a folder of its own, and the service registered with it. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServing } from '../../kit/child.ts'
import { until } from '../../kit/measure/closed-loop.ts'
import { freePort } from '../../../testing/free-port.ts'

export interface RestateServer {
  readonly ingress: string
  readonly pids: readonly number[]
  stop(): Promise<void>
}

const service = new URL('../peers/restate-service.ts', import.meta.url)
const readyBoundMs = 60_000

export async function startRestate(): Promise<RestateServer> {
  await using begun = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-restate-'))
  begun.defer(() => rm(folder, { recursive: true, force: true }))
  const [ingress, admin, node, endpoint] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const config = join(folder, 'restate.toml')
  await writeFile(config, configuration(folder, { ingress, admin, node }))
  const server = spawn(programPath(), ['--config-file', config, '--no-logo'], { stdio: 'ignore' })
  begun.defer(() => killed(server))
  const serving = await startServing(service, { argument: { port: endpoint }, boundMs: readyBoundMs })
  begun.defer(() => serving.kill())
  await until(() => register(admin, endpoint), 'the Restate server takes the service', readyBoundMs)
  const running = begun.move()
  return {
    ingress: `http://127.0.0.1:${ingress}`,
    pids: [server.pid!, serving.pid],
    stop: () => running.disposeAsync(),
  }
}

/** The package's own starter would be a process in between. */
function programPath(): string {
  const name = `@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`
  return createRequire(import.meta.url).resolve(name)
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

interface Ports {
  readonly ingress: number
  readonly admin: number
  readonly node: number
}

function configuration(folder: string, { ingress, admin, node }: Ports): string {
  return `
node-name = "bench"
base-dir = "${join(folder, 'data')}"
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${node}
disable-telemetry = true
auto-provision = true

[ingress]
bind-port = ${ingress}

[admin]
bind-port = ${admin}
`
}

async function register(admin: number, endpoint: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${endpoint}`, force: true }),
  }).catch(() => undefined)
  return answer?.ok === true
}
