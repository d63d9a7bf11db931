import type { Queryable } from '../../../runtime/store/sql.ts'
import { edgeIdOf, entityIdOf } from './ids.ts'
import { lockAbsentAssertions, restoreWritten } from './written-by-people.ts'

export interface FoundEntity {
  readonly memoryId: string
  /** What makes two names one. */
  readonly key: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly mentions: number
}

export interface FoundEdge {
  readonly memoryId: string
  readonly fromKey: string
  readonly toKey: string
  readonly relation: string
  readonly description: string
  readonly tier: 'EXTRACTED' | 'INFERRED' | 'AMBIGUOUS'
  readonly mentions: number
}

/**
 * An entity keeps the name and type under which it was found first; the longer description stays, people's above all.
 * One that comes again has what people wrote on it.
 */
export async function addEntities(tx: Queryable, found: readonly FoundEntity[]): Promise<void> {
  if (found.length === 0) return
  const entities = [...new Map(found.map((one) => [one.key, one])).values()].toSorted(byKey)
  const ids = entities.map((one) => entityIdOf(one.key))
  const assertions = await lockAbsentAssertions(tx, ids)
  await tx.query(
    `insert into knowledge_entity as e (id, key, name, type, description)
    select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
    on conflict (key) do update set description = excluded.description
      where not e.is_described and length(excluded.description) > length(e.description)`,
    [
      ids,
      entities.map((one) => one.key),
      entities.map((one) => one.name),
      entities.map((one) => one.type),
      entities.map((one) => one.description),
    ],
  )
  await restoreWritten(tx, ids, assertions)
  await tx.query(
    `insert into knowledge_entity_source (memory_id, entity_id, mentions)
    select memory, entity, sum(mentions) from unnest($1::text[], $2::uuid[], $3::int[]) as u (memory, entity, mentions)
    group by memory, entity on conflict (memory_id, entity_id) do update set mentions = excluded.mentions`,
    [found.map((one) => one.memoryId), found.map((one) => entityIdOf(one.key)), found.map((one) => one.mentions)],
  )
  await countMemories(tx, ids)
}

/** Both ends must have been added. */
export async function addEdges(tx: Queryable, found: readonly FoundEdge[]): Promise<void> {
  if (found.length === 0) return
  const rows = found.map((one) => {
    const [from, to] = [entityIdOf(one.fromKey), entityIdOf(one.toKey)]
    return { ...one, from, to, id: edgeIdOf(from, to, one.relation) }
  })
  const edges = [...new Map(rows.map((one) => [one.id, one])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await tx.query(
    `insert into knowledge_edge as e (id, from_id, to_id, relation, description, tier)
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[])
    on conflict (id) do update set description = excluded.description
      where not e.is_asserted and length(excluded.description) > length(e.description)`,
    [
      edges.map((one) => one.id),
      edges.map((one) => one.from),
      edges.map((one) => one.to),
      edges.map((one) => one.relation),
      edges.map((one) => one.description),
      edges.map((one) => one.tier),
    ],
  )
  await tx.query(
    `insert into knowledge_edge_source (memory_id, edge_id, mentions)
    select memory, edge, sum(mentions) from unnest($1::text[], $2::uuid[], $3::int[]) as u (memory, edge, mentions)
    group by memory, edge on conflict (memory_id, edge_id) do update set mentions = excluded.mentions`,
    [rows.map((one) => one.memoryId), rows.map((one) => one.id), rows.map((one) => one.mentions)],
  )
  await weighEdges(
    tx,
    edges.map((one) => one.id),
  )
}

/** An edge weighs what its memories say, and at least one when a caller said it. */
export async function weighEdges(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update knowledge_edge e set memories = said.memories,
      weight = greatest(said.mentions, case when e.is_asserted then 1 else 0 end)
    from unnest($1::uuid[]) as u (id)
    cross join lateral (select count(*) as memories, coalesce(sum(mentions), 0) as mentions
      from knowledge_edge_source where edge_id = u.id) said
    where e.id = u.id`,
    [ids],
  )
}

export async function countMemories(tx: Queryable, entityIds: readonly string[]): Promise<void> {
  await tx.query(
    `update knowledge_entity e set memories = said.memories from unnest($1::uuid[]) as u (id)
    cross join lateral (select count(*) as memories from knowledge_entity_source where entity_id = u.id) said
    where e.id = u.id`,
    [entityIds],
  )
}

function byKey(a: FoundEntity, b: FoundEntity): number {
  return a.key < b.key ? -1 : 1
}
