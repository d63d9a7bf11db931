/** A small living platform for this folder's tests: the real machines over a memory store, and a world that answers their effects. */
import { deepEqual } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { effectSchemas, type EffectType } from '../../../machines/effect.ts'
import type { ActorAddress, MachineEvent } from '../../../machines/definition.ts'
import { machines } from '../../../machines/registry.ts'
import { listedMachines } from '../../../machines/why/listed.ts'
import { shownWhy } from '../../../machines/why/why-rows.ts'
import { explain } from '../../../machines/why/why.ts'
import { aTaskConfig } from '../../../machines/testing/a-project.ts'
import { systemClock as clock, type Clock } from '../../../runtime/clock.ts'
import { until } from '../../../runtime/contract/harness.ts'
import { createRuntime } from '../../../runtime/create-runtime.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import { readActor } from '../../../runtime/journal/bundle/read-actor.ts'
import { bundleFormat, type ActorBundle, type BundleFile } from '../../../runtime/journal/bundle/schema.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Delivery, EffectContext, EffectHandler, Runtime } from '../../../runtime/runtime.ts'
import { openSharedSql } from '../../../runtime/store/testing/shared-store.ts'
import { bearer } from '../../../http/auth/authenticate.ts'
import { createServer } from '../../../http/server.ts'
import { captureLog, verifyOnly } from '../../../http/testing/fixture.ts'
import { boardReader } from '../readings/read-board.ts'
import { registerInspector } from '../register.ts'
import { createSessions } from '../access/sessions.ts'
import { createTickets } from '../access/tickets.ts'

export interface Fixture {
  readonly runtime: Runtime
  readonly sql: Awaited<ReturnType<typeof openSharedSql>>
  readonly url: string
  readonly clock: Clock
  /** The address of the page with a fresh ticket. */
  link(): string
  send(to: ActorAddress, event: { readonly type: string; readonly [field: string]: unknown }): Promise<void>
}

/** What a caller of the API sends as its bearer token. */
export const goodToken = 'people'

export const maintainers = async (): Promise<ReadonlyMap<string, readonly string[]>> =>
  new Map([['default/demo lib', ['Maria']]])

export async function withFixture(use: (fixture: Fixture) => Promise<void>, open = openSharedSql): Promise<void> {
  const ids = { next: () => randomUUID() }
  const { logger } = captureLog()
  const sql = await open()
  const runtime = createRuntime({
    sql,
    definitions: listedMachines,
    clock,
    random: Math.random,
    logger: silentLogger,
    owner: 'test',
  })
  const tickets = createTickets({ clock, ids })
  const server = await createServer({
    name: 'test',
    version: '0',
    logger,
    clock,
    ids,
    openapi: { title: 'Test', description: '' },
  })
  await registerInspector(server.app, {
    runtime,
    definitions: machines,
    hindranceOf: async ({ kind }) =>
      kind === 'turn' ? { sentence: 'the model has not answered for 4 min' } : undefined,
    lastTurnOf: async ({ kind }) =>
      kind === 'task'
        ? { pod: 1, words: 'I stop here', tool: { name: 'Edit', failed: true }, ended: 'end_turn' }
        : undefined,
    whyOf: async (task) => shownWhy({ ...explain({ task, timers: [], now: clock.now() }), ...known }, false),
    board: boardReader({ runtime, clock, maintainers }),
    clock,
    ids,
    logger,
    authenticate: bearer(verifyOnly(goodToken, 'alice')),
    allowFeed: () => undefined,
    tickets,
    sessions: createSessions({ clock, key: 'key of sessions', lifetimeMs: 12 * 3_600_000 }),
  })
  await runtime.start(handlers())
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  let sent = 0
  try {
    await use({
      runtime,
      sql,
      url,
      clock,
      link: () => `${url}/inspector?ticket=${tickets.mint()}`,
      send: async (to, event) =>
        void (await runtime.deliver({
          to,
          key: `scene-${++sent}`,
          event: { at: clock.now(), ...event } as MachineEvent,
        })),
    })
  } finally {
    await server.close({ graceMs: 0 })
    await runtime.stop()
    await sql.close()
  }
}

/** Of each Task, from other actors. */
const known = { refusedCalls: [], memory: [], cost: { turns: 1, tokens: 42_000, usd: 0.3 } }

/** One that stays until `end`: for all tests of a file. */
export async function openFixture(open = openSharedSql): Promise<{ readonly fixture: Fixture; end(): Promise<void> }> {
  const [opened, stopped] = [Promise.withResolvers<Fixture>(), Promise.withResolvers<void>()]
  const ended = withFixture((fixture) => {
    opened.resolve(fixture)
    return stopped.promise
  }, open)
  ended.catch(opened.reject)
  const fixture = await opened.promise
  return {
    fixture,
    end() {
      stopped.resolve()
      return ended
    },
  }
}

