import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { HttpApp } from '../../../http/app.ts'
import { Problem } from '../../../http/problem.ts'
import { checkOrigin, hasSession, sessionCookie } from '../access.ts'
import type { Assets } from '../assets.ts'
import type { InspectorDeps } from '../deps.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const closedPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Statewright inspector</title><link rel="stylesheet" href="/inspector/page.css"><main class="closed"><h1>Inspector</h1>
<p>This page opens with the link that <code>statewright inspector</code> prints. A link works once, within ten minutes; a session ends after twelve hours.</p></main></html>`

const PageQuery = Type.Object({ ticket: Type.Optional(Type.String({ maxLength: 200 })) })

/** The page itself. What it shows comes over the API, so its files are open; that anything is seen takes a session. */
export function pageRoutes(app: HttpApp, deps: InspectorDeps, assets: Assets): void {
  const open = { schema: { hide: true }, config: { auth: false } } as const
  const send = (reply: FastifyReply, type: string, body: string): FastifyReply =>
    reply
      .header('content-security-policy', policy)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('cache-control', 'no-store')
      .type(type)
      .send(body)

  app.get(
    '/inspector',
    { schema: { hide: true, querystring: PageQuery }, config: { auth: false } },
    async (request, reply) => {
      checkOrigin(request.headers, deps.hosts)
      const { ticket } = request.query
      const session = ticket === undefined ? undefined : deps.tickets.redeem(ticket)
      // No redirect: after a link from another site it would come without the strict cookie. The page tidies its address.
      if (session !== undefined) void reply.header('set-cookie', sessionCookie(session, deps.secure ?? false))
      const isOpen = session !== undefined || hasSession(request.headers, deps)
      return send(reply.code(isOpen ? 200 : 401), 'text/html; charset=utf-8', isOpen ? assets.html : closedPage)
    },
  )
  app.get('/inspector/page.js', open, async (request, reply) => {
    checkOrigin(request.headers, deps.hosts)
    return send(reply, 'text/javascript; charset=utf-8', assets.script)
  })
  app.get('/inspector/page.css', open, async (request, reply) => {
    checkOrigin(request.headers, deps.hosts)
    return send(reply, 'text/css; charset=utf-8', assets.style)
  })
}

const ChartParams = Type.Object({ kind: Type.String({ maxLength: 100 }) })

export function chartRoutes(app: HttpApp, assets: Assets): void {
  app.get('/charts/:kind', { schema: { hide: true, params: ChartParams } }, async (request, reply) => {
    const chart = assets.charts.get(request.params.kind)
    if (chart === undefined) throw new Problem('not-found', 'there is no chart of this kind')
    return reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .serializer(String)
      .send(chart as never)
  })
}
