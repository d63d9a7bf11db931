/**
 * Two virtual hours in which somebody does not answer, for each loop that asks again: how often it asks, how many lines
 * it writes, and that it says once that it is over. Chance gives its mean, so every figure is the same in each run.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { forgeMigrations } from '../../edges/forge/forge-edge.ts'
import { createGithubForge } from '../../edges/forge/github/port.ts'
import { githubWire } from '../../edges/forge/github/wire.ts'
import { createTransport } from '../../edges/forge/transport/transport.ts'
import { createBudget } from '../../edges/forge/transport/rate-limit.ts'
import { keepStandings, type KeeperOptions } from '../../edges/forge/standing/keeper.ts'
import { createForgeInbox } from '../../edges/forge/webhooks/inbox.ts'
import { PodFolder } from '../../edges/local/pod-folder.ts'
import { PodWatch } from '../../edges/local/pod-watch.ts'
import { knownIssuer } from '../../http/auth/known-issuer.ts'
import type { RetrievalEngine } from '../../memory/engine/port.ts'
import { createFeed } from '../../memory/feed/feed.ts'
import { event, harness, task, until } from '../../runtime/contract/harness.ts'
import { faultySql } from '../../runtime/contract/store-faults.ts'
import type { JournalRow } from '../../runtime/runtime.ts'
import { simulatedClock, type SimulatedClock } from '../../runtime/simulated-clock.ts'
import { migrate, runtimeMigrations } from '../../runtime/store/migrate.ts'
import { openMemorySql } from '../../runtime/store/pglite/pglite-memory.ts'
import type { Sql } from '../../runtime/store/sql.ts'

const hourMs = 3_600_000
const stepMs = 500
const random = (): number => 0.5

interface Line {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

interface World {
  readonly clock: SimulatedClock
  readonly random: () => number
  readonly logger: KeeperOptions['logger']
  readonly lines: Line[]
  /** Asks the one who may be away: counted, and refused while it is. */
  ask(): Promise<void>
  /** A store that holds nothing. */
  readonly sql: Sql
  isAway: boolean
  tries: number
}

function world(): World {
  const lines: Line[] = []
  const write = (level: Line['level']) => (_: object, message: string) => void lines.push({ level, message })
  const query = async (): Promise<unknown> => {
    await self.ask()
    return { rows: [], rowCount: 0 }
  }
  const self: World = {
    clock: simulatedClock(1_700_000_000_000),
    random,
    logger: { debug: () => undefined, info: write('info'), warn: write('warn'), error: write('error') },
    lines,
    isAway: false,
    tries: 0,
    sql: { query } as unknown as Sql,
    async ask() {
      self.tries += 1
      await nextTurn()
      if (self.isAway) throw new Error('nobody answers')
    },
  }
  return self
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

async function pass(clock: SimulatedClock, ms: number, atOnceMs = stepMs): Promise<void> {
  for (let passed = 0; passed < ms; passed += atOnceMs) {
    clock.advance(atOnceMs)
    await nextTurn()
    await nextTurn()
  }
}

interface Loop {
  readonly name: string
  readonly mostTries: number
  readonly mostLines: number
  /** Starts it, with everything answering, and gives what stops it. */
  readonly run: (world: World) => Promise<() => unknown>
}

const loops: readonly Loop[] = [
  {
    name: 'the webhook worker and its store',
    mostTries: 300,
    mostLines: 9,
    async run({ clock, logger, sql }) {
      const inbox = createForgeInbox({ sql, clock, random, logger, changeOf: () => undefined, apply: async () => {} })
      inbox.start()
      return () => inbox.stop()
    },
  },
  {
    name: 'the status comment of a Task and its forge',
    mostTries: 20,
    mostLines: 6,
    async run({ clock, logger, ask }) {
      let hear: (row: JournalRow) => void = () => undefined
      const runtime = {
        read: async () => void (await ask()) as undefined,
        list: async () => [],
        subscribe: (listener: typeof hear) => ((hear = listener), () => undefined),
      }
      const keeper = keepStandings({ runtime, clock, random, logger } as unknown as KeeperOptions)
      keeper.start()
      hear({ address: task('a') } as unknown as JournalRow)
      return () => keeper.stop()
    },
  },
  {
    name: 'the watch of pods and the runtime that takes no event',
    mostTries: 300,
    mostLines: 9,
    async run({ clock, logger, ask }) {
      const root = mkdtempSync(join(tmpdir(), 'outage-pods-'))
      onTestFinished(() => rmSync(root, { recursive: true, force: true }))
      mkdirSync(join(root, 'a'))
      new PodFolder(root, 'a').write({ pod: 'a', task: 'a', phase: 'running', isolated: false, createdAt: 0 })
      const watch = new PodWatch({
        root,
        clock,
        random,
        logger: logger as never,
        keepEndedMs: 24 * hourMs,
        observe: ({ pod }) => ({ pod, state: 'ready', url: 'http://127.0.0.1:1' }),
        bury: () => undefined,
        listener: ask,
      })
      return () => watch.stop()
    },
  },
  {
    name: 'a server and its identity provider',
    mostTries: 300,
    mostLines: 9,
    async run({ clock, logger, ask }) {
      const issuer = 'https://id.example'
      const metadata = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }
      const fetch = async (): Promise<Response> => (await ask(), Response.json(metadata))
      return knownIssuer({ issuer, clock, random, fetch, logger: logger as never }).stop
    },
  },
  {
    name: 'the feed of an engine and its store',
    mostTries: 300,
    mostLines: 9,
    async run({ clock, logger, sql }) {
      const feed = createFeed({ sql, engine: {} as RetrievalEngine, clock, random, logger, timeoutMs: 60_000 })
      feed.start()
      return () => feed.stop()
    },
  },
]

