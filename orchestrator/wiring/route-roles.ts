/** Every route of the public listener with the role, or the proof, that it needs (ORCHESTRATOR-API-6, docs/operating.md). */
import type { Role } from '../../http/auth/roles.ts'

/** How a request names a Project whose owner may use the route too. */
export type Naming =
  | 'task of body'
  | 'project of body'
  | 'key of body'
  | 'task'
  | 'address'
  | 'actor'
  | 'key'
  | 'path'
  | 'secret of body'

export interface RoleRule {
  readonly role: Role
  /** Absent: to be an owner gives nothing here. */
  readonly owners?: Naming
}

/** By kind of resource, which the body or the path names. What has no entry needs `admin`. */
interface KindRule {
  readonly kindOf: 'body' | 'path'
  readonly kinds: Readonly<Record<string, RoleRule>>
}

/** `open`: nothing. `signed`: a signature over the body. `pod`: the token of a pod. Each is asked for by the route itself. */
interface ProofRule {
  readonly proof: 'open' | 'signed' | 'pod'
}

export type RouteRule = RoleRule | KindRule | ProofRule
export type RouteRules = Readonly<Record<string, RouteRule>>

/** The upgrade of the inspector is no route of the server. */
export const feedRoute = 'WS /inspector/live'

const open: ProofRule = { proof: 'open' }
const signed: ProofRule = { proof: 'signed' }
const pod: ProofRule = { proof: 'pod' }
const viewer = (owners?: Naming): RoleRule => ({ role: 'viewer', ...(owners === undefined ? {} : { owners }) })
const operator = (owners?: Naming): RoleRule => ({ role: 'operator', ...(owners === undefined ? {} : { owners }) })
const admin: RoleRule = { role: 'admin' }

export const routeRules: RouteRules = {
  'POST /operator/webhooks/:project': signed,
  'POST /operator/webhooks/:project/alerts': signed,
  'GET /projects/:project': pod,
  'GET /projects/:project/repositories': pod,
  'GET /projects/:project/task-index': pod,
  'GET /tasks': pod,
  'GET /tasks/:task': pod,
  'GET /tasks/:task/context': pod,
  'GET /tasks/:task/notes': pod,
  'POST /tasks/:task/notes': pod,
  'GET /tasks/:task/scm': pod,
  'POST /tasks/:task/issues': pod,
  'POST /tasks/:task/merge-requests': pod,
  'POST /tasks/:task/outcome': pod,
  'POST /tasks/:task/takeover-requests': pod,
  'GET /git/:project/:repository/*': pod,
  'POST /git/:project/:repository/*': pod,

  'GET /healthz': open,
  'GET /readyz': open,
  'GET /metrics': open,
  'GET /openapi.json': open,
  'GET /docs': open,
  'GET /.well-known/oauth-protected-resource': open,

  // A Task by hand is a right of its own (ORCHESTRATOR-API-3).
  'PUT /resources': {
    kindOf: 'body',
    kinds: {
      Task: { role: 'author' },
      Secret: { role: 'admin', owners: 'secret of body' },
      Project: admin,
      Repository: admin,
    },
  },
  'DELETE /resources/:kind/:namespace/:name': {
    kindOf: 'path',
    kinds: { Task: operator('path'), Project: admin, Repository: admin },
  },
  'GET /resources/:kind': viewer(),
  'GET /resources/:kind/:namespace/:name': viewer('path'),

  'GET /operations/open': viewer(),
  'GET /operations/why': viewer('task'),
  'GET /operations/logs': viewer('task'),
  'GET /operations/transcript': operator('task'),
  'GET /operations/board': viewer(),
  'GET /operations/turns': viewer(),
  'GET /operations/retention': viewer(),
  'GET /operations/actors': viewer(),
  'GET /operations/history': viewer('address'),
  'GET /operations/replay': viewer('address'),
  'GET /operations/export': viewer('address'),
  'GET /operations/effects': viewer('actor'),
  'GET /operations/effect': viewer('key'),
  'GET /operations/dead-letters': viewer('actor'),
  'GET /operations/dead-letter': viewer(),
  'POST /operations/inspector-link': viewer(),
  'POST /operations/retry': operator('task of body'),
  'POST /operations/cancel': operator('task of body'),
  'POST /operations/hold': operator('task of body'),
  'POST /operations/pause': operator('project of body'),
  'POST /operations/resume': operator('project of body'),
  'POST /operations/redeliver': operator('key of body'),
  'POST /operations/retention': operator(),

  // The page is empty: what it shows comes by its API.
  'GET /': open,
  'GET /inspector/': open,
  'GET /inspector': open,
  'GET /inspector/page.js': open,
  'GET /inspector/page.css': open,
  // Who comes here has no session yet: the identity provider says who it is, and `callback` asks for the role of the feed.
  'GET /inspector/login': open,
  'GET /inspector/callback': open,
  // It takes the browser's own session and nothing else.
  'POST /inspector/logout': open,
  'GET /inspector/api/kinds': viewer(),
  'GET /inspector/api/actors': viewer(),
  'GET /inspector/api/choices': viewer(),
  'GET /inspector/api/board': viewer(),
  'GET /inspector/api/actor': viewer(),
  'GET /inspector/api/history': viewer(),
  'GET /inspector/api/story': viewer(),
  'GET /inspector/api/charts/:kind': viewer(),
  [feedRoute]: viewer(),
}
