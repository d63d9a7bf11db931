/**
 * A full runtime over a store that stands still, behind the HTTP edge as it is: webhooks, callbacks of pods and calls of
 * tools. Whoever cannot be served is told when to come again, and what was acknowledged is there.
 */
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { problemOf } from '../../edges/agents/forge-problem.ts'
import { forgeMigrations } from '../../edges/forge/forge-edge.ts'
import type { ProjectDirectory } from '../../edges/forge/projects.ts'
import { createForgeInbox, type ForgeInbox } from '../../edges/forge/webhooks/inbox.ts'
import { adapters } from '../../edges/forge/transport/adapters.ts'
import { registerForgeWebhooks } from '../../edges/forge/webhooks/route.ts'
import { signHmac } from '../../http/auth/hmac.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { createServer, type HttpServer } from '../../http/server.ts'
import { callbackSecret, registerTurnComplete } from '../../edges/pods/inbound.ts'
import type { ActorAddress } from '../../machines/definition.ts'
import { systemClock } from '../../runtime/clock.ts'
import { event, task, until } from '../../runtime/contract/harness.ts'
import { podDefinition, toyDefinition } from '../../runtime/contract/toy-machine.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { migrate, runtimeMigrations } from '../../runtime/store/migrate.ts'
import { openMemorySql } from '../../runtime/store/pglite/pglite-memory.ts'
import { SqlError } from '../../runtime/store/sql-error.ts'
import type { Sql } from '../../runtime/store/sql.ts'

const maxQueued = 20
const calls = 60
const master = 'a master secret'
const hookSecret = 'the secret of the hook'

/** A store that can stand still and can be away. */
interface MoodySql extends Sql {
  hold(): () => void
  away(isAway: boolean): void
}

function moody(sql: Sql): MoodySql {
  let held: Promise<void> = Promise.resolve()
  let isAway = false
  async function through<T>(run: () => Promise<T>): Promise<T> {
    await held
    if (isAway) throw new SqlError('connect ECONNREFUSED', { code: 'ECONNREFUSED' })
    return run()
  }
  return {
    durability: sql.durability,
    query: ((text, params) => through(() => sql.query(text, params))) as Sql['query'],
    exec: (text) => through(() => sql.exec(text)),
    tx: (run) => through(() => sql.tx(run)),
    close: () => sql.close(),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    away: (now) => void (isAway = now),
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

let sql: MoodySql
let runtime: Runtime
let inbox: ForgeInbox
let server: HttpServer
let url: string

beforeEach(async () => {
  sql = moody(await openMemorySql())
  await migrate(sql, [runtimeMigrations, forgeMigrations])
  runtime = createRuntime({
    sql,
    definitions: [toyDefinition, podDefinition, { ...toyDefinition, kind: 'turn' }],
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
    owner: 'one',
    shards: 4,
    maxQueued,
  })
  await runtime.start({ call: { perform: async () => [] }, callInOrder: { perform: async () => [] } })
  await runtime.deliver({ to: task('t'), key: 'open', event: event('noted') })
  await runtime.deliver({ to: 'turn:default/t/1/0', key: 'open', event: event('noted') })
  inbox = createForgeInbox({
    sql,
    clock: systemClock,
    random: () => 0.5,
    logger: silentLogger,
    changeOf: ({ event: type, body }) => adapters.forge_a!.webhooks.changeOf(type, JSON.parse(body)),
    apply: async ({ delivery }) =>
      void (await runtime.deliver({ to: task('t'), key: `hook-${delivery}`, event: event('noted') })),
  })
  inbox.start()
  server = await createServer({
    name: 'edge',
    version: '0',
    logger: captureLog().logger,
    clock: systemClock,
    ids: { next: () => 'id' },
    openapi: { title: 'Edge', description: 'Of a test.' },
  })
  const directory = {
    project: async (name: string) => ({
      uid: `uid-of-${name}`,
      name,
      namespace: 'default',
      scm: { provider: 'forge_a' },
    }),
    secret: async () => ({ token: 't', webhookSecret: hookSecret }),
  } as unknown as ProjectDirectory
  registerForgeWebhooks(server.app, { directory, inbox, clock: systemClock })
  registerTurnComplete(server.app, { runtime, clock: systemClock, secret: master })
  server.app.post('/calls/:id/:key', { config: { auth: false } }, async (request) => {
    const { id, key } = request.params as { readonly id: string; readonly key: string }
    return runtime.deliver({ to: task(id), key, event: event('noted') }).catch((error: unknown) => {
      throw problemOf(error)
    })
  })
  url = (await server.listen({ host: '127.0.0.1', port: 0 })).url
})
afterEach(async () => {
  await server.close({ graceMs: 100 })
  await inbox.stop()
  await runtime.stop()
  await sql.close()
})

async function post(path: string, body = '', headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: body === '' ? null : body, headers })
  await answer.body?.cancel()
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
}

