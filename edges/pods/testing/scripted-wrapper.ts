/** A server that speaks the wrapper's API (docs/contract/wrapper.md) as a test scripts it. */
import { Type } from 'typebox'
import {
  MessageAccepted,
  MessageRequest,
  ProbeRequest,
  type Session,
  type TurnResult,
} from '../../../machines/turn/schema.ts'
import { bearer } from '../../../http/auth/authenticate.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { ProblemCode } from '../../../http/problems/problem-codes.ts'
import { withServer, type TestClock, verifyOnly } from '../../../http/testing/fixture.ts'
import { createWrapperClient, type WrapperClient } from '../client.ts'

export const startedAt = '2026-01-02T03:04:05.000Z'

export const usage = {
  inputTokens: 10,
  outputTokens: 20,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0.5,
  byModel: {},
}

/** A turn as the wrapper lists it. */
export function aTurn(turnId: string, more: Partial<TurnResult> = {}): TurnResult {
  return { turnId, state: 'running', startedAt, ...more }
}

export function anEndedTurn(turnId: string, more: Partial<TurnResult> = {}): TurnResult {
  return aTurn(turnId, {
    state: 'completed',
    completedAt: startedAt,
    finalText: 'Done.',
    usage,
    stopReason: 'end_turn',
    pushed: ['a'],
    failed: [],
    ...more,
  })
}

export interface ScriptedWrapper {
  readonly url: string
  readonly client: WrapperClient
  readonly clock: TestClock
  /** Newest first, as the wrapper lists them. */
  readonly turns: TurnResult[]
  session: Session
  /** The TTL has passed: only the hand-off is taken. */
  expired: boolean
  hasTerminal: boolean
  stopped: boolean
  /** `METHOD /path` of every request, with what it said. */
  readonly requests: { readonly route: string; readonly body?: unknown; readonly key?: string }[]
  /** Problems in place of the next answers, oldest first. `lost`: the request is carried out and its answer is a 500. */
  readonly faults: (ProblemCode | 'lost')[]
  /** In place of the next answers' bodies: what a wrapper of another release may say. */
  readonly nonsense: unknown[]
}

const anything = Type.Object({}, { additionalProperties: true })
const patienceMs = 5_000

export async function withWrapper(use: (wrapper: ScriptedWrapper) => Promise<void>): Promise<void> {
  const scripted: Partial<ScriptedWrapper> & Omit<ScriptedWrapper, 'url' | 'client' | 'clock'> = {
    turns: [],
    session: {
      state: 'idle',
      turnsCompleted: 0,
      model: '',
      repo: 'a',
      contractVersion: 4,
      sessionId: 's-1',
      startedAt,
      lastActivityAt: startedAt,
    },
    expired: false,
    hasTerminal: true,
    stopped: false,
    requests: [],
    faults: [],
    nonsense: [],
  }
  const { turns } = scripted

  function answer<T>(
    route: string,
    perform: () => T,
    more: { readonly body?: unknown; readonly key?: string } = {},
  ): T {
    scripted.requests.push({ route, ...more })
    const fault = scripted.faults.shift()
    if (fault !== undefined && fault !== 'lost') throw new Problem(fault)
    const answered = perform()
    if (fault === 'lost') throw new Problem('internal')
    return scripted.nonsense.length > 0 ? (scripted.nonsense.shift() as T) : answered
  }

  function accept(body: MessageRequest, key: string | undefined): { readonly turnId: string } {
    const mine = turns.find((turn) => key !== undefined && turn.idempotencyKey === key)
    if (mine !== undefined) return { turnId: mine.turnId }
    if (scripted.expired && body.handoff !== true) throw new Problem('ttl-passed')
    if (turns.some(({ state }) => state === 'running')) throw new Problem('turn-in-flight')
    const turnId = `turn-${turns.length + 1}`
    turns.unshift(aTurn(turnId, key === undefined ? {} : { idempotencyKey: key }))
    return { turnId }
  }

  await withServer(
    (app) => {
      app.post(
        '/v1/messages',
        { schema: { body: MessageRequest, response: { 202: MessageAccepted } } },
        async (request, reply) => {
          const given = request.headers['idempotency-key']
          const key = typeof given === 'string' ? { key: given } : {}
          const { turnId } = answer('POST /v1/messages', () => accept(request.body, key.key), {
            body: request.body,
            ...key,
          })
          return reply.code(202).send({ turnId })
        },
      )
      app.get('/v1/messages', async () =>
        answer('GET /v1/messages', () => ({
          items: turns.map(({ turnId, state, startedAt: at, idempotencyKey }) => ({
            turnId,
            state,
            startedAt: at,
            ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          })),
        })),
      )
      app.get('/v1/messages/:id', { schema: { params: Type.Object({ id: Type.String() }) } }, async (request) =>
        answer(`GET /v1/messages/${request.params.id}`, () => {
          const turn = turns.find(({ turnId }) => turnId === request.params.id)
          if (turn === undefined) throw new Problem('not-found', 'no such turn')
          return turn
        }),
      )
      app.get('/v1/session', { schema: { response: { 200: anything } } }, async () =>
        answer('GET /v1/session', () => scripted.session),
      )
      app.delete('/v1/session', async (_request, reply) => {
        answer('DELETE /v1/session', () => (scripted.stopped = true))
        return reply.code(202).send({})
      })
      app.post('/v1/probe', { schema: { body: ProbeRequest } }, async (request, reply) => {
        const { body } = request
        answer('POST /v1/probe', () => live(turns), { body })
        return reply.code(202).send({ probeId: body.probeId })
      })
      app.post('/v1/interrupt', async (_request, reply) => {
        answer('POST /v1/interrupt', () => {
          if (!scripted.hasTerminal) throw new Problem('no-terminal')
        })
        return reply.code(202).send({})
      })
    },
    async ({ url, clock }) => {
      const client = createWrapperClient({ fetch, token: async () => 'good', clock, timeoutMs: patienceMs })
      await use(Object.assign(scripted, { url, client, clock }))
    },
    {
      authenticate: bearer(verifyOnly('good', 'orchestrator')),
    },
  )
}

function live(turns: readonly TurnResult[]): void {
  if (!turns.some(({ state }) => state === 'running')) throw new Problem('no-turn-in-flight')
}
