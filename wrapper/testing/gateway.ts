import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'

export interface TestGateway {
  readonly url: string
  /** Calls of the agent API, as `METHOD path authorization`. */
  readonly calls: string[]
  /** What each of them carried. */
  readonly bodies: string[]
  close(): Promise<void>
}

/** A port that nobody listens on, for servers that come up late. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Smart HTTP over git's own backend, behind `x-pod:<token>`, and an agent API that echoes. */
export async function startGateway(repositoriesDir: string, token: string, port = 0): Promise<TestGateway> {
  const calls: string[] = []
  const bodies: string[] = []
  const basic = `Basic ${Buffer.from(`x-pod:${token}`).toString('base64')}`
  const server = createServer((request, response) => {
    if (!request.url!.startsWith('/git/')) return void echo(request, response, { calls, bodies })
    if (request.headers.authorization !== basic)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    backend(repositoriesDir, request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    bodies,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

async function echo(
  request: IncomingMessage,
  response: ServerResponse,
  { calls, bodies }: Pick<TestGateway, 'calls' | 'bodies'>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  calls.push(`${request.method} ${request.url} ${request.headers.authorization}`)
  bodies.push(body.toString())
  response.writeHead(201, { 'content-type': 'application/json' }).end(body)
}

function backend(dir: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url!, 'http://gateway')
  const env = {
    PATH: process.env['PATH'] ?? '',
    GIT_PROJECT_ROOT: dir,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method!,
    PATH_INFO: url.pathname.slice('/git'.length),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    HTTP_GIT_PROTOCOL: (request.headers['git-protocol'] as string | undefined) ?? '',
    REMOTE_USER: 'x-pod',
    HOME: dirname(dir),
  }
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], { env })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n')
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const status = headers.find(([name]) => name === 'Status')?.[1]
    response.writeHead(
      Number(status?.split(' ')[0] ?? 200),
      Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
    )
    response.end(all.subarray(end + 4))
  })
}
