import type { Queryable } from '../../../runtime/store/sql.ts'
import { isUuid } from './entities.ts'
import { edgeIdOf } from './ids.ts'

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

/** Undefined: an end is unknown. The same edge again is the one that is there, and now somebody's word as well. */
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
  const made = await tx.query<EdgeRow>(
    `insert into knowledge_edge (id, from_id, to_id, relation, description, tier, metadata, is_asserted)
    values ($1, $2, $3, $4, $5, 'EXTRACTED', $6, true) on conflict (id) do nothing returning ${columns}`,
    [id, from, to, relation, description, JSON.stringify(metadata)],
  )
  if (made.rows[0]) return { edge: made.rows[0], isNew: true }
  const known = await tx.query<EdgeRow>(
    `update knowledge_edge set is_asserted = true where id = $1 returning ${columns}`,
    [id],
  )
  return { edge: known.rows[0]!, isNew: false }
}

/** Whether it was there. One that memories tell comes back when a memory tells it again. */
export async function deleteEdge(sql: Queryable, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  return (await sql.query('delete from knowledge_edge where id = $1', [id])).rowCount > 0
}
