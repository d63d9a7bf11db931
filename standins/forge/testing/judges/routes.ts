import Fastify from 'fastify'
import type { Platform } from '../../github/call.ts'
import { serveGithub } from '../../github/server.ts'

/** A route as the forge serves it: `GET /repos/:owner/:repo`. */
export interface ServedRoute {
  readonly name: string
  readonly fits: (method: string, path: string) => boolean
  /** How many parts are fixed: of two routes that fit, the one with more is taken. */
  readonly fixed: number
}

/** Every route of GitHub's dialect, from the server itself: none is asked here. */
export async function servedRoutes(): Promise<ServedRoute[]> {
  const app = Fastify({ exposeHeadRoutes: false })
  const names = new Set<string>()
  app.addHook('onRoute', ({ method, url }) => {
    names.add(`${String(method)} ${url.replace(/^\/api\/v3(?=\/|$)/, '') || '/'}`)
  })
  await serveGithub(app, {} as Platform, { rateLimit: 1, log: () => {} })
  await app.close()
  return [...names].map(routeOf)
}

function routeOf(name: string): ServedRoute {
  const pattern = new RegExp(`^${name.replaceAll(/:\w+/g, '[^/]+').replace('*', '.+')}$`)
  const fixed = name.split('/').filter((part) => part !== '' && !/^[:*]/.test(part)).length
  return { name, fits: (method, path) => pattern.test(`${method} ${path}`), fixed }
}

/** The names of the routes that nobody asked. */
export function unasked(
  routes: readonly ServedRoute[],
  asked: readonly { readonly method: string; readonly path: string }[],
): string[] {
  const taken = asked.map(({ method, path }) => {
    const fitting = routes.filter(({ fits }) => fits(method, path))
    return fitting.toSorted((one, other) => other.fixed - one.fixed)[0]?.name
  })
  return routes.map(({ name }) => name).filter((name) => !taken.includes(name))
}
