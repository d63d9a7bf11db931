import { expect } from 'vitest'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { OverloadedError, RetryableError, StoreUnavailableError, TerminalError } from '../../../runtime/errors.ts'
import { SqlError } from '../../../runtime/store/sql-error.ts'
import { BrokenAnswerError, ForgeUnavailableError } from '../errors.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { withSql } from '../testing/fixture.ts'
import { createForgeInbox } from './inbox.ts'
import type { ForgeChange } from '../change.ts'
import type { NewDelivery, StoredDelivery } from './store.ts'
import { testInside } from '../../../testing/inside.ts'

function aDelivery(delivery: string, project = 'demo'): NewDelivery {
  return { project, delivery, provider: 'forge_a', event: 'push', body: '{}', at: 0 }
}

const aChange: ForgeChange = {
  kind: 'push',
  path: 'acme/library',
  by: { login: 'maya', id: '1', bot: false },
  ref: 'refs/heads/main',
  before: 'a',
  after: 'b',
}

const changeOf = (): ForgeChange => aChange

const it = testInside<[Sql]>((use) => withSql(use))

it('R1: what was accepted before a crash is worked off by the next process, oldest first and once (WEBHOOKS-2)', async (sql) => {
  const clock = simulatedClock(0)
  const applied: string[] = []
  const open = (): ReturnType<typeof createForgeInbox> =>
    createForgeInbox({
      sql,
      clock,
      random: () => 0.5,
      logger: silentLogger,
      changeOf,
      apply: async (row) => void applied.push(row.delivery),
    })
  const dying = open()
  expect(await dying.accept(aDelivery('a'), aChange)).toBe(true)
  expect(await dying.accept(aDelivery('b'), aChange)).toBe(true)
  expect(await dying.accept(aDelivery('a'), aChange)).toBe(false)
  expect(applied).toEqual([])
  const next = open()
  next.start()
  await next.settled()
  expect(applied).toEqual(['a', 'b'])
  expect(await next.accept(aDelivery('a'), aChange)).toBe(false)
  await next.stop()
  const { rows } = await sql.query('select body, state from forge_delivery')
  expect(rows).toEqual([
    { body: '', state: 'done' },
    { body: '', state: 'done' },
  ])
})

it('R1: what another process accepted, put off and did not live to apply is worked off within a minute of its time, though nothing more arrives', async (sql) => {
  const clock = simulatedClock(0)
  const applied: string[] = []
  const open = (apply: (row: StoredDelivery) => Promise<void>): ReturnType<typeof createForgeInbox> =>
    createForgeInbox({ sql, clock, random: () => 0.5, logger: silentLogger, changeOf, apply })
  const living = open(async (row) => void applied.push(row.delivery))
  living.start()
  await living.settled()
  const dying = open(async () => {
    throw new RetryableError('later', { retryAfterMs: 5000 })
  })
  dying.start()
  await dying.accept(aDelivery('a'), aChange)
  await dying.settled()
  await dying.stop()
  clock.advance(59_999)
  await living.settled()
  expect(applied).toEqual([])
  clock.advance(1)
  await living.settled()
  expect(applied).toEqual(['a'])
  await living.stop()
})

it('a delivery that fails waits, as long as the forge says where it does, and does not stop others; a hopeless one is buried with its body', async (sql) => {
  const clock = simulatedClock(0)
  const applied: string[] = []
  const failures: Record<string, Error[]> = {
    a: [new RetryableError('later', { retryAfterMs: 5000 })],
    c: [new TerminalError('unknown-repository')],
  }
  const apply = async (row: StoredDelivery): Promise<void> => {
    const failure = failures[row.delivery]?.shift()
    if (failure !== undefined) throw failure
    applied.push(row.delivery)
  }
  const inbox = createForgeInbox({ sql, clock, random: () => 0.5, logger: silentLogger, changeOf, apply })
  inbox.start()
  for (const name of ['a', 'b', 'c']) await inbox.accept(aDelivery(name), aChange)
  await inbox.settled()
  expect(applied).toEqual(['b'])
  clock.advance(4999)
  await inbox.settled()
  expect(applied).toEqual(['b'])
  clock.advance(1)
  await inbox.settled()
  expect(applied).toEqual(['b', 'a'])
  await inbox.stop()
  const { rows } = await sql.query(`select delivery, body from forge_delivery where state = 'dead'`)
  expect(rows).toEqual([{ delivery: 'c', body: '{}' }])
})

