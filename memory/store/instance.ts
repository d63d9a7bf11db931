import type { Queryable } from '../../runtime/store/sql.ts'

/** The id of this database, which it gets when somebody first asks. A rebuild finds the same one. */
export async function instanceOf(sql: Queryable): Promise<string> {
  await sql.query('insert into memory_instance default values on conflict do nothing')
  const { rows } = await sql.query<{ id: string }>('select id from memory_instance')
  return rows[0]!.id
}
