/** What an operator reads of a running orchestrator, and the link that signs a browser in. */
import { expect, test } from 'vitest'
import { bearer } from '../../http/auth/authenticate.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { createServer } from '../../http/server.ts'
import { verifyOnly } from '../../http/testing/fixture.ts'
import { createTickets } from '../../edges/inspector/access/tickets.ts'
import type { JournalRow, PendingEffect, ActorView, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { registerOperations, type OperationsDeps } from './operations.ts'

type Answer = { readonly status: number; readonly body: Record<string, unknown> }

interface Scene {
  readonly actors?: readonly ActorView[]
  readonly effects?: readonly object[]
  readonly history?: readonly object[]
  readonly deps?: Partial<OperationsDeps>
}

/** `token`: the one that is asked with; `good` is right. */
type Call = (method: 'GET' | 'POST', url: string, token?: string) => Promise<Answer>

async function withOperations(
  { actors = [], effects = [], history = [], deps = {} }: Scene,
  use: (call: Call, writing: readonly string[]) => Promise<void>,
): Promise<void> {
  const clock = simulatedClock(1000)
  const server = await createServer({
    name: 'operations',
    version: '0',
    logger: createLogger({ name: 'operations', level: 'silent' }),
    clock,
    ids: { next: () => 'an-id' },
    openapi: { title: 't', description: 'd' },
  })
  const runtime: Partial<Runtime> = {
    pendingEffects: async () => effects as readonly PendingEffect[],
    read: async (address) => actors.find((actor) => actor.address === address) as never,
    list: async (kind, { after = '', limit = 1000, status } = {}) =>
      actors
        .filter((one) => one.address.startsWith(`${kind}:`) && one.id > after && (status ?? one.status) === one.status)
        .slice(0, limit) as never,
    history: async () => history as readonly JournalRow[],
  }
  const writing: string[] = []
  server.app.addHook('onRoute', ({ method, url }) => {
    const methods = [method].flat().filter((one) => !['GET', 'HEAD', 'OPTIONS'].includes(one))
    writing.push(...methods.map((one) => `${one} ${url}`))
  })
  await registerOperations(server.app, {
    runtime: runtime as Runtime,
    clock,
    authenticate: bearer(verifyOnly('good', 'olga')),
    hindranceOf: async () => undefined,
    inspectorLink: () => 'https://platform.test/inspector?ticket=t',
    ...deps,
  } as OperationsDeps)
  await server.app.ready()
  try {
    await use(async (method, url, token = 'good') => {
      const answer = await server.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } })
      return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
    }, writing)
  } finally {
    await server.close({ graceMs: 100 })
  }
}

function anActor(address: ActorView['address'], status: string, context: object = {}): ActorView {
  return { address, id: address.slice(address.indexOf(':') + 1), path: 'open.running', status, context } as ActorView
}

/** Enough of a kind that no one page shows them all; every second one has ended. */
function many(kind: 'pod' | 'turn' | 'task'): readonly ActorView[] {
  return Array.from({ length: 1201 }, (_, index) =>
    anActor(`${kind}:default/${kind}-${String(index).padStart(4, '0')}`, index % 2 === 0 ? 'active' : 'done'),
  )
}

test('an operator retries, cancels, holds, pauses, resumes, redelivers, sweeps and asks for a link; no verb speaks for a maintainer or an agent (INSPECTOR-RULE-3)', async () => {
  await withOperations({}, async (_call, writing) => {
    expect(writing.toSorted()).toEqual([
      'POST /operations/cancel',
      'POST /operations/hold',
      'POST /operations/inspector-link',
      'POST /operations/pause',
      'POST /operations/redeliver',
      'POST /operations/resume',
      'POST /operations/retention',
      'POST /operations/retry',
    ])
  })
})

