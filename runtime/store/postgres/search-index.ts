import { silentLogger, type Logger } from '../../logger.ts'
import { SqlError } from '../sql-error.ts'
import type { Sql } from '../sql.ts'

const without =
  'there is no index listing_search: a search of the inspector reads each actor of a kind. docs/operating.md, Stores, has the statement that makes it'

/**
 * Lets the server find a part of a listed text without reading each row, by trigrams. True: the index is there. It is no part of
 * the schema: the embedded store has no trigrams, and a role may lack the right to bring them. A search then reads what it
 * read before, and finds the same; a warning says so.
 */
export async function indexSearch(sql: Sql, logger: Logger = silentLogger): Promise<boolean> {
  const known = await readIndex(sql)
  if (known?.isThere === true) return true
  const goOnWithout = (reason: string): false => {
    logger.warn({ reason }, without)
    return false
  }
  if (known === undefined) return goOnWithout('the server does not offer pg_trgm')
  try {
    // Steps that list something wait while it is made: about 2 s for 100,000 rows. Larger ones are made by hand.
    await sql.tx((tx) =>
      tx.exec(`set local lock_timeout = '5s'; set local statement_timeout = '10s';
        create extension if not exists pg_trgm;
        create index if not exists listing_search on listing using gin (words gin_trgm_ops, named gin_trgm_ops)`),
    )
    return true
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    // Another process that started with this one may have made it.
    return (await readIndex(sql))?.isThere === true || goOnWithout(error.message)
  }
}

/** Undefined: the server has no trigrams. */
async function readIndex(sql: Sql): Promise<{ readonly isThere: boolean } | undefined> {
  const { rows } = await sql.query<{ isThere: boolean }>(
    `select to_regclass('listing_search') is not null as "isThere" from pg_available_extensions where name = 'pg_trgm'`,
    [],
  )
  return rows[0]
}
