import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CiCheck, CiReport, ForgeMergeRequest, RequiredChecks } from '../forge/port.ts'
import { simulatedClock, type SimulatedClock } from '../../runtime/simulated-clock.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { agentMigrations } from './ci-store.ts'
import { createCiReads } from './ci-reads.ts'
import type { ForgeAccess } from './forge-access.ts'
import { aForge } from './testing/fixture.ts'

interface Fixture {
  readonly clock: SimulatedClock
  readonly fetched: string[]
  mergeable: boolean | null
  checks: readonly CiCheck[]
  required: RequiredChecks
  status: CiReport['status']
  failing: boolean
  /** The forge answers when this is resolved. */
  hold: PromiseWithResolvers<void> | undefined
  read(number?: number, path?: string): Promise<Record<string, unknown>>
}

let sql: Sql
beforeAll(async () => {
  sql = await openSharedSql([agentMigrations])
})
beforeEach(() => sql.exec('truncate ci_read'))
afterAll(() => sql.close())

function aFixture(clock = simulatedClock(Date.UTC(2026, 10, 21, 12))): Fixture {
  const ci = createCiReads({ sql, clock })
  const fixture: Fixture = {
    clock,
    fetched: [],
    mergeable: true,
    checks: [],
    required: { names: ['test'] },
    status: 'success',
    failing: false,
    hold: undefined,
    read: async (number = 7, path = 'acme/lib') => (await ci(access(fixture, path), number)) as Record<string, unknown>,
  }
  return fixture
}

function access(fixture: Fixture, path: string): ForgeAccess {
  const forge = aForge({
    mergeRequest: async (_path, number) => {
      fixture.fetched.push(`${path}#${number}`)
      await fixture.hold?.promise
      if (fixture.failing) throw new Error('away')
      return { number, headSha: 'sha-1', baseBranch: 'main', mergeable: fixture.mergeable } as ForgeMergeRequest
    },
    requiredChecks: async () => fixture.required,
    jobLog: async (_path, job) => (job === '7' ? 'the log of 7' : undefined),
    ci: async (_path, sha) => ({ sha, status: fixture.status, unfinished: false, checks: fixture.checks }),
  })
  return { forge, path, project: { name: 'demo' }, repository: { name: 'lib', url: '' } } as unknown as ForgeAccess
}

/** What waits in steps of a clock that stands still. */
async function untilDone(what: Promise<unknown>, clock: SimulatedClock): Promise<void> {
  const seen = { done: false }
  void what.finally(() => (seen.done = true))
  for (let look = 0; look < 10_000 && !seen.done; look += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(10)
  }
}

