import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonFault } from './plain-input.ts'
import { Problem } from './problem.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * JSON bodies, with the received bytes kept where the route's config asks for them. An empty body is no body, so that
 * the schema says what is missing; `__proto__` keys are refused, and so is what `jsonFault` names. A scope whose bodies
 * are signed parses its own.
 */
export function addJsonParser(app: FastifyInstance): void {
  acceptJsonAs(app, 'application/json')
  app.removeContentTypeParser('text/plain')
}

/** Bodies of this type too are JSON, on the routes of this scope. */
export function acceptJsonAs(app: FastifyInstance, type: string): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
    keepBytes(request, bytes)
    if (bytes.length === 0) return done(null, undefined)
    const text = toText(bytes)
    if (text === undefined) return done(malformed('the body is not UTF-8'))
    parseJson(request, text, (error, value) => {
      if (error !== null) return done(malformed('the body is not valid JSON', error))
      const fault = jsonFault(value)
      return fault === undefined ? done(null, value) : done(malformed(fault))
    })
  })
}

function malformed(detail: string, cause?: Error): Error {
  return new Problem('malformed-request', detail, { cause })
}

function keepBytes(request: FastifyRequest, bytes: Buffer): void {
  if (request.routeOptions.config.rawBody === true) request.rawBody = bytes
}

function toText(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
