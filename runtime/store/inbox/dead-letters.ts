import type { DeadLetterRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'

export type StoredDeadLetter = DeadLetterRow & { readonly id: number }

/** Events that changed nothing and should be looked at, newest first; `before`: older than this one. */
export async function listDeadLetters(
  sql: Queryable,
  actor: string | undefined,
  limit: number,
  before?: number,
): Promise<readonly StoredDeadLetter[]> {
  const { rows } = await sql.query<StoredDeadLetter>(
    `select id, actor, key, body, reason, at from dead_letter where ($1::text is null or actor = $1) and ($3::bigint is null or id < $3::bigint)
      order by id desc limit $2::int`,
    [actor ?? null, limit, before ?? null],
  )
  return rows
}

export async function findDeadLetter(sql: Queryable, id: number): Promise<StoredDeadLetter | undefined> {
  const { rows } = await sql.query<StoredDeadLetter>(
    'select id, actor, key, body, reason, at from dead_letter where id = $1::bigint',
    [id],
  )
  return rows[0]
}

export async function removeDeadLetter(sql: Queryable, id: number): Promise<void> {
  await sql.query('delete from dead_letter where id = $1::bigint', [id])
}
