import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, basename } from 'node:path'
import { gitEnvironment } from './run.ts'

export interface BackendCall {
  /** The bare repository on disk. */
  readonly repository: string
  /** What follows the repository in the URL, one of the three that smart HTTP knows. */
  readonly service: 'info/refs' | 'git-upload-pack' | 'git-receive-pack'
  readonly query: string
  readonly login: string
  readonly environment: Readonly<Record<string, string>>
  /** Awaited between git's end and the end of the answer, so that a push is answered when the forge has taken note of it. */
  settled(): Promise<void>
}

/** Plays the web server to `git http-backend` for one request. The pack streams through; nothing is held in memory. */
export async function serveGit(request: IncomingMessage, response: ServerResponse, call: BackendCall): Promise<void> {
  const child = spawn('git', ['http-backend'], { env: cgiEnvironment(request, call) })
  // A reader that leaves must not keep a child alive; a push is let through to its end, so that no moved ref goes unnoticed.
  if (call.service !== 'git-receive-pack') response.on('close', () => child.kill())
  child.stdin.on('error', () => undefined)
  child.stderr.resume()
  request.pipe(child.stdin)
  request.on('aborted', () => child.stdin.end())
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve())
  })
  const spoke = relay(child, response)
  await ended
  await call.settled()
  if (!spoke()) response.statusCode = 500
  response.end()
}

function cgiEnvironment(request: IncomingMessage, call: BackendCall): Record<string, string> {
  const header = (name: string): string | undefined => request.headers[name]?.toString()
  const optional = {
    CONTENT_LENGTH: header('content-length'),
    CONTENT_TYPE: header('content-type'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
  }
  return {
    ...gitEnvironment(),
    ...call.environment,
    ...definedOnly(optional),
    GIT_PROJECT_ROOT: dirname(call.repository),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${basename(call.repository)}/${call.service}`,
    QUERY_STRING: call.query,
    REQUEST_METHOD: request.method ?? 'GET',
    REMOTE_USER: call.login,
    REMOTE_ADDR: '127.0.0.1',
    GIT_COMMITTER_NAME: call.login,
    GIT_COMMITTER_EMAIL: `${call.login}@localhost`,
  }
}

function definedOnly(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** A CGI answer is headers, an empty line, and perhaps a body. The returned function says whether the headers have come. */
function relay(child: ChildProcessWithoutNullStreams, response: ServerResponse): () => boolean {
  let head: Buffer | undefined = Buffer.alloc(0)
  child.stdout.on('data', (chunk: Buffer) => {
    if (!head) return write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    applyHead(response, head.subarray(0, end).toString())
    const rest = head.subarray(end + 4)
    head = undefined
    return write(rest)
  })
  function write(chunk: Buffer): void {
    if (chunk.length === 0 || response.destroyed || response.write(chunk)) return
    child.stdout.pause()
    const resume = (): void => {
      response.off('drain', resume).off('close', resume)
      child.stdout.resume()
    }
    response.on('drain', resume).on('close', resume)
  }
  return () => head === undefined
}

function applyHead(response: ServerResponse, head: string): void {
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).trim()
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10)
    else response.setHeader(name, value)
  }
}
