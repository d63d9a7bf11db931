/** What the cuts fall into, and what must hold of whatever a cut left. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { event, harness, task } from '../../../contract/harness.ts'
import { migrate } from '../../migrate.ts'
import { openPglite } from '../../pglite/pglite-session.ts'
import { sessionSql } from '../../session-sql.ts'
import type { Queryable, Sql } from '../../sql.ts'
import { idleDisk } from '../disk.ts'
import { recordedFolder, type FileOp } from './recorded-folder.ts'
import { SyncedFolder } from '../synced-folder.ts'

/** What was acknowledged: the ledger's newest commit, or the key of an event. `begun` is asked for and not answered yet. */
export type Note = { readonly ledger: number } | { readonly key: string } | { readonly begun: number }

const database = 'db'
const entriesPerCommit = 3
const actors = 4

/** Runs the workload on a folder of its own below `root` and gives back everything that was done to the files. */
export async function recordWorkload(root: string): Promise<FileOp[]> {
  mkdirSync(root, { recursive: true })
  const log: FileOp[] = []
  const sql = sessionSql(await openPglite(recordedFolder(join(root, database), log)), 'power-loss')
  const note = (fact: Note): void => void log.push({ what: 'note', note: fact })
  const ledger = newLedger(sql, note)
  await ledger.begin()
  await ledger.commit(4)
  await migrate(sql)
  await deliverSome(sql, note, 'first')
  await sql.exec('checkpoint')
  await ledger.commit(4)
  await growTable(sql)
  await ledger.commit(2)
  await sql.exec('vacuum bulk')
  await sql.query('select pg_switch_wal()')
  await ledger.commit(3)
  await deliverSome(sql, note, 'second')
  await sql.exec('checkpoint')
  await sql.exec('truncate bulk; drop table bulk; create index entry_body on entry (body)')
  await ledger.commit(4)
  await sql.exec('checkpoint')
  await ledger.commit(2)
  await sql.close()
  return log
}

interface Ledger {
  begin(): Promise<void>
  commit(times: number): Promise<void>
}

/** One commit: a row of the ledger and its entries, of which half would be told. */
function newLedger(sql: Sql, note: (fact: Note) => void): Ledger {
  let last = 0

  async function write(tx: Queryable, n: number): Promise<void> {
    await tx.query('insert into ledger values ($1)', [n])
    for (let e = 1; e <= entriesPerCommit; e++)
      await tx.query('insert into entry values ($1, $2, $3)', [n, e, `${n}/${e} `.repeat(50)])
    await tx.query('update total set n = $1', [n])
  }

  return {
    begin: () =>
      sql.exec(`create table ledger (n int primary key); create table entry (n int, e int, body text, primary key (n, e));
      create table total (n int); insert into total values (0)`),
    async commit(times) {
      for (let i = 0; i < times; i++) {
        const n = ++last
        note({ begun: n })
        await sql.tx((tx) => write(tx, n))
        note({ ledger: n })
      }
    },
  }
}

async function growTable(sql: Sql): Promise<void> {
  await sql.exec('create table bulk (n int primary key, body text)')
  await sql.exec('insert into bulk select n, repeat(md5(n::text), 8) from generate_series(1, 4000) n')
  await sql.exec('delete from bulk where n % 2 = 0')
}

async function deliverSome(sql: Sql, note: (fact: Note) => void, name: string): Promise<void> {
  const h = harness(sql)
  const { runtime } = await h.start()
  for (let n = 0; n < 2 * actors; n++) {
    const key = `${name}-${n}`
    await runtime.deliver({ to: task(String(n % actors)), key, event: event('noted', { note: key }) })
    note({ key })
  }
  await runtime.stop()
  await h.end()
}