/** A page of its own; fails on any error that it reports. */
export async function withPage(
  browser: Browser,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await use(page)
  await context.close()
  deepEqual(errors, [])
}

/** All actors, as `statewright export` writes them, but for its masks. */
export async function bundleOf({ runtime, sql }: Pick<Fixture, 'runtime' | 'sql'>): Promise<BundleFile> {
  const views = (await Promise.all(machines.map(({ kind }) => runtime.list(kind)))).flat()
  const read = await Promise.all(views.map(({ address }) => readActor(sql, address)))
  const actors = JSON.parse(JSON.stringify(read)) as ActorBundle[]
  return { format: bundleFormat, program: 'test', exportedAt: Date.now() + 60_000, actors }
}

type Answer = (
  params: Readonly<Record<string, unknown>>,
  context: EffectContext,
) => readonly { readonly type: string; readonly [field: string]: unknown }[]

/** Pods start at once, turns are accepted and run on; the forge is down. */
const answers: { readonly [T in EffectType]?: Answer } = {
  bindVolumes: () => [{ type: 'pod.volumesBound' }],
  createPod: () => [
    { type: 'pod.created', name: 'pod-1' },
    { type: 'pod.ready', url: 'http://127.0.0.1:1' },
  ],
  readSession: () => [{ type: 'pod.session', contractVersion: 4 }],
  submitTurn: (_params, { actor }) => [{ type: 'submit.accepted', turnId: `turn-of-${actor}` }],
  checkProject: () => [
    { type: 'project.checked', generation: 1, ready: true, reason: 'Ready', message: 'all checks hold' },
  ],
  postComment: () => {
    throw new RetryableError('the forge answers 502', { retryAfterMs: 60_000 })
  },
}

function handlers(): Readonly<Record<string, EffectHandler>> {
  return Object.fromEntries(
    Object.keys(effectSchemas).map((type) => [
      type,
      {
        perform: async (params, context) => delivered(answers[type as EffectType]?.(params, context) ?? [], context),
      } satisfies EffectHandler,
    ]),
  )
}

function delivered(events: ReturnType<Answer>, { key, actor, at }: EffectContext): readonly Delivery[] {
  return events.map((event, index) => ({ to: actor, key: `${key}/${index}`, event: { at, ...event } }))
}

const config = {
  ...aTaskConfig,
  model: { implement: 'claude', review: 'claude' },
  effort: { implement: 'high', review: 'high' },
}

/**
 * A Project with two slots and three issues that want work: two Tasks run, the third waits for a slot. The first has
 * written its plan, which the forge can't take yet, and was answered; the second was closed. Gives the address of the first.
 */
export async function playStory({ send, runtime }: Pick<Fixture, 'send' | 'runtime'>): Promise<ActorAddress> {
  await send('project:default/demo', {
    type: 'project.applied',
    generation: 1,
    maxConcurrentAgents: 2,
    capacity: 2,
    alertCapacity: 1,
  })
  await send('queue:default/demo', { type: 'queue.configured', maxConcurrentAgents: 2, capacity: 2, alertCapacity: 1 })
  await send('queue:default/demo', { type: 'queue.opened' })
  for (const number of [7, 8, 9])
    await send(`issue:default/lib-${number}`, { type: 'issue.observed', facts: issueFacts(number) })
  const [first, second] = await until(
    () => runtime.list('task'),
    (tasks) => tasks.length === 2 && tasks.every(({ path }) => path.includes('working.busy')),
  )
  const task = first!.address
  await send(task, {
    type: 'note.written',
    pod: 1,
    id: 'note-1',
    kind: 'plan',
    bodyHash: 'p1',
    body: 'Parse units one by one; reject what is left. Token: ghp_0123456789abcdefghij',
  })
  await send(task, { type: 'agent.asked', pod: 1, repository: 'lib', number: 7 })
  await send(task, {
    type: 'human.commented',
    repository: 'lib',
    number: 7,
    author: 'mira',
    kind: 'comment',
    maintainer: true,
    on: 'issue',
    text: 'Months are ambiguous, leave them out.',
  })
  await send(second!.address, { type: 'task.close', by: 'mira' })
  return task
}

export function issueFacts(number: number): object {
  return {
    project: 'default/demo',
    repository: 'lib',
    number,
    state: 'open',
    title: `Parse durations with ${number} units`,
    author: 'rosa',
    url: `https://forge.example/lib/issues/${number}`,
    bodyHash: 'b1',
    editedByOther: false,
    selfProposed: false,
    humanCommented: false,
    wanted: true,
    unwantedByMaintainer: false,
    approvals: [],
    unclear: [],
    labels: {
      brainstorming: 'agent/brainstorming',
      approved: 'agent/approved',
      implementation: 'agent/implementing',
      declined: 'agent/declined',
    },
    config,
  }
}
