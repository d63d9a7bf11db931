/** Retention as an operator meets it: the command, the route of the orchestrator, a walk over a real journal. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { machines } from '../../../machines/registry.ts'
import { createRuntime } from '../../../runtime/create-runtime.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { startRetention, type Retention } from '../../../runtime/journal/retention.ts'
import type { EffectHandler, Runtime } from '../../../runtime/runtime.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { openSharedSql } from '../../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { storedJournal } from '../../../edges/journal/stored-journal.ts'
import { registerOperations } from '../../../orchestrator/operators/operations.ts'
import { retention as command } from './retention.ts'
import { said, withOrchestrator, type CommandFixture } from '../testing/fixture.ts'

const at = 1_700_000_000_000
const policy = { days: 0, events: 4, finalDays: 30 }
const nothing: EffectHandler = { perform: async () => [] }

let sql: Sql
let runtime: Runtime
let retention: Retention
const clock = simulatedClock(at)

beforeAll(async () => {
  sql = await openSharedSql()
  runtime = createRuntime({
    sql,
    definitions: machines,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    owner: 'one',
    shards: 2,
    snapshotEvery: 5,
  })
  await runtime.start({ checkProject: nothing, resyncMirror: nothing })
  for (let generation = 1; generation <= 10; generation++) {
    const limits = { maxConcurrentAgents: 1, capacity: 10, alertCapacity: 2 }
    const event = { type: 'project.applied', at, generation, ...limits }
    await runtime.deliver({ to: 'project:default/demo', key: `applied/${generation}`, event })
  }
  retention = startRetention({
    sql,
    clock,
    random: Math.random,
    logger: silentLogger,
    definitions: machines,
    owner: 'one',
    policy,
    everyMs: 1e9,
  })
})
afterAll(async () => {
  await retention.stop()
  await runtime.stop()
  await sql.close()
})

function asked(use: (fixture: CommandFixture) => Promise<void>): Promise<void> {
  const journal = storedJournal({ sql, definitions: machines, randomBytes: () => new Uint8Array(32) })
  return withOrchestrator(use, (app) => {
    const authenticate = async (): Promise<never> => ({ subject: 'operator' }) as never
    const noPods = { pods: { logOf: async () => ({ state: 'gone' }) as const }, secrets: [] }
    void registerOperations(app, {
      hindranceOf: async () => undefined,
      board: () => Promise.reject(new Error('nobody asks for it')),
      ...{ runtime, clock, sql, journal, retention, policy, authenticate, ...noPods },
      inspectorLink: () => '',
    })
  })
}

describe('statewright retention', () => {
  test('says how long journals are kept, and that there was no walk yet (OPERATIONS-7)', () =>
    asked(async ({ dir }) => {
      const { out } = await said(async () => expect(await command(['--dir', dir])).toBe(0))
      expect(out).toBe("kept: any number of days, 4 events of one actor; after an actor's end 30 days\nno sweep yet")
    }))

  test('sweep walks now, says what went, and what is left replays; the next call remembers it (OPERATIONS-7)', () =>
    asked(async ({ dir }) => {
      const before = await runtime.history('project:default/demo')
      const { out } = await said(async () => expect(await command(['sweep', '--dir', dir])).toBe(0))
      expect(out).toMatch(/last sweep, 2023-11-14T.*: 2 actors, 2 shortened, \d+ events \(\d+ characters\) removed/)
      const after = await runtime.history('project:default/demo')
      expect(after.length).toBeLessThan(before.length)
      expect(after.length).toBeGreaterThanOrEqual(policy.events)
      expect(await runtime.replay('project:default/demo')).toMatchObject({ equal: true, steps: after.length })
      const again = await said(() => command(['--dir', dir, '--json']))
      expect(JSON.parse(again.out)).toMatchObject({ policy, last: { actors: 2, compacted: 2, refused: [] } })
    }))

  test('ends with 1 and names a journal that was left alone because it does not replay', () =>
    asked(async ({ dir }) => {
      const [oldest] = await runtime.history('project:default/demo')
      for (let generation = 11; generation <= 20; generation++) {
        const limits = { maxConcurrentAgents: 1, capacity: 10, alertCapacity: 2 }
        const event = { type: 'project.applied', at, generation, ...limits }
        await runtime.deliver({ to: 'project:default/demo', key: `applied/${generation}`, event })
      }
      await sql.query(`update event set effects = '[]', path = 'nowhere' where seq = $1`, [oldest!.seq + 1])
      const { out } = await said(async () => expect(await command(['sweep', '--dir', dir])).toBe(1))
      expect(out).toContain('skipped: project:default/demo: replay differs')
    }))

  test('takes no other word', async () => {
    await expect(command(['sweeep'])).rejects.toThrow('usage: statewright retention')
  })
})
