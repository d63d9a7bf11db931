/** A server of the loopback that answers as a test wants, and a kubeconfig that names it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ApiServerUnderTest {
  readonly folder: string
  readonly kubeconfig: string
  readonly url: string
  readonly asked: readonly Asked[]
  /** How many connections were made. */
  connections(): number
  /** Cuts every connection. */
  cut(): void
}

export type Answering = (asked: Asked, response: ServerResponse) => void

export async function withApiServer(
  answering: Answering,
  use: (server: ApiServerUnderTest) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = []
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      answering(one, response)
    })
  })
  server.on('connection', (socket) => {
    connections++
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await mkdtemp(join(tmpdir(), 'kube-client-'))
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(url, { token: 'a-token' }))
  const cut = (): void => open.forEach((socket) => socket.destroy())
  try {
    await use({ folder, kubeconfig, url, asked, connections: () => connections, cut })
  } finally {
    cut()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  }
}

export function kubeconfigOf(
  server: string,
  user: object,
  cluster: object = { 'insecure-skip-tls-verify': true },
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, ...cluster } }],
    users: [{ name: 'test', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  })
}

export function answerJson(response: ServerResponse, code: number, body: object, headers: object = {}): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
