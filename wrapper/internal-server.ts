import { Type } from 'typebox'
import { constantTimeEqual } from '../edges/http/auth/hmac.ts'
import { unauthenticated, type Authenticate } from '../edges/http/auth/authenticate.ts'
import type { Logger } from '../edges/http/logging.ts'
import type { Clock, Ids } from '../edges/http/ports.ts'
import { Problem } from '../edges/http/problem.ts'
import { createServer, type HttpServer } from '../edges/http/server.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAllowed, isOutcome, type Caller, type Service } from './broker/allowed-calls.ts'
import { forward, type ForwardOptions, type OwnHeaders } from './broker/forward.ts'
import { hookEvents, HookInput, type HookAnswer, type HookEvent } from './hooks/hook-input.ts'
import { IssueReport } from './issue-report.ts'
import type { WrapperMetrics } from './metrics.ts'
import { forwardToModel, maxModelRequestBytes, type ModelProxyOptions } from './model-proxy/proxy.ts'
import { AccountUsageSnapshot } from './usage/account-usage.ts'
import type { Published } from './workspace/outside/publish.ts'
import type { WorkspaceState } from './workspace/outside/workspace.ts'

/**
 * The loopback side of the wrapper. On one machine the pods share their loopback, so everything but the usage feed (whose
 * path S3 fixes) lies under a path with a secret of this boot: the agent's key, which the agent knows, or the
 * key of the wrapper's own git children, which it does not.
 */
export interface InternalServerOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
  readonly agentKey: string
  readonly gitKey: string
  readonly caller: Caller
  readonly forward: ForwardOptions
  readonly model: ModelProxyOptions
  readonly metrics: WrapperMetrics
  readonly onHook: (event: HookEvent, input: HookInput) => HookAnswer | undefined
  readonly onAccountUsage: (snapshot: AccountUsageSnapshot) => void
  /** The answer to git's prompt, or undefined when it is not for the gateway. */
  readonly credential: (prompt: string) => string | undefined
  readonly push: () => Promise<Published>
  readonly workspaceState: () => Promise<WorkspaceState>
}

const KeyParams = Type.Object({ key: Type.String() })

export async function createInternalServer(options: InternalServerOptions): Promise<HttpServer> {
  const server = await createServer({
    name: 'wrapper-internal',
    version: '0',
    logger: options.logger,
    clock: options.clock,
    ids: options.ids,
    bodyLimit: maxModelRequestBytes,
    openapi: { title: 'Wrapper, loopback side', description: 'Hooks, usage feed, broker and model proxy of one pod.' },
  })
  addFeeds(server, options)
  addAgentRoutes(server, options)
  void server.app.register(async (scope) => addForwarding(scope as unknown as FastifyInstance, options))
  return server
}

function addFeeds({ app }: HttpServer, options: InternalServerOptions): void {
  app.post(
    '/internal/account-usage',
    { schema: { body: AccountUsageSnapshot }, attachValidation: true },
    async (request, reply) => {
      if (request.validationError) {
        options.metrics.statuslineReport('bad_payload')
        throw request.validationError
      }
      options.metrics.statuslineReport('ok')
      options.onAccountUsage(request.body)
      return reply.code(204).send()
    },
  )
  const Credential = Type.Object({ prompt: Type.String() }, { additionalProperties: false })
  app.post(
    '/k/:key/internal/credential',
    { config: { auth: keyed(options.gitKey) }, schema: { params: KeyParams, body: Credential } },
    async (request) => {
      const answer = options.credential(request.body.prompt)
      if (answer === undefined) throw new Problem('forbidden', 'no credential for this address')
      return { answer }
    },
  )
}

function addAgentRoutes({ app }: HttpServer, options: InternalServerOptions): void {
  const config = { auth: keyed(options.agentKey) }
  const HookParams = Type.Object({
    key: Type.String(),
    event: Type.Union(hookEvents.map((event) => Type.Literal(event))),
  })
  app.post(
    '/k/:key/internal/hook/:event',
    { config, schema: { params: HookParams, body: HookInput } },
    async (request, reply) => {
      const answer = options.onHook(request.params.event as HookEvent, request.body)
      // A connection kept for the next hook may end just when that is sent, and a hook is sent once.
      void reply.header('connection', 'close')
      return answer ? answer : reply.code(204).send()
    },
  )
  app.post('/k/:key/internal/push', { config, schema: { params: KeyParams } }, async () => options.push())
  app.post(
    '/k/:key/internal/report-issue',
    { config, schema: { params: KeyParams, body: IssueReport } },
    async (request, reply) => {
      options.logger.error(
        { ...request.body, severity: request.body.severity ?? 'error', task: options.caller.task },
        'internal issue reported by the agent',
      )
      return reply.code(202).send({ recorded: true })
    },
  )
}

/** Bodies pass through as bytes: what is judged is method and path. */
function addForwarding(scope: FastifyInstance, options: InternalServerOptions): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxModelRequestBytes }, (_request, body, done) =>
    done(null, body),
  )
  const config = { auth: keyed(options.agentKey) }
  const method = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']
  scope.route({
    method,
    url: '/k/:key/internal/call/:service/*',
    config,
    handler: (request, reply) => brokered(options, request, reply),
  })
  scope.route({
    method: ['GET', 'HEAD', 'POST'],
    url: '/k/:key/model/*',
    exposeHeadRoute: false,
    config,
    handler: (request, reply) => forwardToModel(options.model, tailOf(request, '/model'), request, reply),
  })
}

async function brokered(
  options: InternalServerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const service = (request.params as { service: string }).service
  const tail = tailOf(request, `/internal/call/${service}/`)
  const path = tail.split('?', 1)[0]!
  if (!isService(service) || !isAllowed(options.caller, service, request.method, path)) {
    throw new Problem(
      'tool-denied',
      `the profile ${options.caller.profile || '(none)'} may not call ${request.method} ${service}/${path}`,
    )
  }
  // The orchestrator judges an outcome by what is not committed too, and only the wrapper can see that.
  const own: OwnHeaders = isOutcome(options.caller, service, request.method, path)
    ? { 'x-platform-workspace': await options.workspaceState() }
    : {}
  return forward(options.forward, service, tail, request, reply, own)
}

function isService(text: string): text is Service {
  return text === 'operator' || text === 'memory'
}

function tailOf(request: FastifyRequest, mark: string): string {
  return request.url.slice(request.url.indexOf(mark) + mark.length)
}

function keyed(key: string): Authenticate {
  return async (request) => {
    const given = (request.params as { key?: string }).key ?? ''
    if (!constantTimeEqual(given, key)) throw unauthenticated('the path does not hold the key of this boot', true)
    return { subject: 'agent', issuer: 'wrapper', claims: {} }
  }
}
