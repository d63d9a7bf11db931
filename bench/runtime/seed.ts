/**
 * Actors in numbers, by SQL: one is made by the runtime, and its rows, in whatever tables they are, are copied under
 * other addresses. So the bench knows no columns but the addresses and shards.
 */
import pg from 'pg'
import { shardOf } from '../../runtime/address.ts'
import { runtimeDefaults } from '../../runtime/options.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { actorOf, openActors, startOwnRuntime } from './contenders/own-runtime.ts'

const rowsAtOnce = 20_000
const original = actorOf(0)

/** A year: nothing in a bench waits for it. */
const farMs = 365 * 24 * 60 * 60 * 1000

/** A migrated database with so many actors, and so many timers that are due in a year. */
export async function seed(url: string, actors: number, timers = 0): Promise<void> {
  await makeOriginal(url, timers > 0)
  const client = new pg.Client(url)
  await client.connect()
  await client.query('set synchronous_commit = off')
  for (const table of await tablesOf(client)) {
    if (table.name !== 'timer') await copy(client, table, { from: 1, to: actors, id: actorOf })
    else if (timers > 0) await copy(client, table, { from: 0, to: timers, id: (index) => `task:far-${index}` })
  }
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

async function makeOriginal(url: string, armed: boolean): Promise<void> {
  const sql = await openPgSql({ url })
  await migrate(sql)
  const runtime = await startOwnRuntime(sql, async () => [])
  await openActors(runtime, 0, 1)
  const event = { type: 'alarm.armed', at: Date.now(), id: 'far', delayMs: farMs }
  if (armed) await runtime.deliver({ to: original, key: 'far', event })
  await runtime.stop()
  await sql.close()
}

interface Table {
  readonly name: string
  /** The column that holds the actor's address. */
  readonly key: string
  readonly columns: readonly string[]
}

async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select table_name as name, array_agg(column_name::text) as columns,
       min(column_name::text) filter (where column_name in ('address', 'actor')) as key
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE'
     group by 1 having count(*) filter (where column_name in ('address', 'actor')) > 0`,
  )
  return rows
}

interface Copies {
  readonly from: number
  readonly to: number
  readonly id: (index: number) => string
}

async function copy(client: pg.Client, { name, key, columns }: Table, { from, to, id }: Copies): Promise<void> {
  const given: Readonly<Record<string, string>> = { [key]: 'given.address', shard: 'given.shard' }
  const text = `insert into ${name} (${columns.join(', ')})
    select ${columns.map((column) => given[column] ?? `original.${column}`).join(', ')}
    from (select * from ${name} where ${key} = $1) as original, unnest($2::text[], $3::int[]) as given (address, shard)`
  for (let first = from; first < to; first += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, to - first)
    const ids = Array.from({ length: count }, (_, offset) => id(first + offset))
    const shards = ids.map((address) => shardOf(address, runtimeDefaults.shards))
    await client.query(text, [original, ids, shards])
  }
}
