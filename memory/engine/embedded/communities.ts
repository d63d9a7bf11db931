import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { communities } from '../../communities/communities.ts'
import { linkedGraph } from '../../communities/links.ts'

/** Read, partitioned and written at once; the strongest ties of a larger graph decide its communities. */
const mostTies = 200_000
/** Until the index has changed by so much of itself, communities are told as they were. */
const staleAfter = 0.2
/** One index, one partition. */
const seed = 0

interface IndexRow {
  readonly version: number
  readonly communities_of: number
}

interface TieRow {
  readonly from: string
  readonly to: string
  readonly weight: number
}

/** Brings the communities up to the index; one call at a time does the work, the others wait for it. */
export function createCommunities(sql: Sql): { refresh(): Promise<void> } {
  let underway: Promise<void> | undefined
  return {
    refresh() {
      underway ??= refresh(sql).finally(() => (underway = undefined))
      return underway
    },
  }
}

async function refresh(sql: Sql): Promise<void> {
  const { rows } = await sql.query<IndexRow>('select version, communities_of from engine_index')
  const { version, communities_of: of } = rows[0]!
  if (version === of || (of > 0 && version - of <= Math.floor(of * staleAfter))) return
  const ties = await sql.query<TieRow>(
    `select from_id as "from", to_id as "to", weight from knowledge_edge where from_id <> to_id
    order by weight desc, id limit ${mostTies}`,
  )
  await sql.tx((tx) => store(tx, membersOf(ties.rows), version))
}

interface Member {
  readonly id: string
  readonly community: number
  readonly centrality: number
}

/** The order of ids, not of rows: one graph gives one partition. */
function membersOf(rows: readonly TieRow[]): Member[] {
  const ids = [...new Set(rows.flatMap((row) => [row.from, row.to]))].toSorted()
  const numbers = new Map(ids.map((id, at) => [id, at]))
  const ordered = rows.toSorted((a, b) => compare(a.from, b.from) || compare(a.to, b.to))
  const from = Int32Array.from(ordered, (row) => numbers.get(row.from)!)
  const to = Int32Array.from(ordered, (row) => numbers.get(row.to)!)
  const weight = Float64Array.from(ordered, (row) => row.weight)
  const { communityOf: community } = communities(linkedGraph({ nodes: ids.length, from, to, weight }), seed)
  const within = new Float64Array(ids.length)
  const strongest = new Float64Array(ids.length)
  for (let at = 0; at < from.length; at++) {
    const [one, other] = [from[at]!, to[at]!]
    if (community[one] !== community[other]) continue
    within[one]! += weight[at]!
    within[other]! += weight[at]!
  }
  for (const [node, sum] of within.entries()) strongest[community[node]!] = Math.max(strongest[community[node]!]!, sum)
  return ids.map((id, node) => {
    const number = community[node]!
    return { id, community: number, centrality: strongest[number]! > 0 ? within[node]! / strongest[number]! : 0 }
  })
}

async function store(tx: Queryable, members: readonly Member[], version: number): Promise<void> {
  await tx.query('select from engine_index for update')
  await tx.exec('delete from engine_community')
  // An entity that went meanwhile is nobody's member.
  await tx.query(
    `insert into engine_community (entity_id, community, centrality)
    select u.id, u.community, u.centrality from unnest($1::uuid[], $2::int[], $3::float8[]) as u (id, community, centrality)
    join knowledge_entity e on e.id = u.id`,
    [members.map((one) => one.id), members.map((one) => one.community), members.map((one) => one.centrality)],
  )
  await tx.query('update engine_index set communities_of = $1', [version])
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
