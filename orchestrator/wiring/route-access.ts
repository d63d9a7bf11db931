/** Holds every route of the public listener to its entry of the table (ORCHESTRATOR-API-6). */
import type { FastifyRequest, RouteOptions } from 'fastify'
import { kindNamed } from '../../crd/kinds.ts'
import { principalOf, type Principal } from '../../http/auth/authenticate.ts'
import { rightsOf, type Rights, type RoleSettings } from '../../http/auth/roles.ts'
import { Problem } from '../../http/problems/problem.ts'
import { projectsNamed, type NamedProjectDeps } from './named-project.ts'
import { feedRoute, type RoleRule, type RouteRule, type RouteRules } from './route-roles.ts'

export interface RouteAccess {
  /** Throws for a route that the table does not name. */
  readonly onRoute: (route: RouteOptions) => void
  /** For the feed, which is no route. */
  readonly allowFeed: (principal: Principal) => void
}

interface RouteAccessOptions {
  readonly roles: RoleSettings
  readonly table: RouteRules
  readonly named: NamedProjectDeps
}

export function routeAccess({ roles, table, named }: RouteAccessOptions): RouteAccess {
  const rights = (principal: Principal): Rights => principal.rights ?? rightsOf(roles, principal)

  /** What a person was let in by, or a 403 that names what lacks. */
  async function judge(rule: RoleRule, request: FastifyRequest): Promise<void> {
    const principal = principalOf(request)
    const held = rights(principal)
    const by = held.roles.has(rule.role) ? rule.role : await ownedBy(rule, held, request)
    if (by === undefined) throw refusal(rule)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      request.log.info({ subject: principal.subject, by }, 'a person may do this')
  }

  async function ownedBy(
    { owners }: RoleRule,
    { owned }: Rights,
    request: FastifyRequest,
  ): Promise<string | undefined> {
    if (owners === undefined || owned.size === 0) return undefined
    const projects = await projectsNamed(named, owners, request)
    const isOwned = projects.length > 0 && projects.every((project) => owned.has(project))
    return isOwned ? `owner of ${projects.join(', ')}` : undefined
  }

  return {
    onRoute(route) {
      for (const method of [route.method].flat()) {
        const name = `${method === 'HEAD' ? 'GET' : method} ${route.url}`
        const rule = Object.hasOwn(table, name) ? table[name] : undefined
        if (rule === undefined) throw new Error(`the route ${name} has no entry in orchestrator/wiring/route-roles.ts`)
        if ('proof' in rule) continue
        // Before the body is read: who may do nothing sends none.
        const nothing = async (request: FastifyRequest): Promise<void> => {
          const { roles: given, owned } = rights(principalOf(request))
          if (given.size === 0 && owned.size === 0) throw refusal('role' in rule ? rule : { role: 'viewer' })
        }
        route.onRequest = [...[route.onRequest ?? []].flat(), nothing] as never
        const check = async (request: FastifyRequest): Promise<void> => judge(roleOf(rule, request), request)
        route.preHandler = [...[route.preHandler ?? []].flat(), check] as never
      }
    },
    allowFeed(principal) {
      const rule = table[feedRoute] as RoleRule
      if (!rights(principal).roles.has(rule.role)) throw refusal(rule)
    },
  }
}

function refusal({ role, owners }: RoleRule): Problem {
  const orOwner = owners === undefined ? '' : ', or an owner of the Project'
  return new Problem('forbidden', `this needs the role ${role}${orOwner}`, { members: { role } })
}

/** A kind counts under each name that the route takes; what is no kind needs the most. */
function roleOf(rule: Exclude<RouteRule, { proof: unknown }>, request: FastifyRequest): RoleRule {
  if ('role' in rule) return rule
  const source = (rule.kindOf === 'body' ? request.body : request.params) as { readonly kind?: unknown } | null
  const given = String(source?.kind ?? '')
  const kind = kindNamed(given)?.kind ?? given
  return Object.hasOwn(rule.kinds, kind) ? rule.kinds[kind]! : { role: 'admin' }
}
