import type { ActorAddress, ActorKind } from '../../../machines/definition.ts'
import { commitBegin, namedLine, searchWords } from '../../../machines/why/search.ts'
import { partsOf } from '../../listings.ts'
import type { Queryable } from '../sql.ts'
import type { FindQuery, Found, Tally } from '../../runtime.ts'
import { lastCharacter, ofStatus, type ActorQuery } from './actor-query.ts'

/** Addresses that begin with the prefix, in byte order, behind `after`. */
export async function listActors(
  sql: Queryable,
  { prefix, status, after, limit }: ActorQuery,
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select address from actor where address > $1 and address >= $2 and address < $3${ofStatus[status ?? 'any']} order by address limit $4::int`,
    [after, prefix, `${prefix}${lastCharacter}`, limit],
  )
  return rows.map((row) => row.address)
}

/** The newest first, of those that are listed. */
export async function endedActors(
  sql: Queryable,
  kind: ActorKind,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select address from listing where ended_at >= $3::bigint and address >= $1 and address < $2
      order by ended_at desc, address limit $4::int`,
    [`${kind}:`, `${kind};`, since, limit],
  )
  return rows.map(({ address }) => address)
}

/** More are not counted: a word of one letter is in nearly all of them. */
const mostCounted = 1000

type Param = (value: unknown, type?: string) => string

/** Kinds that list nothing are found by address and state alone. */
interface ListedQuery extends FindQuery {
  readonly isListed: boolean
}

/** A page; with the first one, how many there are on all of them. */
export async function findListed(sql: Queryable, kind: ActorKind, query: ListedQuery): Promise<Omit<Found, 'views'>> {
  const found = await findPage(sql, kind, query)
  if (query.after !== undefined) return { total: 0, found }
  if (found.length < query.limit) return { total: found.length, found }
  const params: unknown[] = []
  const all = allOf(kind, query, (value, type = 'text') => `$${params.push(value)}::${type}`)
  const { rows } = await sql.query<{ total: number }>(
    `select count(*) as total from (select from ${all} limit ${mostCounted}) x`,
    params,
  )
  return { total: rows[0]?.total ?? 0, found }
}

async function findPage(sql: Queryable, kind: ActorKind, query: ListedQuery): Promise<Found['found']> {
  const params: unknown[] = []
  const param: Param = (value, type = 'text') => `$${params.push(value)}::${type}`
  const all = allOf(kind, query, param)
  const { after, order, limit } = query
  const isBehind =
    after === undefined
      ? ''
      : order === 'newest'
        ? ` and (-a.updated_at, a.address) > (${param(-after.updatedAt, 'bigint')}, ${param(after.address)})`
        : ` and address > ${param(after.address)}`
  const { rows } = await sql.query<Found['found'][number]>(
    `select address, ${order === 'newest' ? 'a.updated_at' : '0'} as "updatedAt" from ${all}${isBehind}
      order by ${order === 'newest' ? '-a.updated_at, ' : ''}address limit ${param(limit, 'int')}`,
    params,
  )
  return rows
}

/** What is asked for, of the one table that knows it, and of both only where it must be. */
function allOf(kind: ActorKind, query: ListedQuery, param: Param): string {
  const { isListed, status, path = '', texts = {}, restsSince, order } = query
  const searched = searchWords(query.text ?? '')
  const has = (of: string, part: string): string => `${of} like ${param(`%${escaped(part)}%`)}`
  const named = Object.entries(texts).filter(([, word]) => word !== '')
  const byWords = isListed && (searched.length > 0 || named.length > 0)
  const byActor = !byWords || path !== '' || restsSince !== undefined || order !== undefined || status === 'quarantined'
  const conditions = [
    `address >= ${param(`${kind}:`)} and address < ${param(`${kind};`)}`,
    ...(byActor ? [`true${ofStatus[status ?? 'any']}`] : []),
    ...(byWords && status !== undefined ? [`l.ended_at is ${status === 'done' ? 'not null' : 'null'}`] : []),
    ...searched.map((word) => {
      const begin = byWords ? commitBegin(word) : undefined
      const inWords = has(byWords ? 'l.words' : 'lower(address)', word)
      return begin === undefined ? inWords : `(${inWords} or ${has('l.named', begin)})`
    }),
    ...named.map(([name, word]) => (byWords ? has('l.named', namedLine(name, word)) : 'false')),
    ...(path === '' ? [] : [has(`'.' || replace(lower(a.path), ' ', '. .') || '.'`, partsOf(path))]),
    ...(restsSince === undefined ? [] : [`a.updated_at <= ${param(restsSince, 'bigint')}`]),
  ]
  const from = [byWords ? 'listing l' : '', byActor ? 'actor a' : ''].filter(Boolean).join(' join ')
  return `${from}${byWords && byActor ? ' using (address)' : ''} where ${conditions.join(' and ')}`
}

/** As `like` takes it, where no character stands for others. */
function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}

interface UnlistedQuery {
  /** By kind, the version of what this code lists. */
  readonly versions: ReadonlyMap<string, number>
  readonly after: string
  readonly limit: number
}

/** Actors of which nothing is listed, or by an older version. */
export async function unlistedActors(
  sql: Queryable,
  { versions, after, limit }: UnlistedQuery,
): Promise<readonly ActorAddress[]> {
  const { rows } = await sql.query<{ address: ActorAddress }>(
    `select a.address from actor a join unnest($1::text[], $2::int[]) as r(kind, version) on a.kind = r.kind
      left join listing l on l.address = a.address
      where a.address > $3 and a.status <> 'quarantined' and (l.version is null or l.version < r.version)
      order by a.address limit $4::int`,
    [[...versions.keys()], [...versions.values()], after, limit],
  )
  return rows.map(({ address }) => address)
}

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
