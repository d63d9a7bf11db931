import { expect, test } from 'vitest'
import type { HttpApp } from '../../http/app.ts'
import type { Authenticate } from '../../http/auth/authenticate.ts'
import { createLogger } from '../../http/logging.ts'
import { createServer } from '../../http/server.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { registerOperations, type OperationsDeps } from './operations.ts'

async function withOperations<T>(
  deps: Partial<OperationsDeps>,
  use: (app: HttpApp, writing: readonly string[]) => Promise<T>,
): Promise<T> {
  const server = await createServer({
    name: 'operations',
    version: '0',
    logger: createLogger({ name: 'operations', level: 'silent' }),
    clock: simulatedClock(1000),
    ids: { next: () => 'an-id' },
    openapi: { title: 't', description: 'd' },
  })
  const writing: string[] = []
  server.app.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().some((one) => !['GET', 'HEAD', 'OPTIONS'].includes(one)))
      writing.push(`${String(method)} ${url}`)
  })
  const authenticate: Authenticate = async () => ({ subject: 'olga', issuer: 'test', claims: {} })
  await registerOperations(server.app, { authenticate, ...deps } as OperationsDeps)
  await server.app.ready()
  try {
    return await use(server.app, writing)
  } finally {
    await server.close({ graceMs: 100 })
  }
}

test('an operator retries, cancels, redelivers, sweeps and asks for a link; no verb speaks for a maintainer or an agent (INSPECTOR-RULE-3)', () =>
  withOperations({}, async (_app, writing) => {
    expect(writing.toSorted()).toEqual([
      'POST /operations/cancel',
      'POST /operations/inspector-link',
      'POST /operations/redeliver',
      'POST /operations/retention',
      'POST /operations/retry',
    ])
  }))

const views = {
  pod: [
    { id: 'default/a/1', status: 'active', path: 'alive.busy', context: {} },
    { id: 'default/b/1', status: 'done', path: 'gone', context: {} },
  ],
  turn: [
    {
      id: 'default/a/1/0',
      address: 'turn:default/a/1/0',
      status: 'active',
      path: 'completed',
      context: { pod: 'default/a/1', task: 'default/a', podOrdinal: 1, purpose: 'work', turnId: 't-1' },
    },
  ],
  task: [{ id: 'default/a', status: 'active', path: 'stage.live', context: {} }],
}
const runtime = {
  list: async (kind: keyof typeof views) => views[kind],
  read: async () => ({ context: { agentKind: 'implement' } }),
  history: async () => [
    { event: { type: 'turn.result', stopReason: 'end_turn', usage: { inputTokens: 3, outputTokens: 4, costUsd: 9 } } },
  ],
  pendingEffects: async () => [
    { key: 'task:default/a/4/0', effect: { type: 'postComment' }, state: 'due', attempts: 2 },
  ],
} as unknown as Runtime

test('what is open is listed with what lives, and turns with their results (OPERATIONS-4)', () =>
  withOperations({ runtime }, async (app) => {
    expect((await app.inject('/operations/open')).json()).toEqual({
      effects: [{ key: 'task:default/a/4/0', type: 'postComment', state: 'due', attempts: 2 }],
      pods: [{ id: 'default/a/1', path: 'alive.busy' }],
      turns: [{ id: 'default/a/1/0', path: 'completed' }],
      tasks: [{ id: 'default/a', path: 'stage.live' }],
    })
    expect((await app.inject('/operations/turns')).json()).toEqual({
      items: [
        {
          id: 'default/a/1/0',
          task: 'default/a',
          pod: 1,
          agent: 'implement',
          purpose: 'work',
          turnId: 't-1',
          state: 'completed',
          stopReason: 'end_turn',
          tokens: 7,
        },
      ],
    })
  }))

test('a link to the inspector is made anew at each call (OPERATIONS-8)', () => {
  let links = 0
  return withOperations({ inspectorLink: () => `http://here/inspector?ticket=${(links += 1)}` }, async (app) => {
    const ask = async (): Promise<unknown> =>
      (await app.inject({ method: 'POST', url: '/operations/inspector-link' })).json()
    expect([await ask(), await ask()]).toEqual([
      { link: 'http://here/inspector?ticket=1' },
      { link: 'http://here/inspector?ticket=2' },
    ])
  })
})