/** Opens what a cut left below `root`; everything that is wrong with it, or nothing. */
export async function faultsOf(root: string, log: readonly FileOp[]): Promise<readonly string[]> {
  const promised = promisesOf(log)
  const folder = join(root, database)
  if (!existsSync(folder)) return promised.ledger > 0 ? ['the database is gone'] : []
  try {
    const sql = sessionSql(await openPglite(new SyncedFolder(folder, idleDisk)), 'none')
    return await brokenPromises(sql, promised).finally(() => sql.close())
  } catch (error) {
    return [`it does not open or answer: ${String(error)}`]
  }
}

interface Promised {
  ledger: number
  begun: number
  readonly keys: string[]
}

function promisesOf(log: readonly FileOp[]): Promised {
  const promised: Promised = { ledger: 0, begun: 0, keys: [] }
  for (const op of log) {
    if (op.what !== 'note') continue
    const note = op.note as Note
    if ('ledger' in note) promised.ledger = note.ledger
    else if ('begun' in note) promised.begun = note.begun
    else promised.keys.push(note.key)
  }
  return promised
}

async function brokenPromises(sql: Sql, promised: Promised): Promise<readonly string[]> {
  const faults: string[] = []
  if (await hasTable(sql, 'ledger')) faults.push(...(await ledgerFaults(sql, promised)))
  else if (promised.ledger > 0) faults.push('the ledger is gone')
  if (await hasTable(sql, 'event')) faults.push(...(await eventFaults(sql, promised.keys)))
  else if (promised.keys.length > 0) faults.push('the journal is gone')
  await sql.exec('create table afterwards (n int); insert into afterwards values (1); checkpoint')
  return faults
}

async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const { rows } = await sql.query('select 1 from pg_tables where tablename = $1', [name])
  return rows.length > 0
}

async function ledgerFaults(sql: Sql, { ledger, begun }: Promised): Promise<readonly string[]> {
  const faults: string[] = []
  const kept = await sql.query<{ n: number }>('select n from ledger order by n')
  const last = kept.rows.at(-1)?.n ?? 0
  if (last < ledger) faults.push(`ledger ends at ${last}, acknowledged were ${ledger}`)
  if (last > begun) faults.push(`ledger ends at ${last}, begun were ${begun}`)
  if (kept.rows.length !== last) faults.push(`ledger has ${kept.rows.length} rows up to ${last}`)
  for (const way of ['on', 'off']) {
    await sql.exec(`set enable_seqscan = ${way}`)
    const { rows } = await sql.query<{ entries: number; whole: number }>(
      `select count(*) as entries, count(*) filter (where body = repeat(n || '/' || e || ' ', 50)) as whole from entry where n > 0`,
    )
    const { entries, whole } = rows[0] ?? { entries: -1, whole: -1 }
    if (entries !== last * entriesPerCommit || whole !== entries)
      faults.push(`${entries} entries, ${whole} of them whole, for ${last} commits (sequential scans ${way})`)
  }
  const total = await sql.query<{ n: number }>('select n from total')
  if ((total.rows[0]?.n ?? 0) !== last) faults.push(`total says ${total.rows[0]?.n} after ${last}`)
  return faults
}

async function eventFaults(sql: Sql, keys: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql.query<{ key: string }>('select key from event')
  const stored = rows.map((row) => row.key)
  const lost = keys.filter((key) => !stored.includes(key))
  return [
    ...lost.map((key) => `event ${key} was acknowledged and is gone`),
    ...(new Set(stored).size < stored.length ? ['an event was applied twice'] : []),
    ...(await replayFaults(sql)),
  ]
}

async function replayFaults(sql: Sql): Promise<readonly string[]> {
  await migrate(sql)
  const h = harness(sql)
  const { runtime } = await h.start()
  const faults: string[] = []
  for (const actor of await runtime.list('task')) {
    const replay = await runtime.replay(actor.address)
    if (!replay.equal) faults.push(`${actor.address} does not replay: ${replay.firstDifference}`)
  }
  await runtime.stop()
  await h.end()
  return faults
}
