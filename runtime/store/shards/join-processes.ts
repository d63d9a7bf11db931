import type { Queryable } from '../sql.ts'

/**
 * Enters this process among the living and gives its incarnation. `replace`: an earlier life under the same name is
 * over, and finds out at its next beat; without, a living one of the same name is left alone and nothing is given.
 */
export async function joinProcesses(
  sql: Queryable,
  owner: string,
  options: { readonly replace: boolean },
): Promise<number | undefined> {
  const clash = options.replace ? 'do update set incarnation = excluded.incarnation, beat = 0' : 'do nothing'
  const { rows } = await sql.query<{ incarnation: number }>(
    `insert into process (owner, incarnation, beat) values ($1, nextval('process_incarnation'), 0)
      on conflict (owner) ${clash} returning incarnation`,
    [owner],
  )
  return rows[0]?.incarnation
}
