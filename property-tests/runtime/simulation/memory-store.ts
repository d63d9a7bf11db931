/**
 * PGlite in memory, with every statement parsed and planned once: a schedule is a few hundred small statements, and in
 * PGlite parsing them anew is two thirds of what they cost. The same database, the same SQL; only the driver differs.
 */
import { PGlite, types } from '@electric-sql/pglite'
import { migrate } from '../../../runtime/store/migrate.ts'
import { resultParsers } from '../../../runtime/store/result-types.ts'
import { sessionSql } from '../../../runtime/store/session-sql.ts'
import type { Session } from '../../../runtime/store/session-sql.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { RememberedReads } from './remembered-reads.ts'
import { prepareMessage, queryMessage, readAnswer, runner, type Answer, type Column } from './wire.ts'

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

interface Prepared {
  readonly name: string
  readonly columns: readonly Column[]
}

export interface PreparedSession extends Session {
  /** From now on; no other tables than these are ever written, whatever a trigger does to one that nobody reads. */
  rememberReads(tables: readonly string[]): void
}

/** `asks` hears of each statement that the database itself answers. */
export function preparedSession(db: PGlite, asks?: (text: string) => void): PreparedSession {
  const statements = new Map<string, Prepared>()
  const messageOf = runner()
  let remembered: RememberedReads | undefined

  async function send(message: Uint8Array): Promise<Answer> {
    const parts: Buffer[] = []
    const onRawData = (part: Uint8Array): void => void parts.push(Buffer.from(part))
    await db.execProtocolRawStream(message, { syncToFs: false, onRawData })
    const answer = readAnswer(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
    if (answer.error) throw answer.error
    return answer
  }

  async function prepare(text: string): Promise<Prepared> {
    const known = statements.get(text)
    if (known) return known
    const name = `s${statements.size}`
    const { columns } = await send(prepareMessage(name, text))
    const prepared = { name, columns }
    statements.set(text, prepared)
    return prepared
  }

  return {
    async query(text, params) {
      const { name, columns } = await prepare(text)
      const values = params.map(parameter)
      const ask = (): Promise<Answer> => {
        asks?.(text)
        return send(messageOf(name, values))
      }
      const { rows, tag } = await (remembered ? remembered.answer(text, values, ask) : ask())
      return {
        rows: rows.map((fields) => rowOf(columns, fields, db.parsers)),
        rowCount: Math.max(affectedBy(tag), rows.length),
      }
    },
    async exec(text) {
      // Whatever it does, and what a rollback undoes.
      if (text !== 'begin' && text !== 'commit') remembered?.forget()
      await send(queryMessage(text))
    },
    rememberReads: (tables) => void (remembered = new RememberedReads(tables)),
    close: () => db.close(),
  }
}

function parameter(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value)
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : String(value)
}

function rowOf(
  columns: readonly Column[],
  fields: readonly (string | null)[],
  parsers: PGlite['parsers'],
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  columns.forEach(({ name, type }, index) => {
    row[name] = types.parseType(fields[index] ?? null, type, parsers)
  })
  return row
}

/** `INSERT 0 3`, `UPDATE 2`. */
function affectedBy(tag: string): number {
  return Number(/^(?:INSERT \d+|UPDATE|DELETE) (\d+)$/.exec(tag)?.[1] ?? 0)
}
