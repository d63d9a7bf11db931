import type { Queryable } from '../sql.ts'

/** Moves an event that cannot be stepped to the dead letters, without sending its data through the program again. */
export async function buryInbox(
  sql: Queryable,
  letter: { readonly id: number; readonly reason: string; readonly at: number },
): Promise<void> {
  await sql.query(
    `with gone as (delete from inbox where id = $1 returning actor, key, body)
      insert into dead_letter (actor, key, body, reason, at) select actor, key, body, $2, $3::bigint from gone`,
    [letter.id, letter.reason, letter.at],
  )
}
