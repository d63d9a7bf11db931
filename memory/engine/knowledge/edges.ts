import { invalidInput } from '../../../http/problems/problem.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import { isUuid } from './entities.ts'
import { edgeIdOf } from './ids.ts'
import { writeAssertion } from './written-by-people.ts'

export interface EdgeRow {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly description: string
  readonly weight: number
  readonly tier: 'EXTRACTED' | 'INFERRED' | 'AMBIGUOUS'
  readonly metadata: Readonly<Record<string, string>>
}

export interface EdgeFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly relation?: string | undefined
}

export interface EdgeDraft {
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
}

const mostKeys = 64
const columns = `id, from_id as "from", to_id as "to", relation, description, weight, tier, metadata`

/** In the order of their ids, which tells nothing and never changes. */
export async function listEdges(
  sql: Queryable,
  { from, to, relation }: EdgeFilter,
  limit: number,
  after?: string,
): Promise<readonly EdgeRow[]> {
  if (![from, to].every((id) => id === undefined || isUuid(id))) return []
  const { rows } = await sql.query<EdgeRow>(
    `select ${columns} from knowledge_edge
    where ($1::uuid is null or from_id = $1) and ($2::uuid is null or to_id = $2) and ($3::text is null or relation = $3)
      and ($4::uuid is null or id > $4) order by id limit $5`,
    [from ?? null, to ?? null, relation ?? null, after ?? null, limit],
  )
  return rows
}

/**
 * Undefined: an end is unknown. The same edge again is the one that is there, and now somebody's word as well: with the
 * new description where one is given, and with the new metadata beside what it has (EDGES-5).
 *
 * @throws Problem `invalid-input` when that leaves too many keys
 */
export async function assertEdge(
  tx: Queryable,
  draft: EdgeDraft,
): Promise<{ readonly edge: EdgeRow; readonly isNew: boolean } | undefined> {
  const { from, to, relation, description, metadata } = draft
  if (!isUuid(from) || !isUuid(to)) return undefined
  // Held, so that neither end can go before the edge is there.
  const ends = await tx.query('select id from knowledge_entity where id in ($1, $2) order by id for key share', [
    from,
    to,
  ])
  if (ends.rowCount < new Set([from.toLowerCase(), to.toLowerCase()]).size) return undefined
  const id = edgeIdOf(from.toLowerCase(), to.toLowerCase(), relation)
  const { rows } = await tx.query<EdgeRow & { isNew: boolean }>(
    `insert into knowledge_edge as e (id, from_id, to_id, relation, description, tier, metadata, is_asserted)
    values ($1, $2, $3, $4, $5, 'EXTRACTED', $6, true)
    on conflict (id) do update set is_asserted = true, tier = excluded.tier, metadata = e.metadata || excluded.metadata,
      description = coalesce(nullif(excluded.description, ''), e.description)
    returning ${columns}, xmax = 0 as "isNew"`,
    [id, from, to, relation, description, JSON.stringify(metadata)],
  )
  const { isNew, ...edge } = rows[0]!
  if (Object.keys(edge.metadata).length > mostKeys)
    throw invalidInput([{ path: '/metadata', message: `leaves more than ${mostKeys} keys` }])
  await writeAssertion(tx, id)
  return { edge, isNew }
}

/** Whether it was there. One that memories tell comes back when a memory tells it again. */
export async function deleteEdge(sql: Queryable, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const { rowCount } = await sql.query(
    `with word as (delete from knowledge_assertion where edge_id = $1 returning edge_id),
      edge as (delete from knowledge_edge where id = $1 returning id)
    select from edge union all select from word`,
    [id],
  )
  return rowCount > 0
}
