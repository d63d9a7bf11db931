import { Type } from 'typebox'
import type { HttpApp } from '../../../http/app.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { checkOrigin, sessionCookie, sessionOf } from '../access/access.ts'
import type { Assets } from '../assets.ts'
import type { InspectorDeps } from '../deps.ts'
import { byTicket } from '../access/sessions.ts'
import { action, html, noticePage, sendPage } from './send-page.ts'
import { loginPath } from './sign-in.ts'

function closedPage({ signIn, file }: InspectorDeps, isUsed: boolean): string {
  const link =
    'the link that <code>statewright inspector</code> prints: in the folder where <code>statewright up</code> runs, or after <code>statewright login</code>. A link works once, within ten minutes.'
  const used = isUsed ? ['This link was used already, or is too old.'] : []
  if (file !== undefined)
    return noticePage('Inspector', ...used, 'Start <code>statewright inspect FILE</code> again: its link works once.')
  return signIn === undefined
    ? noticePage('Inspector', ...used, `This page opens with ${link} A session ends after twelve hours.`)
    : noticePage('Inspector', ...used, `Sign in, or open ${link}`, action(loginPath, 'Sign in'))
}

/** The session is named after whoever asked for the link, and gives what every link gives, whoever opens it. */
function redeem(ticket: string, { tickets, sessions, logger }: InspectorDeps): string | undefined {
  const subject = tickets.askedBy(ticket) ?? 'inspector'
  if (!tickets.redeem(ticket)) return undefined
  logger.info({ subject, issuer: byTicket }, 'a link opened a session of the inspector')
  return sessions.open({ subject, issuer: byTicket })
}

const PageQuery = Type.Object({ ticket: Type.Optional(Type.String({ maxLength: 200 })) })

/**
 * The page itself. What it shows comes over the API, so its files are open; that anything is seen takes a session.
 * @param page what a browser with a session gets; `me`: the login of whoever it is of.
 */
export function pageRoutes(app: HttpApp, deps: InspectorDeps, assets: Assets, page: (me?: string) => string): void {
  const open = { schema: { hide: true }, config: { auth: false } } as const
  for (const path of ['/', '/inspector/'] as const)
    app.get(path, open, async (request, reply) => {
      checkOrigin(request.headers, deps.hosts)
      return reply.header('cache-control', 'no-store').redirect('/inspector', 302)
    })
  app.get(
    '/inspector',
    { schema: { hide: true, querystring: PageQuery }, config: { auth: false } },
    async (request, reply) => {
      checkOrigin(request.headers, deps.hosts)
      const { ticket } = request.query
      const session = ticket === undefined ? undefined : redeem(ticket, deps)
      // No redirect: after a link from another site it would come without the strict cookie. The page tidies its address.
      if (session !== undefined)
        return sendPage(reply.header('set-cookie', sessionCookie(session, request.headers, deps.secure)), html, page())
      const known = sessionOf(request.headers, deps)
      if (known !== undefined) return sendPage(reply, html, page(known.login))
      if (deps.signIn === undefined || ticket !== undefined)
        return sendPage(reply.code(401), html, closedPage(deps, ticket !== undefined))
      return reply.header('cache-control', 'no-store').redirect(`${deps.signIn.publicUrl()}${loginPath}`, 302)
    },
  )
  app.get('/inspector/page.js', open, async (request, reply) => {
    checkOrigin(request.headers, deps.hosts)
    return sendPage(reply, 'text/javascript; charset=utf-8', assets.script)
  })
  app.get('/inspector/page.css', open, async (request, reply) => {
    checkOrigin(request.headers, deps.hosts)
    return sendPage(reply, 'text/css; charset=utf-8', assets.style)
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
      .send(chart)
  })
}
