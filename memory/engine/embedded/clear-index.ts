import type { Queryable, Sql } from '../../../runtime/store/sql.ts'

/**
 * An empty index. Entities stay with what people wrote of them, as do asserted edges: the memories that are fed anew
 * find them under the same ids.
 */
export function clearIndex(sql: Sql, also?: (tx: Queryable) => Promise<unknown>): Promise<void> {
  return sql.tx(async (tx) => {
    await tx.query('select from engine_index for update')
    await tx.exec(`delete from engine_memory; delete from engine_posting; delete from engine_term; delete from engine_community;
      delete from engine_entity_term;
      delete from knowledge_edge where not is_asserted;
      delete from knowledge_entity e where not is_described and metadata = '{}'
        and not exists (select from knowledge_edge k where k.from_id = e.id or k.to_id = e.id);
      update knowledge_entity set memories = 0;
      update engine_index set memories = 0, chunks = 0, length = 0, version = version + 1, communities_of = 0`)
    await also?.(tx)
  })
}