describe('scm_read of ci', () => {
  it('asks the forge once in 20 seconds for each merge request, and says which answers are kept ones (TOOL-CI-1, TOOL-CI-2, TOOL-CI-3, TOOL-CI-4)', async () => {
    const fixture = aFixture()
    const [first, meanwhile] = await Promise.all([fixture.read(), fixture.read()])
    expect([first['cached'], meanwhile['cached'], fixture.fetched.length]).toEqual([false, true, 1])
    fixture.clock.advance(19_999)
    fixture.status = 'failure'
    expect(await fixture.read()).toMatchObject({
      cached: true,
      status: 'success',
      fetchedAt: '2026-11-21T12:00:00.000Z',
    })
    fixture.clock.advance(1)
    expect(await fixture.read()).toMatchObject({
      cached: false,
      status: 'failure',
      fetchedAt: '2026-11-21T12:00:20.000Z',
    })
    await fixture.read(8)
    await fixture.read(7, 'acme/app')
    expect(fixture.fetched).toEqual(['acme/lib#7', 'acme/lib#7', 'acme/lib#8', 'acme/app#7'])
  })

  it('asks once in 20 seconds though two processes are asked, the second waiting for what the first is told (TOOL-CI-2)', async () => {
    const clock = simulatedClock(Date.UTC(2026, 10, 21, 12))
    const [one, two] = [aFixture(clock), aFixture(clock)]
    one.hold = Promise.withResolvers()
    const first = one.read()
    await vi.waitFor(() => expect(one.fetched).toHaveLength(1), 15_000)
    const second = two.read()
    one.hold.resolve()
    expect(await first).toMatchObject({ cached: false, status: 'success' })
    await untilDone(second, clock)
    expect(await second).toMatchObject({ cached: true, status: 'success' })
    expect(two.fetched).toEqual([])
  })

  it('asks anew when the process that asked has died', async () => {
    const clock = simulatedClock(Date.UTC(2026, 10, 21, 12))
    const [dead, other] = [aFixture(clock), aFixture(clock)]
    dead.hold = Promise.withResolvers()
    void dead.read()
    await vi.waitFor(() => expect(dead.fetched).toHaveLength(1), 15_000)
    clock.advance(19_999)
    const waiting = other.read()
    await untilDone(waiting, clock)
    expect(await waiting).toMatchObject({ cached: false })
    dead.hold.resolve()
  })

  it('keeps no failure: the next call asks again (TOOL-CI-4)', async () => {
    const fixture = aFixture()
    fixture.failing = true
    await expect(fixture.read()).rejects.toThrow('away')
    fixture.failing = false
    expect(await fixture.read()).toMatchObject({ cached: false, headSha: 'sha-1' })
  })

  it.each<[boolean | null, CiReport['status'], boolean]>([
    [true, 'success', true],
    [true, 'none', true],
    [true, 'pending', true],
    [true, 'failure', false],
    [false, 'success', false],
    [null, 'success', false],
  ])('mergeable is no conflicts and not red: conflicts %s, %s (TOOL-CI-13)', async (mergeable, status, expected) => {
    const fixture = aFixture()
    fixture.mergeable = mergeable
    fixture.status = status
    expect(await fixture.read()).toMatchObject({ mergeable: expected, status })
  })

  it.each<[string | undefined, CiCheck['status'], boolean]>([
    ['failure', 'failure', true],
    ['timed_out', 'failure', true],
    ['cancelled', 'cancelled', true],
    ['success', 'success', false],
    ['neutral', 'success', false],
    ['action_required', 'pending', false],
    [undefined, 'failure', true],
    [undefined, 'pending', false],
  ])('a check that concluded %s (%s) shows its log: %s (TOOL-CI-5, TOOL-CI-7)', async (conclusion, status, shown) => {
    const fixture = aFixture()
    fixture.checks = [{ name: 'test', status, log: 'the log', ...(conclusion === undefined ? {} : { conclusion }) }]
    const [check] = (await fixture.read())['checks'] as Record<string, unknown>[]
    expect([check?.['required'], check?.['logTail']]).toEqual([true, shown ? 'the log' : undefined])
  })

  it('shows the log of a job where the forge keeps one, and none of what another system told (TOOL-CI-8)', async () => {
    const fixture = aFixture()
    const red = { status: 'failure', conclusion: 'failure', log: 'its own words' } as const
    fixture.checks = [
      { ...red, name: 'job', job: '7' },
      { ...red, name: 'job whose log is gone', job: '8' },
      { ...red, name: 'external', external: true },
    ]
    const checks = (await fixture.read())['checks'] as { logTail?: string }[]
    expect(checks.map(({ logTail }) => logTail)).toEqual(['the log of 7', 'its own words', undefined])
  })

  it.each<[string, RequiredChecks, boolean | undefined]>([
    ['is not named', { names: ['test'] }, false],
    ['cannot be read', { names: ['test'], unread: 'the rulesets of main' }, undefined],
    ['is every check', { names: [], all: true }, true],
  ])('shows whether a check is required where what is required %s (TOOL-CI-5)', async (_what, required, shown) => {
    const fixture = aFixture()
    fixture.required = required
    fixture.checks = [{ name: 'lint', status: 'success' }]
    const [check] = (await fixture.read())['checks'] as { required?: boolean }[]
    expect(check?.required).toBe(shown)
  })

  it('shows the last 4000 bytes of the log, begun at a whole character (TOOL-CI-6)', async () => {
    const fixture = aFixture()
    fixture.checks = [{ name: 'lint', status: 'failure', log: `${'€'.repeat(2000)}` }]
    const [check] = (await fixture.read())['checks'] as { logTail: string; required: boolean }[]
    expect([check?.logTail, check?.required]).toEqual(['€'.repeat(1333), false])
  })
})
