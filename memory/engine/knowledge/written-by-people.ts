/**
 * What people wrote: notes on entities, and asserted edges. Entities and edges of an engine come and go with its
 * memories; these rows stay, and are shown wherever their entities are (ENTITIES-11, EDGES-8).
 */
import type { Queryable } from '../../../runtime/store/sql.ts'

/** Stores what a patch leaves; a field that it does not name stays. */
export async function writeNote(
  tx: Queryable,
  entityId: string,
  { metadata, description }: { readonly metadata?: Readonly<Record<string, string>>; readonly description?: string },
): Promise<void> {
  await tx.query(
    `insert into knowledge_note as n (entity_id, metadata, description) values ($1, coalesce($2::jsonb, '{}'), $3::text)
    on conflict (entity_id) do update set metadata = coalesce($2::jsonb, n.metadata),
      description = coalesce(excluded.description, n.description)`,
    [entityId, metadata === undefined ? null : JSON.stringify(metadata), description ?? null],
  )
}

/** Stores an edge of `knowledge_edge` as somebody's word. */
export async function writeAssertion(tx: Queryable, edgeId: string): Promise<void> {
  await tx.query(
    `insert into knowledge_assertion as a (edge_id, from_id, to_id, relation, description, metadata)
    select id, from_id, to_id, relation, description, metadata from knowledge_edge where id = $1
    on conflict (edge_id) do update set description = excluded.description, metadata = excluded.metadata`,
    [edgeId],
  )
}

/**
 * Assertions that come back with these entities, locked: of two transactions that bring one end each, the later one
 * sees both ends.
 */
export async function lockAbsentAssertions(tx: Queryable, entityIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select edge_id as id from knowledge_assertion a
    where (from_id = any($1::uuid[]) or to_id = any($1::uuid[]))
      and not exists (select from knowledge_edge k where k.id = a.edge_id)
    order by edge_id for update`,
    [entityIds],
  )
  return rows.map((row) => row.id)
}

/** Writes notes on entities that an engine has made anew, and brings back the assertions whose ends are both there. */
export async function restoreWritten(
  tx: Queryable,
  entityIds: readonly string[],
  assertions: readonly string[],
): Promise<void> {
  await tx.query(
    `update knowledge_entity e set metadata = n.metadata, description = coalesce(n.description, e.description),
      is_described = n.description is not null
    from knowledge_note n where n.entity_id = e.id and e.id = any($1::uuid[])
      and (e.metadata <> n.metadata or e.is_described <> (n.description is not null))`,
    [entityIds],
  )
  if (assertions.length === 0) return
  await tx.query(
    `insert into knowledge_edge (id, from_id, to_id, relation, description, tier, metadata, is_asserted)
    select a.edge_id, a.from_id, a.to_id, a.relation, a.description, 'EXTRACTED', a.metadata, true
    from knowledge_assertion a join knowledge_entity f on f.id = a.from_id join knowledge_entity t on t.id = a.to_id
    where a.edge_id = any($1::uuid[]) order by a.edge_id for key share of f, t
    on conflict (id) do nothing`,
    [assertions],
  )
}
