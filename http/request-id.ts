import type { IncomingMessage } from 'node:http'
import type { Ids } from './ports.ts'

const safe = /^[A-Za-z0-9._:@/+=-]{1,128}$/

/** The caller's X-Request-Id when it is harmless in logs and headers (at most 128 such characters), else a new one. */
export function requestIdOf(request: IncomingMessage, ids: Ids): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && safe.test(given) ? given : ids.next()
}
