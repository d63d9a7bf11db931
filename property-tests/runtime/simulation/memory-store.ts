/**
 * PGlite in memory, with every statement parsed and planned once: a schedule is a few hundred small statements, and in
 * PGlite parsing them anew is two thirds of what they cost. The same database, the same SQL; only the driver differs.
 */
import { PGlite, protocol, types } from '@electric-sql/pglite'
import { migrate } from '../../../runtime/store/migrate.ts'
import { resultParsers } from '../../../runtime/store/result-types.ts'
import { sessionSql } from '../../../runtime/store/session-sql.ts'
import type { Session } from '../../../runtime/store/session-sql.ts'
import type { Sql } from '../../../runtime/store/sql.ts'

const { serialize } = protocol

export async function openMemoryStore(): Promise<Sql> {
  const db = await PGlite.create({ parsers: { ...resultParsers } })
  const store = sessionSql(preparedSession(db), 'none')
  await migrate(store)
  await store.exec(settings)
  return store
}

/**
 * One plan a statement, whatever its parameters: what a schedule sees does not depend on those before it. And no log:
 * here a crash is the process's, never the store's.
 */
const settings = `set plan_cache_mode = force_generic_plan;
  set synchronous_commit = off;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table %I set unlogged', name);
    end loop;
  end $$`

export function preparedSession(db: PGlite): Session {
  const names = new Map<string, string>()

  async function prepare(text: string): Promise<string> {
    const known = names.get(text)
    if (known) return known
    const name = `s${names.size}`
    await db.execProtocol(joined([serialize.parse({ name, text }), serialize.sync()]))
    names.set(text, name)
    return name
  }

  return {
    async query(text, params) {
      const statement = await prepare(text)
      const { messages } = await db.execProtocol(
        joined([
          serialize.bind({ statement, values: params.map(parameter) }),
          serialize.describe({ type: 'P' }),
          serialize.execute({}),
          serialize.sync(),
        ]),
      )
      return resultOf(messages, db.parsers)
    },
    async exec(text) {
      await db.exec(text)
    },
    close: () => db.close(),
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}

function parameter(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value)
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : String(value)
}

interface Column {
  readonly name: string
  readonly dataTypeID: number
}

type Messages = Awaited<ReturnType<PGlite['execProtocol']>>['messages']

function resultOf(messages: Messages, parsers: PGlite['parsers']): Awaited<ReturnType<Session['query']>> {
  let columns: readonly Column[] = []
  let affected = 0
  const rows: object[] = []
  for (const message of messages) {
    if (message instanceof protocol.messages.RowDescriptionMessage) columns = message.fields
    else if (message instanceof protocol.messages.DataRowMessage) rows.push(rowOf(columns, message.fields, parsers))
    else if (message instanceof protocol.messages.CommandCompleteMessage) affected = affectedBy(message.text)
  }
  return { rows, rowCount: Math.max(affected, rows.length) }
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[], parsers: PGlite['parsers']): object {
  return Object.fromEntries(
    columns.map(({ name, dataTypeID }, index) => [name, types.parseType(fields[index] ?? null, dataTypeID, parsers)]),
  )
}

/** `INSERT 0 3`, `UPDATE 2`. */
function affectedBy(tag: string): number {
  return Number(/^(?:INSERT \d+|UPDATE|DELETE) (\d+)$/.exec(tag)?.[1] ?? 0)
}
