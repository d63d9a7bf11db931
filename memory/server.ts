/** The HTTP side of the memory service: the kit's server with all routes of docs/contract/knowledge.md below one authentication. */
import type { Authenticate } from '../http/auth/authenticate.ts'
import type { HttpApp } from '../http/app.ts'
import { exposeMetrics } from '../http/operational/expose-metrics.ts'
import type { Logger } from '../http/operational/logging.ts'
import type { Readiness } from '../http/operational/readiness.ts'
import { createServer, type HttpServer } from '../http/server.ts'
import type { MemoryDeps } from './deps.ts'
import type { Foreground } from './foreground.ts'
import { countRequests } from './metrics.ts'
import { codeGraphRoutes } from './routes/code-graph.ts'
import { codeRoutes } from './routes/code.ts'
import { edgesRoutes } from './routes/edges.ts'
import { engineRoutes } from './routes/engine.ts'
import { entitiesRoutes } from './routes/entities.ts'
import { ingestJobsRoutes } from './routes/ingest-jobs.ts'
import { ingestRecordRoutes } from './routes/ingest-record.ts'
import { memoriesRoutes } from './routes/memories.ts'
import { queriesRoutes } from './routes/queries.ts'

export interface MemoryServerOptions {
  readonly version: string
  readonly logger: Logger
  readonly authenticate: Authenticate
  readonly readiness: () => Promise<Readiness>
  /** Opens /openapi.json and /docs to anyone; they need the bearer unless told (HTTP-RULE-1). */
  readonly openDocuments?: boolean
  /** A prefix under which the routes answer too, as `/api/v1/memory`: an ingress may strip it or not. */
  readonly basePath?: string
  readonly foreground?: Foreground | undefined
}

const routes = [
  memoriesRoutes,
  ingestJobsRoutes,
  ingestRecordRoutes,
  queriesRoutes,
  entitiesRoutes,
  edgesRoutes,
  engineRoutes,
  codeRoutes,
  codeGraphRoutes,
]

export async function createMemoryServer(deps: MemoryDeps, options: MemoryServerOptions): Promise<HttpServer> {
  const server = await createServer({
    name: 'memory',
    version: options.version,
    logger: options.logger,
    clock: deps.clock,
    ids: deps.ids,
    authenticate: options.authenticate,
    readiness: options.readiness,
    ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
    spelling: 'snake_case',
    operational: { auth: options.openDocuments !== true },
    openapi: {
      title: 'Statewright memory',
      description: 'Memories, semantic queries, the entity graph and the code graph of one Project.',
      problems: 'listed',
    },
  })
  countRequests(server.app, server.metrics, deps.clock)
  refuseUnknownParameters(server.app)
  if (options.foreground !== undefined) standBackFor(server.app, options.foreground)
  for (const declare of routes) declare(server.app, deps)
  exposeMetrics(deps.metrics, server.metrics)
  return server
}

/** Whoever sends a parameter believes that it counts (MEMORY-ERRORS-12). */
function refuseUnknownParameters(app: HttpApp): void {
  app.addHook('onRoute', (route) => {
    const { querystring } = route.schema ?? {}
    const closed = Object.assign({ type: 'object', properties: {} }, querystring, { additionalProperties: false })
    route.schema = { ...route.schema, querystring: closed }
  })
}

/** What somebody waits for: reading. What an ingest itself asks, how its job stands and whether the service lives, is none of it. */
const asked = /^\/(queries|code|code-graph|entities|edges)\b/

function standBackFor(app: HttpApp, foreground: Foreground): void {
  app.addHook('onRequest', async ({ method, routeOptions: { url = '' } }, reply) => {
    if (!asked.test(url) || (method !== 'GET' && !url.startsWith('/queries'))) return
    // Who left while the service learned who it is: no end would come any more.
    if (reply.raw.closed) return
    foreground.began()
    // Also where the asker leaves before the answer.
    reply.raw.once('close', () => foreground.ended())
  })
}
