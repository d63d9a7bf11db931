/**
 * What a query lets through, as clauses of SQL. Nothing is joined that nobody asked for. `first` is the number of the
 * repositories' parameter, the metadata's and the kinds' follow it; all come from `filterParams`.
 */
import { kindInSql } from '../memory-kind.ts'
import type { QueryFilter } from '../port.ts'

export function chunkFilter(filter: QueryFilter | undefined, chunk: string, first: number): string {
  return clause(filter, `engine_chunk fc join engine_memory fm using (memory_id) where fc.no = ${chunk}`, first)
}

/** Only what one of the memories that are let through speaks of. */
export function entityFilter(filter: QueryFilter | undefined, entity: string, first: number): string {
  return clause(
    filter,
    `knowledge_entity_source fs join engine_memory fm using (memory_id) where fs.entity_id = ${entity}`,
    first,
  )
}

export function edgeFilter(filter: QueryFilter | undefined, edge: string, first: number): string {
  return clause(
    filter,
    `knowledge_edge_source fs join engine_memory fm using (memory_id) where fs.edge_id = ${edge}`,
    first,
  )
}

export function filterParams(filter: QueryFilter | undefined): unknown[] {
  if (!isFiltering(filter)) return []
  const { repos = null, metadata, kinds = null } = filter
  return [repos, metadata === undefined ? null : JSON.stringify(metadata), kinds]
}

function clause(filter: QueryFilter | undefined, source: string, first: number): string {
  if (!isFiltering(filter)) return ''
  return `and exists (select from ${source} and ($${first}::text[] is null or fm.repo = any($${first}::text[]))
    and ($${first + 1}::jsonb is null or fm.metadata @> $${first + 1}::jsonb)
    and ($${first + 2}::text[] is null or ${kindInSql('fm')} = any($${first + 2}::text[])))`
}

function isFiltering(filter: QueryFilter | undefined): filter is QueryFilter {
  return filter?.repos !== undefined || filter?.metadata !== undefined || filter?.kinds !== undefined
}