it('a delivery that a full queue sends away is never given up, however often: each wait was asked for', async (sql) => {
  const clock = simulatedClock(0)
  let refusals = 50
  const applied: string[] = []
  const apply = async (row: StoredDelivery): Promise<void> => {
    if (refusals-- > 0) throw new OverloadedError(10_000, 1000)
    applied.push(row.delivery)
  }
  const inbox = createForgeInbox({ sql, clock, random: () => 0.5, logger: silentLogger, changeOf, apply })
  inbox.start()
  await inbox.accept(aDelivery('a'), aChange)
  await inbox.settled()
  for (let second = 0; second < 50; second++) {
    expect(applied).toEqual([])
    clock.advance(1000)
    await inbox.settled()
  }
  expect(applied).toEqual(['a'])
  await inbox.stop()
})

it.for([
  ['a forge that does not answer', new ForgeUnavailableError('read issue: 502')],
  ['a forge whose answers are the page of a proxy', new BrokenAnswerError('read issue: no object')],
  ['a store that is away', new SqlError('connection lost', { code: '08006' })],
  ['a runtime whose store is away', new StoreUnavailableError('no answer')],
])(
  'two hours of %s cost time alone: no delivery is given up, and each is told once afterwards (WEBHOOK-RULE-5)',
  async ([, away], sql) => {
    const clock = simulatedClock(0)
    const told: string[] = []
    let isAway = true
    let tries = 0
    const apply = async (row: StoredDelivery): Promise<void> => {
      tries += 1
      if (isAway) throw away
      told.push(row.delivery)
    }
    const inbox = createForgeInbox({ sql, clock, random: () => 0.5, logger: silentLogger, changeOf, apply })
    inbox.start()
    const names = ['a', 'b', 'c']
    for (const name of names) await inbox.accept(aDelivery(name), aChange)
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 5) {
        await inbox.settled()
        clock.advance(5_000)
      }
      await inbox.settled()
    }
    await pass(2 * 3600)
    // The pauses grow to two minutes, half of it on average.
    expect(tries).toBeGreaterThan(3 * 20)
    expect(tries).toBeLessThan(3 * 150)
    isAway = false
    await pass(120)
    expect(told.toSorted()).toEqual(names)
    await inbox.stop()
    const { rows } = await sql.query('select state, attempts from forge_delivery')
    expect(rows).toEqual(names.map(() => ({ state: 'done', attempts: 0 })))
  },
)

it('a delivery that fails here, and not because somebody is away, is given up after twenty tries with its body (WEBHOOK-RULE-5)', async (sql) => {
  const clock = simulatedClock(0)
  let tries = 0
  const apply = async (): Promise<void> => {
    tries += 1
    throw tries % 2 === 0 ? new ForgeUnavailableError('no answer') : new Error('a fault of ours')
  }
  const inbox = createForgeInbox({ sql, clock, random: () => 0.5, logger: silentLogger, changeOf, apply })
  inbox.start()
  await inbox.accept(aDelivery('a'), aChange)
  for (let minute = 0; minute < 60; minute++) {
    await inbox.settled()
    clock.advance(60_000)
  }
  await inbox.stop()
  expect(tries).toBe(39)
  const { rows } = await sql.query('select state, attempts, body from forge_delivery')
  expect(rows).toEqual([{ state: 'dead', attempts: 20, body: '{}' }])
})

it('a body is decoded once by the process that took it in, and again by one that did not or at a second attempt', async (sql) => {
  const clock = simulatedClock(0)
  const reads: string[] = []
  const applied: unknown[] = []
  let failures = 1
  const open = (): ReturnType<typeof createForgeInbox> =>
    createForgeInbox({
      sql,
      clock,
      random: () => 0.5,
      logger: silentLogger,
      changeOf: (row) => (reads.push(row.delivery), row.delivery === 'nobody' ? undefined : aChange),
      apply: async (row, change) => {
        if (row.delivery === 'b' && failures-- > 0) throw new RetryableError('later', { retryAfterMs: 5000 })
        applied.push([row.delivery, change === aChange])
      },
    })
  const dying = open()
  await dying.accept(aDelivery('a'), aChange)
  const inbox = open()
  for (const [name, change] of [
    ['b', aChange],
    ['c', aChange],
    ['nobody', undefined],
  ] as const)
    await inbox.accept(aDelivery(name), change)
  inbox.start()
  await inbox.settled()
  expect(reads).toEqual(['a'])
  clock.advance(5000)
  await inbox.settled()
  expect(reads).toEqual(['a', 'b'])
  expect(applied).toEqual(['a', 'c', 'b'].map((name) => [name, true]))
  await inbox.stop()
})
