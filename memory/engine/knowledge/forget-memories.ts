import type { Queryable } from '../../../runtime/store/sql.ts'
import { countMemories, weighEdges } from './add-knowledge.ts'

/** What memories said before they went, to be judged once they have. */
export interface Touched {
  readonly entities: readonly string[]
  readonly edges: readonly string[]
}

/** Takes the memories out of what the engine holds, with all that hangs on their rows. */
export async function forgetMemories(tx: Queryable, ids: readonly string[]): Promise<Touched> {
  const entities = await tx.query<{ id: string }>(
    'select distinct entity_id as id from knowledge_entity_source where memory_id = any($1::text[])',
    [ids],
  )
  const edges = await tx.query<{ id: string }>(
    'select distinct edge_id as id from knowledge_edge_source where memory_id = any($1::text[])',
    [ids],
  )
  await tx.query('delete from engine_memory where memory_id = any($1::text[])', [ids])
  return { entities: entities.rows.map((row) => row.id), edges: edges.rows.map((row) => row.id) }
}

/**
 * The last memory to go takes its entities and edges along; an asserted edge lives as long as both its ends do. Entities
 * are locked first: one that another transaction has just named is then seen to be named.
 */
export async function sweepKnowledge(tx: Queryable, touched: Touched): Promise<void> {
  await tx.query('select from knowledge_entity where id = any($1::uuid[]) order by key for update', [touched.entities])
  if (touched.edges.length > 0) {
    await tx.query('select from knowledge_edge where id = any($1::uuid[]) order by id for update', [touched.edges])
    await tx.query(
      `delete from knowledge_edge e where e.id = any($1::uuid[]) and not e.is_asserted
      and not exists (select from knowledge_edge_source s where s.edge_id = e.id)`,
      [touched.edges],
    )
    await weighEdges(tx, touched.edges)
  }
  if (touched.entities.length === 0) return
  await tx.query(
    `delete from knowledge_entity e where e.id = any($1::uuid[])
    and not exists (select from knowledge_entity_source s where s.entity_id = e.id)`,
    [touched.entities],
  )
  await countMemories(tx, touched.entities)
}
