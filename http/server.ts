import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController, type FastifyBaseLogger, type RouteOptions } from 'fastify'
import type { Registry } from 'prom-client'
import { answerError } from './problems/answer-problem.ts'
import type { HttpApp } from './app.ts'
import { guard, type Authenticate } from './auth/authenticate.ts'
import { addJsonParser } from './problems/body.ts'
import { closeWithin, STOP_GRACE_MS, trackSockets } from './drain.ts'
import { answerUnknownRoutes } from './problems/known-routes.ts'
import type { Logger } from './operational/logging.ts'
import { createMetrics, type HttpMetrics } from './operational/metrics.ts'
import { collectOpenApi, type OpenApiInfo } from './operational/openapi.ts'
import { addOperationalRoutes } from './operational/operational.ts'
import type { Clock, Ids } from './ports.ts'
import { addressFault, repaired } from './problems/plain-input.ts'
import { Problem, type Spelling } from './problems/problem.ts'
import type { Readiness } from './operational/readiness.ts'
import { requestIdOf, trackRequestIds } from './request-id.ts'
import { answerBrokenConnection } from './broken-connection.ts'
import { UpgradeTable } from './upgrades.ts'
import { compilePart, requestParts } from './problems/validation.ts'

export interface ServerOptions {
  readonly name: string
  readonly version: string
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
  /** Bytes; 1 MiB unless told. A route may say otherwise. */
  readonly bodyLimit?: number
  /** Guards every route whose config doesn't say otherwise (`auth`). Absent: scopes bring their own `guard`. */
  readonly authenticate?: Authenticate
  /** Sees every route as it is declared, the operational ones too; what it throws ends the start. */
  readonly onRoute?: (route: RouteOptions) => void
  readonly readiness?: () => Promise<Readiness>
  readonly openapi: OpenApiInfo
  /** Of the members of problems; camelCase unless told. */
  readonly spelling?: Spelling
  /** A prefix under which all but the operational routes answer too: an ingress may strip it or not. */
  readonly basePath?: string
  /** `auth: true`: /openapi.json and /docs are guarded like the rest (HTTP-RULE-1). */
  readonly operational?: { readonly auth?: boolean }
}

export interface HttpServer {
  /** Declare routes here, before `listen`. */
  readonly app: HttpApp
  readonly metrics: Registry
  listen(where: {
    readonly host: string
    readonly port: number
  }): Promise<{ readonly url: string; readonly port: number }>
  /** Not ready from now on; no new connections; what runs may end within `graceMs` (25 s unless told), then is cut. */
  close(how?: { readonly graceMs?: number }): Promise<void>
}

const DEFAULT_BODY_LIMIT = 1024 * 1024
/** Node's own default, which fastify turns off: a request that dribbles in may not hold a socket for ever. */
const REQUEST_TIMEOUT_MS = 300_000
/** Names of resources are up to 253 characters and arrive percent-encoded. */
const MAX_PARAM_LENGTH = 1024

/** The one way in which programs of ours serve HTTP: answers, limits, ids, logs, metrics and documents are the same everywhere. */
export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const metrics = createMetrics(options.name, options.clock)
  const state = { draining: false }
  const app = createApp(options)
  const sockets = trackSockets(app.server)
  const { onRoute } = options
  if (onRoute !== undefined) app.addHook('onRoute', (route) => onRoute(route))

  addJsonParser(app)
  trackRequestIds(app)
  addRequestHooks(app, options, metrics, state)
  answerUnknownRoutes(app, options.spelling ?? 'camelCase')
  await collectOpenApi(app, {
    version: options.version,
    info: options.openapi,
    authenticated: options.authenticate !== undefined,
    spelling: options.spelling ?? 'camelCase',
  })
  addOperationalRoutes(app, {
    name: options.name,
    version: options.version,
    clock: options.clock,
    registry: metrics.registry,
    readiness: async () =>
      state.draining
        ? { ready: false, reasons: ['stopping'] }
        : ((await options.readiness?.()) ?? { ready: true, reasons: [] }),
    documentsNeedAuth: options.operational?.auth ?? false,
  })

  return {
    app,
    metrics: metrics.registry,
    listen: async (where) => {
      const url = await app.listen(where)
      return { url, port: Number(new URL(url).port) }
    },
    close: async ({ graceMs = STOP_GRACE_MS } = {}) => {
      state.draining = true
      await closeWithin(options.clock, graceMs, sockets, app.close())
    },
  }
}

