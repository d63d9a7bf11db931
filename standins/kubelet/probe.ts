/** Probes: their questions, and what their answers make of a container (pkg/kubelet/prober). */
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { request } from 'undici'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Container, Probe } from './pod.ts'

export interface Probed {
  readonly ip: string
  readonly container: Container
  /** Number of the container's first process. */
  readonly pid: number | undefined
}

export async function probe({ httpGet, tcpSocket, exec, timeoutSeconds = 1 }: Probe, probed: Probed): Promise<boolean> {
  const timeoutMs = timeoutSeconds * 1_000
  try {
    if (httpGet !== undefined) return await askHttp(httpGet, probed, timeoutMs)
    if (tcpSocket !== undefined)
      return await canConnect(tcpSocket.host ?? probed.ip, portOf(tcpSocket.port, probed), timeoutMs)
    return exec !== undefined && (await canRun(exec.command, probed, timeoutMs))
  } catch {
    return false
  }
}

async function askHttp(
  { host, port, path = '/', scheme = 'HTTP', httpHeaders = [] }: NonNullable<Probe['httpGet']>,
  probed: Probed,
  timeoutMs: number,
): Promise<boolean> {
  const url = `${scheme.toLowerCase()}://${host ?? probed.ip}:${portOf(port, probed)}${path}`
  const { statusCode, body } = await request(url, {
    headers: {
      'user-agent': 'kube-probe/1.36',
      ...Object.fromEntries(httpHeaders.map((one) => [one.name, one.value])),
    },
    signal: AbortSignal.timeout(timeoutMs),
  })
  await body.dump()
  return statusCode >= 200 && statusCode < 400
}

function portOf(port: number | string, { container }: Probed): number {
  if (typeof port === 'number') return port
  return container.ports?.find(({ name }) => name === port)?.containerPort ?? Number(port)
}

function canConnect(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs })
    const end = (isOpen: boolean) => (): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })
}

/** In the namespaces of the container, as its user. */
async function canRun(command: readonly string[], { pid }: Probed, timeoutMs: number): Promise<boolean> {
  if (pid === undefined) return false
  const enter = ['--user', '--mount', '--pid', '--ipc', '--preserve-credentials', '--root', '--wd']
  const child = spawn('nsenter', [`--target=${pid}`, ...enter, '--', ...command], {
    stdio: 'ignore',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve) => child.once('error', () => resolve(false)).once('exit', (code) => resolve(code === 0)))
}

interface Asked {
  readonly ask: () => Promise<boolean>
  readonly clock: Clock
  /** Aborted with the end of the container. */
  readonly signal: AbortSignal
}

interface Watched extends Asked {
  readonly changed: (isWell: boolean) => Promise<void>
}

/** A container that is not ready is asked more often than its period: tests wait for it. */
const unreadyPollMs = 200

/** Of a startup probe: whether it succeeds before as many periods as may fail are over. */
export async function awaitStart(
  { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 }: Probe,
  { ask, clock, signal }: Asked,
): Promise<boolean> {
  await sleep(clock, initialDelaySeconds * 1_000, signal)
  const deadline = clock.elapsed() + failureThreshold * periodSeconds * 1_000
  while (!signal.aborted && clock.elapsed() < deadline) {
    if (await ask()) return true
    await sleep(clock, unreadyPollMs, signal)
  }
  return false
}

/** Never rejects where `ask` and `changed` don't. `wasWell`: the verdict so far; a liveness probe begins well. */
export async function watchProbe(
  { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 }: Probe,
  { ask, changed, clock, signal }: Watched,
  wasWell: boolean,
): Promise<void> {
  let isWell = wasWell
  let [successes, failures] = [0, 0]
  await sleep(clock, initialDelaySeconds * 1_000, signal)
  while (!signal.aborted) {
    const hasAnswered = await ask()
    if (signal.aborted) return
    successes = hasAnswered ? successes + 1 : 0
    failures = hasAnswered ? 0 : failures + 1
    const next = isWell ? failures < failureThreshold : successes >= successThreshold
    if (next !== isWell) await changed(next)
    isWell = next
    await sleep(clock, isWell ? periodSeconds * 1_000 : unreadyPollMs, signal)
  }
}
