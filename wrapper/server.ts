import { Type } from 'typebox'
import type { Authenticate } from '../http/auth/authenticate.ts'
import { clampLimit, decodeCursor, listQuery, page } from '../http/problems/list.ts'
import type { Logger } from '../http/operational/logging.ts'
import type { Clock, Ids } from '../http/ports.ts'
import { Problem } from '../http/problems/problem.ts'
import { createServer, type HttpServer } from '../http/server.ts'
import { contractVersion } from '../machines/turn/contract-version.ts'
import {
  maxMessageBytes,
  MessageAccepted,
  MessageRequest,
  ProbeAccepted,
  ProbeRequest,
  Session,
  TurnList,
  TurnResult,
} from '../machines/turn/schema.ts'
import { isoTime } from './clock.ts'
import type { WrapperMetrics } from './metrics.ts'
import type { PodTrace } from './pod-trace.ts'
import type { Conversation } from './turns/conversation.ts'
import type { TurnRunner } from './turns/turn-runner.ts'
import { isEnded, newestTurns, resultOf, summaryOf } from './turns/ledger.ts'
import { codeOf } from './errors.ts'

export interface WrapperServerOptions {
  readonly version: string
  readonly logger: Logger
  readonly clock: Clock
  readonly ids: Ids
  readonly authenticate: Authenticate
  readonly runner: TurnRunner
  readonly conversation: Conversation
  readonly model: string
  readonly repositories: readonly string[]
  readonly startedAt: number
  readonly metrics: WrapperMetrics
  readonly trace: PodTrace
  /** Begins the graceful stop (DELETE /v1/session). */
  readonly stop: () => void
}

const TurnParams = Type.Object({ turnId: Type.String() })
const ListQuery = Type.Object(listQuery, { additionalProperties: false })
const KeyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'A repeated message with the same key gets the same turn. Repeat it after a lost 202.',
    }),
  ),
})
const Accepted = Type.Object({}, { additionalProperties: false })

/** The wrapper's public API: WRAPPER-API and the areas after it (docs/contract/wrapper.md). */
export async function createWrapperServer(options: WrapperServerOptions): Promise<HttpServer> {
  const server = await createServer({
    name: 'wrapper',
    version: options.version,
    logger: options.logger,
    clock: options.clock,
    ids: options.ids,
    bodyLimit: maxMessageBytes,
    authenticate: options.authenticate,
    readiness: async () => ({
      ready: !options.runner.isStopping,
      reasons: options.runner.isStopping ? ['stopping'] : [],
    }),
    openapi: {
      title: 'Statewright agent wrapper',
      description:
        'Drives one agent in one pod. Each message is a turn. Turns are strictly sequential. Results arrive by callback or by polling.',
    },
  })
  options.metrics.exposeIn(server.metrics)
  addMessages(server, options)
  addControls(server, options)
  addSession(server, options)
  return server
}

function addMessages({ app }: HttpServer, { runner, trace }: WrapperServerOptions): void {
  const submit = { body: MessageRequest, headers: KeyHeaders, response: { 202: MessageAccepted } }
  app.post('/v1/messages', { schema: submit }, async (request, reply) => {
    const turn = runner.submit(request.body, request.headers['idempotency-key'])
    trace.accepted(turn.turnId, request.raw.headers['traceparent'])
    return reply.code(202).send({ turnId: turn.turnId })
  })
  app.get('/v1/messages', { schema: { querystring: ListQuery, response: { 200: TurnList } } }, async (request) => {
    const { cursor } = request.query
    const limit = clampLimit(request.query.limit)
    const skip = cursor === undefined ? 0 : decodeCursor(Type.Integer({ minimum: 0 }), cursor)
    // New turns come at the front, so a page is counted from the oldest end, which doesn't move.
    const newest = newestTurns(runner.turns)
    const rest = cursor === undefined ? newest : newest.slice(Math.max(0, newest.length - skip))
    const items = rest.slice(0, limit + 1)
    const shown = page(
      items.map((turn) => summaryOf(turn)),
      limit,
      () => rest.length - limit,
    )
    return { ...shown, items: [...shown.items] }
  })
  app.get(
    '/v1/messages/:turnId',
    { schema: { params: TurnParams, response: { 200: TurnResult } } },
    async (request) => {
      const turn = runner.find(request.params.turnId)
      if (!turn) throw new Problem('not-found', 'no such turn')
      return resultOf(turn)
    },
  )
}

function addControls({ app }: HttpServer, { runner, conversation }: WrapperServerOptions): void {
  app.post('/v1/interrupt', { schema: { response: { 202: Accepted } } }, async (_request, reply) => {
    if (!conversation.interrupt()) throw new Problem('no-terminal')
    return reply.code(202).send({})
  })
  app.post(
    '/v1/probe',
    { schema: { body: ProbeRequest, response: { 202: ProbeAccepted } } },
    async (request, reply) => {
      if (!runner.live) throw new Problem('no-turn-in-flight')
      conversation.probe(request.body.probeId, request.body.text)
      return reply.code(202).send({ probeId: request.body.probeId })
    },
  )
}

function addSession({ app }: HttpServer, options: WrapperServerOptions): void {
  app.get('/v1/session', { schema: { response: { 200: Session } } }, async () => sessionOf(options))
  app.delete('/v1/session', { schema: { response: { 202: Accepted } } }, async (_request, reply) => {
    options.stop()
    return reply.code(202).send({})
  })
  app.get(
    '/v1/transcript',
    { schema: { description: 'The whole transcript as JSON lines, streamed.' } },
    async (_request, reply) => reply.type('application/x-ndjson').send(await wholeOf(options.conversation.transcript)),
  )
}

function sessionOf({ runner, conversation, model, repositories, startedAt }: WrapperServerOptions): Session {
  const { stallSuspectedAt, lastProbe, hindrance } = conversation
  return {
    state: runner.isStopping ? 'stopping' : runner.live ? 'busy' : 'idle',
    turnsCompleted: runner.turns.filter(isEnded).length,
    model,
    repo: repositories.join(','),
    contractVersion,
    sessionId: conversation.sessionId,
    startedAt: isoTime(startedAt),
    lastActivityAt: isoTime(conversation.lastActivityAt),
    ...(stallSuspectedAt === undefined ? {} : { stallSuspectedAt: isoTime(stallSuspectedAt) }),
    ...(hindrance ? { hindrance } : {}),
    ...(lastProbe ? { lastProbe } : {}),
  }
}

/** Path and file appear with the first turn; until then the transcript is empty (TRANSCRIPT-2). */
async function wholeOf(transcript: Conversation['transcript']): Promise<NodeJS.ReadableStream | string> {
  try {
    return (await transcript.open()).createReadStream()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw new Problem('not-found', 'there is no transcript of the CLI', { cause: error })
  }
}