const call = (key: string, id = 't'): Promise<Answer> => post(`/calls/${id}/${key}`)

function webhook(delivery: string): Promise<Answer> {
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    before: '0'.repeat(40),
    after: '1'.repeat(40),
    repository: { full_name: 'acme/lib' },
    sender: { login: 'sam', id: 9 },
  })
  return post('/operator/webhooks/demo', body, {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': delivery,
    'x-hub-signature-256': `sha256=${createHmac('sha256', hookSecret).update(body).digest('hex')}`,
  })
}

function callback(turnId: string): Promise<Answer> {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0, byModel: {} }
  const at = new Date(0).toISOString()
  const told = { turnId, task: 'default/t', pod: 1, idempotencyKey: 'default/t/1/0', state: 'completed', finalText: '' }
  const rest = { usage, stopReason: 'end_turn', pushed: [], failed: [], startedAt: at, completedAt: at }
  const body = JSON.stringify({ ...told, ...rest })
  return post('/internal/turn-complete', body, {
    'content-type': 'application/json',
    'x-platform-signature': signHmac(callbackSecret(master, 'default/t/1'), body),
  })
}

async function keysOf(address: ActorAddress): Promise<readonly string[]> {
  return (await runtime.history(address)).map(({ key }) => key).filter((key) => key !== 'open')
}

const delivery = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

it('sends callers away with a time to come again once it is full, and keeps every call that it acknowledged (ORCHESTRATOR-ERRORS-3)', async () => {
  const release = sql.hold()
  const refused: Answer[] = []
  const asked = Array.from({ length: calls }, async (_, n) => {
    const answer = await call('call', `t${n}`)
    if (answer.status !== 200) refused.push(answer)
    return { id: `t${n}`, answer }
  })
  // One commit is under way, and what it holds no longer waits.
  await until(() => refused.length >= calls - 2 * maxQueued)
  expect(await callback('turn-early')).toMatchObject({ status: 503, retryAfter: '1' })
  const hooks = [1, 2, 3].map((n) => webhook(delivery(n)))
  release()
  const answers = await Promise.all(asked)
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
  expect(refused.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true)
  expect((await Promise.all(hooks)).map(({ status }) => status)).toEqual([202, 202, 202])
  // A delivery that met the full queue waits by itself until there is room.
  const hookKeys = [1, 2, 3].map((n) => `hook-${delivery(n)}`)
  await until(
    () => keysOf(task('t')),
    (found) => hookKeys.every((key) => found.includes(key)),
  )
  const taken = answers.filter(({ answer }) => answer.status === 200).map(({ id }) => id)
  expect(taken.length).toBeGreaterThan(0)
  for (const { id } of answers) expect(await keysOf(task(id))).toEqual(taken.includes(id) ? ['call'] : [])
  // Whoever comes again is served, under the same key once.
  for (const { id } of answers) expect((await call('call', id)).status).toBe(200)
  for (const { id } of answers) expect(await keysOf(task(id))).toEqual(['call'])
  expect((await callback('turn-later')).status).toBe(200)
  expect(await keysOf('turn:default/t/1/0')).toHaveLength(1)
})

it('sends away the callers of one busy actor alone: a callback and a call for others are taken meanwhile', async () => {
  const release = sql.hold()
  const refused: Answer[] = []
  const busy = Array.from({ length: calls }, async (_, n) => {
    const answer = await call(`call-${n}`)
    if (answer.status !== 200) refused.push(answer)
    return { key: `call-${n}`, answer }
  })
  await until(() => refused.length >= calls - 2 * maxQueued)
  const others = [callback('turn-1'), call('other', 'u')]
  // Asked after them and answered before the store moves: so were they, had they been sent away.
  expect((await call('probe')).status).toBe(429)
  release()
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200])
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]))
  const taken = (await Promise.all(busy)).filter(({ answer }) => answer.status === 200).map(({ key }) => key)
  expect((await keysOf(task('t'))).toSorted()).toEqual(taken.toSorted())
  for (const { key } of await Promise.all(busy)) expect((await call(key)).status).toBe(200)
  expect(await keysOf(task('t'))).toHaveLength(calls)
})

it('answers 503 with a time to come again while its store is away, acknowledges nothing, and takes all of it afterwards', async () => {
  sql.away(true)
  const away = await Promise.all([call('call-1'), webhook(delivery(9)), callback('turn-1')])
  expect(away.map(({ status }) => status)).toEqual([503, 503, 503])
  expect(away.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true)
  sql.away(false)
  const back = [() => call('call-1'), () => webhook(delivery(9)), () => callback('turn-1')]
  for (const again of back) await until(async () => (await again()).status < 300)
  await until(async () => (await keysOf(task('t'))).includes(`hook-${delivery(9)}`))
  expect((await keysOf(task('t'))).toSorted()).toEqual(['call-1', `hook-${delivery(9)}`])
  expect(await keysOf('turn:default/t/1/0')).toHaveLength(1)
})
