import type { ActorAddress, ActorKind } from '../../../machines/definition.ts'
import type { Queryable } from '../sql.ts'
import type { FindQuery, Found } from '../../runtime.ts'
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

/** A page, and how many there are on all of them. An actor that is not listed yet is found by its address and its state. */
export async function findListed(sql: Queryable, kind: ActorKind, query: FindQuery): Promise<Omit<Found, 'views'>> {
  const params: unknown[] = []
  const param = (value: unknown, type = 'text'): string => `$${params.push(value)}::${type}`
  const all = `actor a left join listing l on l.address = a.address where ${conditionsOf(kind, query, param).join(' and ')}`
  const { after, order, limit } = query
  const isBehind =
    after === undefined
      ? ''
      : order === 'newest'
        ? ` and (-a.updated_at, a.address) > (${param(-after.updatedAt, 'bigint')}, ${param(after.address)})`
        : ` and a.address > ${param(after.address)}`
  const { rows } = await sql.query<Found['found'][number] & { readonly total: number }>(
    `select a.address, a.updated_at as "updatedAt", (select count(*) from ${all}) as total from ${all}${isBehind}
      order by ${order === 'newest' ? '-a.updated_at, ' : ''}a.address limit ${param(limit, 'int')}`,
    params,
  )
  return { total: rows[0]?.total ?? 0, found: rows.map(({ address, updatedAt }) => ({ address, updatedAt })) }
}

function conditionsOf(
  kind: ActorKind,
  { status, text = '', path = '', texts = {}, restsSince }: FindQuery,
  param: (value: unknown, type?: string) => string,
): readonly string[] {
  const part = (of: string): string => param(`%${escaped(of)}%`)
  const named = Object.entries(texts).filter(([, word]) => word !== '')
  return [
    `a.address >= ${param(`${kind}:`)} and a.address < ${param(`${kind};`)}${ofStatus[status ?? 'any'].replace('status', 'a.status')}`,
    ...(text === ''
      ? []
      : [`(coalesce(l.words, lower(a.address)) like ${part(text)} or lower(a.path) like ${part(text)})`]),
    ...(path === '' ? [] : [`lower(a.path) like ${part(path)}`]),
    ...named.map(
      ([name, word]) => `' ' || lower(l.texts ->> ${param(name)}) || ' ' like ${param(`% ${escaped(word)} %`)}`,
    ),
    ...(restsSince === undefined ? [] : [`a.updated_at <= ${param(restsSince, 'bigint')}`]),
  ]
}

/** As `like` takes it, where no character stands for others. */
function escaped(text: string): string {
  return text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)
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
