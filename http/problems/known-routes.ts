import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { sendProblem } from './answer-problem.ts'
import { Problem, type Spelling } from './problem.ts'

interface KnownRoute {
  readonly pattern: RegExp
  readonly methods: Set<string>
}

/** Answers 405 with Allow where the path exists under another method, else 404. fastify itself knows only 404. */
export function answerUnknownRoutes(app: FastifyInstance, spelling: Spelling): void {
  const known = new Map<string, KnownRoute>()
  app.addHook('onRoute', (route) => remember(known, route))
  // Before the body: nothing of it matters, and a method that wants one would say so first.
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw unknownRoute(known, request)
  })
  app.setNotFoundHandler((request, reply) => sendProblem(unknownRoute(known, request), request, reply, spelling))
}

function remember(known: Map<string, KnownRoute>, route: RouteOptions): void {
  const entry = known.get(route.url) ?? { pattern: toPattern(route.url), methods: new Set<string>() }
  for (const method of [route.method].flat()) entry.methods.add(method)
  known.set(route.url, entry)
}

function unknownRoute(known: ReadonlyMap<string, KnownRoute>, request: FastifyRequest): Problem {
  const path = request.url.split('?', 1)[0] ?? ''
  const methods = [...known.values()].filter((route) => route.pattern.test(path)).flatMap((route) => [...route.methods])
  if (methods.length === 0) return new Problem('not-found', `no route has the path ${path.slice(0, 200)}`)
  const allow = [...new Set(methods)].toSorted().join(', ')
  return new Problem('method-not-allowed', `this path accepts only ${allow}`, { headers: { allow } })
}

/** fastify's path syntax: `:name`, `:name(regexp)`, `*` at the end, `::` for a colon. */
function toPattern(url: string): RegExp {
  const source = url.replaceAll(/::|:[A-Za-z0-9_]+(\([^)]*\))?|\*|[.+?^${}()|[\]\\]/g, (token) => {
    if (token === '::') return ':'
    if (token === '*') return '.*'
    return token.startsWith(':') ? '[^/]+?' : `\\${token}`
  })
  return new RegExp(`^${source}$`)
}