test.each(loops)(
  '$name: two hours without an answer are few tries, fewer lines, and one that it is over',
  async (loop) => {
    const here = world()
    here.isAway = true
    const stop = await loop.run(here)
    await pass(here.clock, 2 * hourMs)
    const tries = here.tries
    const failing = here.lines.length
    here.isAway = false
    await pass(here.clock, hourMs)
    await stop()
    expect(tries).toBeGreaterThan(4)
    expect(tries).toBeLessThan(loop.mostTries)
    expect(failing).toBeGreaterThan(1)
    expect(failing).toBeLessThanOrEqual(loop.mostLines)
    expect(here.lines.slice(failing).map(({ level }) => level)).toEqual(['info'])
  },
)

test('the runtime and its store: two hours without an answer are few tries, fewer lines, and what waited goes on', async () => {
  const { lines, logger } = world()
  const inner = await openMemorySql()
  onTestFinished(() => inner.close())
  await migrate(inner)
  const sql = faultySql(inner)
  const here = harness(sql)
  const { runtime } = await here.start({ logger })
  await runtime.deliver({ to: task('a'), key: 'k1', event: event('noted', { note: 'one' }) })
  await runtime.deliver({ to: task('a'), key: 'k2', event: event('later') })
  expect(await runtime.pendingTimers()).toHaveLength(1)
  sql.breakAll(true)
  const before = sql.statements().length
  await pass(here.clock, 2 * hourMs)
  const tries = sql.statements().length - before
  const failing = lines.length
  sql.breakAll(false)
  await until(async () => (here.clock.advance(stepMs), (await runtime.pendingTimers()).length === 0))
  await pass(here.clock, hourMs / 20)
  const over = lines.slice(failing)
  await runtime.stop()
  // Leases 2,400 times, for the processes must come back together; inbox, timers and effects about 240 times each; and the
  // commits of the timer that fell due, four in a row.
  expect(tries).toBeLessThan(5000)
  expect(failing).toBeLessThanOrEqual(6 * 12)
  expect(new Set(over.map(({ level }) => level))).toEqual(new Set(['info']))
  expect(over.length).toBe(new Set(over.map(({ message }) => message)).size)
})

const aComment = {
  id: 1,
  user: { login: 'bot', id: 1, type: 'User' },
  body: 'Hello',
  html_url: 'https://forge.test/1',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
}

type Away = () => Promise<Response>

/** What comes back for a request while the forge is away. */
const aways: readonly (readonly [string, Away])[] = [
  ['no answer', () => Promise.reject(new TypeError('fetch failed'))],
  ['a 502', async () => new Response('bad gateway', { status: 502 })],
  [
    'the page of a proxy',
    async () => new Response('<html>back soon</html>', { headers: { 'content-type': 'text/html' } }),
  ],
]

const shared = openMemorySql()
afterAll(async () => (await shared).close())

test.each(aways)(
  'an effect and its forge, which gives %s for two hours: few tries, fewer lines, one that it is over, and nothing is dead (FORGE-WRITES-4)',
  async (what, away) => {
    const { lines, logger } = world()
    const sql = await shared
    await migrate(sql, [runtimeMigrations, forgeMigrations])
    const here = harness(sql)
    let isAway = true
    let tries = 0
    const fetch = async (): Promise<Response> => {
      tries += 1
      return isAway ? away() : Response.json(aComment, { status: 201 })
    }
    const budget = createBudget({ sql, clock: here.clock, account: what, ...githubWire.rate })
    const forge = createGithubForge({
      token: 't',
      fetch: createTransport({ fetch, clock: here.clock, budget, wire: githubWire })(),
    })
    const written: string[] = []
    const call = {
      async perform() {
        written.push((await forge.createComment('acme/library', 'issue', 1, 'Hello')).id)
        return []
      },
    }
    const handlers = { call, callInOrder: call, merge: call }
    // Rare polls and beats: the store works all the time, and nothing is asked of it here.
    const { runtime } = await here.start({ logger, handlers, leaseMs: hourMs, pollMs: hourMs / 60 })
    await runtime.deliver({ to: task(what), key: 'k1', event: event('noted', { note: 'one' }) })
    await runtime.deliver({ to: task(what), key: 'k2', event: event('asked', { name: 'one' }) })
    await pass(here.clock, 2 * hourMs, 10 * stepMs)
    const [during, failing] = [tries, lines.length]
    isAway = false
    await until(async () => (here.clock.advance(stepMs), (await runtime.pendingEffects()).length === 0))
    await runtime.stop()
    expect(written).toEqual(['1'])
    expect(during).toBeGreaterThan(4)
    expect(during).toBeLessThan(300)
    expect(failing).toBeLessThanOrEqual(9)
    expect(lines.slice(failing).map(({ level }) => level)).toEqual(['info'])
  },
)
