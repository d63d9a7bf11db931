import type { HttpApp } from '../../http/app.ts'
import { Problem } from '../../http/problems/problem.ts'
import { maxBulkBytes, mostDrained } from './read-json-body.ts'

/** Declares routes whose JSON body stays the stream that it is (`readJsonBody`): `streamBodies(app, (scope) => ...)`. */
export function streamBodies(app: HttpApp, declare: (scope: HttpApp) => void): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', (request, payload, done) => {
      const announced = Number(request.headers['content-length'] ?? 0)
      if (announced <= maxBulkBytes) return done(null, payload)
      // What nobody reads node reads and throws away, for a caller that sends all before it listens; not without end.
      const headers: Record<string, string> = announced > mostDrained ? { connection: 'close' } : {}
      return done(new Problem('body-too-large', `the body is larger than ${maxBulkBytes} bytes`, { headers }))
    })
    declare(scope)
  })
}
