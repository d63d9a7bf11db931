import { SqlError } from '../sql-error.ts'
import type { Sql } from '../sql.ts'

/**
 * Lets the server find a part of a listed text without reading each row, by trigrams. True: the index is there. It is no part of
 * the schema: the embedded store has no trigrams, and a role may lack the right to bring them. A search then reads what it
 * read before, and finds the same.
 */
export async function indexSearch(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ isThere: boolean }>(
    `select to_regclass('listing_search') is not null as "isThere" from pg_available_extensions where name = 'pg_trgm'`,
    [],
  )
  const [known] = rows
  if (known === undefined || known.isThere) return known !== undefined
  try {
    // Steps that list something wait while it is made: about 2 s for 100,000 rows. Larger ones are made by hand.
    await sql.tx((tx) =>
      tx.exec(`set local lock_timeout = '5s'; set local statement_timeout = '10s';
        create extension if not exists pg_trgm;
        create index if not exists listing_search on listing using gin (words gin_trgm_ops, named gin_trgm_ops)`),
    )
    return true
  } catch (error) {
    if (error instanceof SqlError) return false
    throw error
  }
}
