import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * JSON bodies, with the received bytes kept where the route's config asks for them. An empty body is no body, so that
 * the schema says what is missing; `__proto__` keys are refused.
 */
export function addJsonParser(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    keepBytes(request, bytes)
    if (bytes.length === 0) return done(null, undefined)
    const text = toText(bytes)
    if (text === undefined)
      return done(new Problem('malformed-request', 'the body is not UTF-8') as Error as FastifyError)
    parseJson(request, text, (error, value) => {
      done(
        error === null
          ? null
          : (new Problem('malformed-request', 'the body is not valid JSON', { cause: error }) as Error as FastifyError),
        value,
      )
    })
  })
  app.removeContentTypeParser('text/plain')
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
