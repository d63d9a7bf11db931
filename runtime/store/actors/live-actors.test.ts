import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSharedSql } from '../testing/shared-store.ts'
import type { ActorStatus } from '../rows.ts'
import type { Queryable, Sql } from '../sql.ts'
import { countQuarantined } from './count-quarantined.ts'
import { findActors } from './find-actors.ts'
import { outdatedActors } from './outdated-actors.ts'
import { quarantinedActors } from './quarantined-actors.ts'

let sql: Sql

beforeAll(async () => {
  sql = await openSharedSql()
  await sql.exec(`insert into actor (address, kind, shard, seq, version, machine_hash, status, path, created_at, updated_at)
    select 'task:' || n, 'task', n % 8, 1, 1, 'h', case when n % 200 = 0 then 'active' when n = 7 then 'quarantined' else 'done' end, 'p', 0, 0
    from generate_series(1, 10050) n`)
})
afterAll(() => sql.close())

/** How the store would run what `read` asks. A server that has run a prepared statement five times may plan it without its values. */
async function planOf(
  mode: (typeof modes)[number] | 'auto',
  read: (explained: Queryable) => Promise<unknown>,
): Promise<string> {
  const plans: string[] = []
  const query = async (text: string, params: readonly unknown[] = []): Promise<{ rows: never[]; rowCount: number }> => {
    await sql.exec(`set plan_cache_mode = ${mode}; prepare asked as ${text}`)
    const values = params.length === 0 ? '' : `(${params.map(literal).join(', ')})`
    const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain execute asked${values}`)
    await sql.exec('deallocate asked; reset plan_cache_mode')
    plans.push(...rows.map((row) => row['QUERY PLAN']))
    return { rows: [], rowCount: 0 }
  }
  await read({ query, exec: sql.exec })
  return plans.join('\n')
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`
  return typeof value === 'number' ? String(value) : value === null ? 'null' : `'${String(value)}'`
}

const modes = ['force_custom_plan', 'force_generic_plan'] as const

const page = (status: ActorStatus | undefined) => (to: Queryable) =>
  findActors(to, { prefix: 'task:', status, after: '', limit: 1000 })
const versions = new Map([['task', 2]])

const readers = {
  'a page of those that live': page('active'),
  'a page of those that are quarantined': page('quarantined'),
  'the count of those that are quarantined': countQuarantined,
  'those of these shards that are quarantined': (to: Queryable) => quarantinedActors(to, [1, 2]),
  'those that an older version wrote': (to: Queryable) => outdatedActors(to, { shards: [1, 2], versions, limit: 100 }),
} as const

test('a page of those that live needs no statistics: the embedded store seldom makes any', async () => {
  for (const mode of modes) expect(await planOf(mode, page('active'))).toContain('actor_live')
})

describe('once the store has statistics', () => {
  beforeAll(() => sql.exec('analyze actor'))

  for (const [name, read] of Object.entries(readers))
    for (const mode of modes)
      test(`${name}: the rows of ended actors are not read (${mode})`, async () => {
        expect(await planOf(mode, read)).toContain('actor_live')
      })
})

test('a page of those that ended, or of all, is read in the order of addresses', async () => {
  for (const status of ['done', undefined] as const) expect(await planOf('auto', page(status))).toContain('actor_pkey')
  const ofStatus = async (status: ActorStatus | undefined): Promise<readonly string[]> =>
    (await findActors(sql, { prefix: 'task:1', status, after: 'task:1000', limit: 2 })).map(({ address }) => address)
  expect(await ofStatus(undefined)).toEqual(['task:10000', 'task:10001'])
  expect(await ofStatus('active')).toEqual(['task:10000', 'task:1200'])
  expect(await ofStatus('done')).toEqual(['task:10001', 'task:10002'])
  expect(await ofStatus('quarantined')).toEqual([])
})