test('what is open has every unsettled effect, and every live pod, turn and Task, however many there are (OPERATIONS-4)', async () => {
  const effect = { key: 'task:default/a/1/0', effect: { type: 'createPod', params: { secret: 's' } }, attempts: 2 }
  const scene = { actors: [...many('pod'), ...many('turn'), ...many('task')], effects: [{ ...effect, state: 'dead' }] }
  await withOperations(scene, async (call) => {
    const { status, body } = await call('GET', '/operations/open')
    expect([status, body['effects']]).toEqual([
      200,
      [{ key: 'task:default/a/1/0', type: 'createPod', state: 'dead', attempts: 2 }],
    ])
    for (const kind of ['pod', 'turn', 'task']) {
      const living = body[`${kind}s`] as readonly object[]
      expect([living.length, living[0], living.at(-1)]).toEqual([
        601,
        { id: `default/${kind}-0000`, path: 'open.running' },
        { id: `default/${kind}-1200`, path: 'open.running' },
      ])
    }
  })
})

test('turns come with their results, page by page (OPERATIONS-4)', async () => {
  const turnOf = (ordinal: number): ActorView =>
    anActor(`turn:default/a/${ordinal}/0`, 'done', {
      pod: `default/a/${ordinal}`,
      task: 'default/a',
      podOrdinal: ordinal,
      purpose: 'work',
      turnId: `turn-${ordinal}`,
    })
  const usage = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000, costUsd: 9 }
  const scene = {
    actors: [turnOf(1), turnOf(2), anActor('pod:default/a/1', 'done', { agentKind: 'implement' })],
    history: [{ event: { type: 'turn.requested' } }, { event: { type: 'turn.result', stopReason: 'end', usage } }],
  }
  await withOperations(scene, async (call) => {
    const first = (await call('GET', '/operations/turns?limit=1')).body
    expect(first).toEqual({
      items: [
        {
          id: 'default/a/1/0',
          task: 'default/a',
          pod: 1,
          agent: 'implement',
          purpose: 'work',
          turnId: 'turn-1',
          state: 'open.running',
          stopReason: 'end',
          tokens: 4321,
        },
      ],
      nextCursor: expect.any(String) as unknown,
    })
    const second = (await call('GET', `/operations/turns?limit=1&cursor=${String(first['nextCursor'])}`)).body
    expect(second).toMatchObject({ items: [{ id: 'default/a/2/0', agent: '' }] })
    expect(second).not.toHaveProperty('nextCursor')
    expect((await call('GET', '/operations/turns?cursor=junk')).body).toMatchObject({ code: 'invalid-input' })
  })
})

test('a turn without a result has none (OPERATIONS-4)', async () => {
  const turn = anActor('turn:default/a/1/0', 'active', { pod: 'default/a/1', task: 'default/a', podOrdinal: 1 })
  await withOperations({ actors: [turn] }, async (call) => {
    expect((await call('GET', '/operations/turns')).body).toMatchObject({ items: [{ stopReason: null, tokens: 0 }] })
  })
})

test('a link to the inspector is made for each call, for whoever asks, and opens once (OPERATIONS-8)', async () => {
  let made = 0
  const tickets = createTickets({ clock: simulatedClock(1000), ids: { next: () => `id-${++made}` } })
  const inspectorLink = (askedBy: string): string => `https://platform.test/inspector?ticket=${tickets.mint(askedBy)}`
  await withOperations({ deps: { inspectorLink } }, async (call) => {
    const links = [await call('POST', '/operations/inspector-link'), await call('POST', '/operations/inspector-link')]
    const minted = links.map(({ body }) => new URL(String(body['link'])).searchParams.get('ticket') ?? '')
    expect(links.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(minted).size).toBe(2)
    expect(minted.map((ticket) => tickets.askedBy(ticket))).toEqual(['olga', 'olga'])
    expect(minted.map((ticket) => tickets.redeem(ticket))).toEqual([true, true])
    expect(minted.map((ticket) => tickets.redeem(ticket))).toEqual([false, false])
  })
})

test.each<['GET' | 'POST', string]>([
  ['GET', '/operations/open'],
  ['GET', '/operations/turns'],
  ['POST', '/operations/inspector-link'],
])('%s %s answers nobody without a valid token (OPERATIONS-4, OPERATIONS-8)', async (method, url) => {
  let made = 0
  await withOperations({ deps: { inspectorLink: () => `link ${++made}` } }, async (call) => {
    expect((await call(method, url, 'bad')).status).toBe(401)
    expect(made).toBe(0)
  })
})
