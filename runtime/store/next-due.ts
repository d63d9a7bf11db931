import type { Queryable } from './sql.ts'

/** When the next timer of these shards after this time falls due. */
export async function nextDue(
  sql: Queryable,
  query: { readonly shards: readonly number[]; readonly after: number },
): Promise<number | undefined> {
  const { rows } = await sql.query<{ dueAt: number | null }>(
    `select (select t.due_at from timer t where t.due_at > $1::bigint and t.shard = any($2::int[]) order by t.due_at limit 1) as "dueAt"`,
    [query.after, query.shards],
  )
  return rows[0]?.dueAt ?? undefined
}
