/** One question of a readiness probe; the schedule is the pod's (pod-life.ts). */
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { request } from 'undici'
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
