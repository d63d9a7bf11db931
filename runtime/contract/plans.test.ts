/** A runtime without plans (`RuntimeOptions.plans`) writes the same journal: whoever upgrades XState may drop them. */
import { expect, it } from 'vitest'
import type { RuntimeOptions } from '../options.ts'
import { openSharedSql } from '../store/testing/shared-store.ts'
import { event, harness, task, until } from './harness.ts'

const life = [
  ...['opened', 'noted', 'asked', 'later', 'armed', 'armed', 'disarmed', 'merged', 'merged', 'parked'],
  ...['unknown', 'poisonGuard', 'poisonAction', 'told'],
]
const end = ['closed', 'noted']

async function journal(options: Partial<RuntimeOptions>): Promise<readonly unknown[]> {
  const sql = await openSharedSql()
  const world = harness(sql)
  try {
    const { runtime } = await world.start(options)
    const to = task('a')
    const tell = async (types: readonly string[]): Promise<void> => {
      for (const [place, type] of types.entries())
        await runtime.deliver({ to, key: `${types.length}/${place}`, event: event(type, { note: type, name: type }) })
    }
    await tell(life)
    // What the other actor answers comes before the end, in either run.
    await until(async () => JSON.stringify((await runtime.read(to))?.context).includes('re told'))
    await tell(end)
    const events = await sql.query('select * from event order by actor, seq')
    const letters = await sql.query('select actor, key, body, reason from dead_letter order by id')
    return [...events.rows, ...letters.rows]
  } finally {
    await world.end()
    await sql.close()
  }
}

it('writes with plans and without them the same journal, faults included (R11)', async () => {
  const [planned, plain] = [await journal({}), await journal({ plans: false })]
  expect(planned.length).toBeGreaterThan(life.length + end.length)
  expect(plain).toEqual(planned)
})
