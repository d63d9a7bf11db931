import type { Queryable } from '../../../../runtime/store/sql.ts'
import { columnOf } from './places.ts'
import type { SubjectKey } from '../facts/records.ts'

/** How far one list of a repository is read. */
interface History {
  /** The forge's own word for the next page; absent before the first. */
  readonly next?: string
  readonly done: boolean
}

type HistoryKey = Omit<SubjectKey, 'number'>

export async function loadHistory(sql: Queryable, key: HistoryKey): Promise<History> {
  const { rows } = await sql.query<{ next: string | null; done: boolean }>(
    'select next, done from forge_history where project = $1 and repository = $2 and sort = $3',
    [key.project, columnOf(key), key.kind],
  )
  const [row] = rows
  return { done: row?.done === true, ...(row?.next ? { next: row.next } : {}) }
}

export async function saveHistory(sql: Queryable, key: HistoryKey, { next, done }: History): Promise<void> {
  await sql.query(
    `insert into forge_history (project, repository, sort, next, done) values ($1, $2, $3, $4, $5)
     on conflict (project, repository, sort) do update set next = excluded.next, done = excluded.done`,
    [key.project, columnOf(key), key.kind, next ?? null, done],
  )
}
