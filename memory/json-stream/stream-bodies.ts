import type { HttpApp } from '../../edges/http/app.ts'
import { Problem } from '../../edges/http/problem.ts'
import { maxBulkBytes } from './read-json-body.ts'

/** Declares routes whose JSON body stays the stream that it is (`readJsonBody`): `streamBodies(app, (scope) => ...)`. */
export function streamBodies(app: HttpApp, declare: (scope: HttpApp) => void): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', (request, payload, done) => {
      const announced = Number(request.headers['content-length'] ?? 0)
      if (announced > maxBulkBytes) return done(new Problem('body-too-large', '', { headers: { connection: 'close' } }))
      return done(null, payload)
    })
    declare(scope as unknown as HttpApp)
  })
}
