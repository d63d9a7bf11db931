/** The kubelet's server, as far as an API server asks it for logs: `GET /containerLogs/<namespace>/<pod>/<container>`. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface LogServerOptions {
  /** A folder for its certificate. */
  readonly root: string
  readonly host: string
  /** Path of what a container of a pod of this node prints; undefined: there is no such pod here. */
  readonly logOf: (namespace: string, pod: string, container: string) => string | undefined
  /** The node is lost: nobody is answered. */
  readonly isLost: () => boolean
}

export interface LogServer {
  readonly port: number
  stop(): Promise<void>
}

/** Its certificate is its own: an API server without `--kubelet-certificate-authority` takes it. */
export async function startLogServer({ root, host, logOf, isLost }: LogServerOptions): Promise<LogServer> {
  const server = createServer(await certificateIn(root, host), (request, response) => {
    if (isLost()) return void request.socket.destroy()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://kubelet')
    const [, kind, namespace = '', pod = '', container = ''] = pathname.split('/').map(decodeURIComponent)
    const path = kind === 'containerLogs' ? logOf(namespace, pod, container) : undefined
    if (path === undefined) return void response.writeHead(404).end(`pod "${pod}" not found`)
    // The words of a kubelet (pkg/kubelet, validateContainerLogStatus).
    const waits = `container "${container}" in pod "${pod}" is waiting to start: ContainerCreating`
    if (!existsSync(path)) return void response.writeHead(400).end(waits)
    return void response.setHeader('content-type', 'text/plain').end(logText(path, searchParams))
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** First the tail, then what came before `sinceTime` goes, then what is beyond `limitBytes`, which is the newest. */
function logText(path: string, asked: URLSearchParams): Buffer {
  const tail = Number(asked.get('tailLines') ?? Infinity)
  const since = Date.parse(asked.get('sinceTime') ?? '1970-01-01T00:00:00Z')
  const isStamped = asked.get('timestamps') === 'true'
  const lines = stampedLines(path)
    .slice(-tail)
    .filter(({ at }) => at / 1_000_000n >= BigInt(since))
    .map(({ at, bytes }) => (isStamped ? Buffer.concat([Buffer.from(`${rfc3339(at)} `), bytes]) : bytes))
  return Buffer.concat(lines).subarray(0, Number(asked.get('limitBytes') ?? Infinity))
}

/**
 * A container prints into its file by itself, so nobody notes when. A line has the time of the file, and a nanosecond more for
 * each byte before it: times grow, and a line has the same one whenever it is asked for.
 */
function stampedLines(path: string): readonly { readonly at: bigint; readonly bytes: Buffer }[] {
  const began = BigInt(Math.floor(statSync(path).birthtimeMs)) * 1_000_000n
  const text = readFileSync(path)
  const lines: { at: bigint; bytes: Buffer }[] = []
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = text.indexOf(10, from) + 1 || text.length
    lines.push({ at: began + BigInt(from), bytes: text.subarray(from, end) })
  }
  return lines
}

/** With nine digits, as kubelets write it. */
function rfc3339(nanoseconds: bigint): string {
  const second = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, -'.000Z'.length)
  return `${second}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}Z`
}

async function certificateIn(root: string, host: string): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const [key, cert] = [join(root, 'serving.key'), join(root, 'serving.crt')]
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30']
  await promisify(execFile)('openssl', [...words, '-subj', `/CN=${host}`, '-keyout', key, '-out', cert])
  const made = { key: readFileSync(key), cert: readFileSync(cert) }
  for (const path of [key, cert]) rmSync(path)
  return made
}
