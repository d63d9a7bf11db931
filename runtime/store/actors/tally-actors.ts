import type { Tally } from '../../runtime.ts'
import type { Queryable } from '../sql.ts'

/** Of each kind; a choice of a person adds up several. */
const mostPaths = 2000

/** Of each text of each kind: a person chooses among fewer. */
const mostWords = 200

/**
 * Reads every row of both tables: about half a second for 100,000 actors. Each text of each kind has a bound of its own, because
 * authors are far more than Projects. Of equal counts the first by name are in, so that two readings answer the same.
 */
export async function tallyActors(sql: Queryable, texts: readonly string[]): Promise<Tally> {
  const [states, words] = await Promise.all([
    sql.query<Tally['states'][number]>(
      `select kind, path, count from (
          select kind, path, count(*)::int as count,
              row_number() over (partition by kind order by count(*) desc, path collate "C") as place
            from actor group by kind, path
        ) counted where place <= $1::int order by kind, place`,
      [mostPaths],
    ),
    sql.query<Tally['words'][number]>(
      `select kind, name, word, count from (
          select kind, name, word, count(*)::int as count,
              row_number() over (partition by kind, name order by count(*) desc, word collate "C") as place
            from (
              select split_part(address, ':', 1) as kind, split_part(line, '=', 1) as name,
                  substr(line, strpos(line, '=') + 1) as word
                from listing, unnest(string_to_array(named, e'\\n')) line
            ) lines where name = any($1::text[]) group by kind, name, word
        ) counted where place <= $2::int order by kind, name, place`,
      [texts, mostWords],
    ),
  ])
  return { states: states.rows, words: words.rows }
}
