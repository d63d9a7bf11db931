import { Writable } from 'node:stream'
import { unauthenticated, type VerifyToken } from '../auth/authenticate.ts'
import { createLogger, type Logger } from '../operational/logging.ts'
import type { Clock } from '../ports.ts'
import { createServer, type HttpServer, type ServerOptions } from '../server.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  /** What the runtime asks of a clock besides: milliseconds that no jump changes. */
  elapsed(): number
  advance(milliseconds: number): void
}

export function testClock(start = 1_750_000_000_000): TestClock {
  let now = start
  const timers = new Set<{ readonly due: number; readonly run: () => void }>()
  return {
    now: () => now,
    elapsed: () => now - start,
    setTimer: (milliseconds, run) => {
      const timer = { due: now + milliseconds, run }
      timers.add(timer)
      return { cancel: () => void timers.delete(timer) }
    },
    advance: (milliseconds) => {
      now += milliseconds
      for (const timer of [...timers].filter(({ due }) => due <= now).toSorted((a, b) => a.due - b.due)) {
        timers.delete(timer)
        timer.run()
      }
    },
  }
}

export interface LogCapture {
  readonly logger: Logger
  /** What was logged, decoded. */
  lines(): Record<string, unknown>[]
}

export function captureLog(): LogCapture {
  const written: string[] = []
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk))
      done()
    },
  })
  return {
    logger: createLogger({ name: 'test', level: 'debug', destination }),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

export interface TestServer {
  readonly url: string
  readonly server: HttpServer
  readonly clock: TestClock
  readonly log: LogCapture
}

/** A real server on a loopback port with ids `id-1`, `id-2`, ...; stopped at the end, whatever the test did. */
export async function withServer(
  declare: (app: HttpServer['app']) => void,
  use: (test: TestServer) => Promise<void>,
  options: Partial<ServerOptions> = {},
): Promise<void> {
  const clock = testClock()
  const log = captureLog()
  let count = 0
  const server = await createServer({
    name: 'test',
    version: '1.2.3',
    logger: log.logger,
    clock,
    ids: { next: () => `id-${++count}` },
    openapi: { title: 'Test <API>', description: 'A server for tests.' },
    ...options,
  })
  declare(server.app)
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  try {
    await use({ url, server, clock, log })
  } finally {
    await server.close({ graceMs: 0 })
  }
}

/** Names in an OpenAPI document or a schema: of every member of every body, and of every query. */
export function namesIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return []
  const {
    properties = {},
    in: place,
    name,
  } = node as { readonly properties?: object; readonly in?: string; readonly name?: string }
  const own = place === 'query' ? [name!] : Object.keys(properties)
  return [...own, ...Object.values(node).flatMap(namesIn)]
}

/** Lets in whoever brings this one token, as this subject. */
export function verifyOnly(token: string, subject: string): VerifyToken {
  return async (brought) => {
    if (brought !== token) throw unauthenticated('the token is not valid for this server', true)
    return { subject, issuer: 'test', claims: {} }
  }
}