function createApp(options: ServerOptions): HttpApp {
  const { spelling } = options
  const rewriteUrl = ({ url = '/' }: { readonly url?: string | undefined }): string =>
    withoutPrefix(withPlainColons(url), options.basePath)
  const upgrades = new UpgradeTable({ ...options, pathOf: (request) => asRouted(rewriteUrl(request)) })
  const loggerInstance: FastifyBaseLogger = options.logger
  const app = Fastify({
    http: { shouldUpgradeCallback: upgrades.isTaken },
    loggerInstance,
    bodyLimit: options.bodyLimit ?? DEFAULT_BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: (request) => requestIdOf(request, options.ids),
    requestIdHeader: false,
    logController: new LogController({ requestIdLogLabel: 'requestId', disableRequestLogging: true }),
    return503OnClosing: false,
    rewriteUrl,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => answerError(error, request, reply, spelling),
    clientErrorHandler: answerBrokenConnection,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, spelling))
  app.setValidatorCompiler(({ schema, httpPart }) =>
    compilePart(schema, requestParts.find((part) => part === httpPart) ?? 'body'),
  )
  // Schemas of answers document; compiled serializers would silently drop what a union or a record holds.
  app.setSerializerCompiler(() => JSON.stringify)
  app.decorate('upgrades', upgrades)
  upgrades.serve(app.server)
  app.addHook('preClose', async () => upgrades.close())
  app.decorateRequest('principal')
  app.decorateRequest('rawBody')
  return app
}

/** A client may encode the colon of `/memories:bulk`; the router decodes no reserved character (DOCUMENTS-5). */
function withPlainColons(url: string): string {
  const [path] = /^[^?#]*/.exec(url)!
  return path.replaceAll(/%3a/gi, ':') + url.slice(path.length)
}

const operational = /^\/(healthz|readyz|metrics)$/

/** Of a request below the prefix: an address that is answered lies there too. */
function prefixOf(originalUrl: string, prefix: string | undefined): string {
  return prefix && originalUrl.startsWith(`${prefix}/`) ? prefix : ''
}

/** Operational routes are not for the outside: under the prefix there is nothing at their names, however they are spelled. */
function withoutPrefix(url: string, prefix: string | undefined): string {
  const rest = url.slice(prefixOf(url, prefix).length)
  return operational.test(asRouted(rest)) ? url : rest
}

/** The path as the router reads it: up to a query or a fragment, decoded once. */
function asRouted(url: string): string {
  const [path] = /^[^?#]*/.exec(url)!
  return path.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent)
}

function addRequestHooks(
  app: HttpApp,
  options: ServerOptions,
  metrics: HttpMetrics,
  state: { draining: boolean },
): void {
  const arrivals = new WeakMap<object, number>()
  app.addHook('onRequest', async (request, reply) => {
    arrivals.set(request.raw, options.clock.now())
    void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    const fault = addressFault(request.raw.url ?? '')
    if (fault !== undefined) throw new Problem('malformed-request', fault)
    const auth = request.routeOptions.config.auth
    if (state.draining && auth !== false)
      throw new Problem('not-ready', 'the server is stopping', { headers: { 'retry-after': '1' } })
    const authenticate = auth ?? (request.is404 ? false : options.authenticate)
    if (authenticate !== undefined && authenticate !== false) await guard(authenticate)(request)
  })
  // After the schemas, which refuse such a name: only texts are left.
  app.addHook('preHandler', async (request) => {
    if (request.routeOptions.config.textsAsReceived !== true) request.body = repaired(request.body)
  })
  app.addHook('onSend', async (request, reply) => {
    const location = reply.getHeader('location')
    if (typeof location === 'string' && location.startsWith('/'))
      void reply.header('location', `${prefixOf(request.originalUrl, options.basePath)}${location}`)
    // A connection kept alive past this answer would hold the stop up until its grace is over.
    if (state.draining) void reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
    if (state.draining) app.server.closeIdleConnections()
    const milliseconds = options.clock.now() - (arrivals.get(request.raw) ?? options.clock.now())
    const route = request.routeOptions.url ?? 'unknown'
    metrics.observe(request.method, route, reply.statusCode, milliseconds / 1000)
    request.log.info({ method: request.method, route, status: reply.statusCode, milliseconds }, 'request answered')
  })
}
