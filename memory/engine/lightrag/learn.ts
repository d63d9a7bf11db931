/** Keeps in our rows what LightRAG's graph holds: it has names only, no ids, no direction and one relation a pair. */
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { addEdges, addEntities, countMemories, weighEdges } from '../knowledge/add-knowledge.ts'
import { edgeIdOf, entityIdOf } from '../knowledge/ids.ts'
import type { EngineMemory } from '../port.ts'
import { entityKey, findEntities } from '../text/entities.ts'
import type { LightRagApi } from './api.ts'
import { memoriesOfSources, type SourceMemory } from './documents.ts'
import { Graph, Names, QueryData, type FoundEntity, type FoundRelation } from './shapes.ts'

/** How it joins the sources of one entity. */
const separator = '<SEP>'
const relationName = 'related_to'
/** Of one text so many names are asked for; few texts have more. */
const mostNames = 30
const mostFound = 80

export function sourcesOf(paths: string | null | undefined): string[] {
  return (paths ?? '').split(separator).filter((path) => path !== '')
}

export function relationIdOf(relation: FoundRelation): { from: string; to: string; id: string } {
  const [from, to] = [entityIdOf(entityKey(relation.src_id)), entityIdOf(entityKey(relation.tgt_id))]
  return { from, to, id: edgeIdOf(from, to, relationName) }
}

export { relationName }

/** The entities of a text that was just stored, as a query that names them finds them; how many those are. */
export async function learnText(
  { api, sql }: { readonly api: LightRagApi; readonly sql: Sql },
  memory: EngineMemory,
  source: string,
): Promise<number> {
  const names = findEntities(memory.content)
    .mentions.map((mention) => mention.name)
    .slice(0, mostNames)
  const query = memory.content.replaceAll(/\s+/g, ' ').trim().slice(0, 300).padEnd(3, '.')
  const keywords = names.length > 0 ? names : [query.slice(0, 100)]
  const { data } = await api.ask({
    method: 'POST',
    path: '/query/data',
    body: {
      query: query.length < 12 ? `what is ${query}` : query,
      mode: 'local',
      ll_keywords: keywords,
      hl_keywords: keywords,
      top_k: mostFound,
      chunk_top_k: 1,
      enable_rerank: false,
    },
    schema: QueryData,
  })
  const isOfText = (found: { file_path?: string | null }): boolean => sourcesOf(found.file_path).includes(source)
  const entities = (data.entities ?? []).filter(isOfText)
  const relations = (data.relationships ?? []).filter(isOfText)
  const of = new Map([[source, [{ source, id: memory.id, repo: memory.repo, metadata: memory.metadata }]]])
  await sql.tx((tx) => addFound(tx, entities, relations, of))
  return entities.length
}

/** A second memory of a text says what the first one says. */
export async function copyKnowledge(sql: Sql, from: string, to: string): Promise<void> {
  await sql.tx(async (tx) => {
    const entities = await tx.query<{ id: string }>(
      `insert into knowledge_entity_source (memory_id, entity_id, mentions)
      select $2, entity_id, mentions from knowledge_entity_source where memory_id = $1 order by entity_id
      on conflict do nothing returning entity_id as id`,
      [from, to],
    )
    const edges = await tx.query<{ id: string }>(
      `insert into knowledge_edge_source (memory_id, edge_id, mentions)
      select $2, edge_id, mentions from knowledge_edge_source where memory_id = $1 order by edge_id
      on conflict do nothing returning edge_id as id`,
      [from, to],
    )
    await countMemories(
      tx,
      entities.rows.map((row) => row.id),
    )
    await weighEdges(
      tx,
      edges.rows.map((row) => row.id),
    )
  })
}

/** What came along with an answer and is not in our rows yet. */
export async function learnFound(
  sql: Sql,
  entities: readonly FoundEntity[],
  relations: readonly FoundRelation[],
): Promise<void> {
  const newEntities = await unknownOf(sql, 'knowledge_entity', entities, (one) =>
    entityIdOf(entityKey(one.entity_name)),
  )
  const newRelations = await unknownOf(sql, 'knowledge_edge', relations, (one) => relationIdOf(one).id)
  if (newEntities.length + newRelations.length === 0) return
  const paths = [...newEntities, ...newRelations].flatMap((one) => sourcesOf(one.file_path))
  const bySource = Map.groupBy(await memoriesOfSources(sql, [...new Set(paths)]), (one) => one.source)
  await sql.tx((tx) => addFound(tx, newEntities, newRelations, bySource))
}

async function unknownOf<T>(
  sql: Queryable,
  table: string,
  items: readonly T[],
  idOf: (item: T) => string,
): Promise<T[]> {
  if (items.length === 0) return []
  const { rows } = await sql.query<{ id: string }>(`select id from ${table} where id = any($1::uuid[])`, [
    items.map(idOf),
  ])
  const known = new Set(rows.map((row) => row.id))
  return items.filter((item) => !known.has(idOf(item)))
}

/** An entity that no memory of ours speaks of is none of ours; an edge needs both its ends. */
async function addFound(
  tx: Queryable,
  entities: readonly FoundEntity[],
  relations: readonly FoundRelation[],
  bySource: ReadonlyMap<string, readonly SourceMemory[]>,
): Promise<void> {
  const memoryIds = (paths: string | null | undefined): string[] => [
    ...new Set(sourcesOf(paths).flatMap((source) => (bySource.get(source) ?? []).map((memory) => memory.id))),
  ]
  await addEntities(
    tx,
    entities.flatMap((one) =>
      memoryIds(one.file_path).map((memoryId) => ({
        memoryId,
        key: entityKey(one.entity_name),
        name: one.entity_name,
        type: one.entity_type ?? 'unknown',
        description: textOf(one.description),
        mentions: 1,
      })),
    ),
  )
  const ends = await tx.query<{ key: string }>('select key from knowledge_entity where key = any($1::text[])', [
    relations.flatMap((one) => [entityKey(one.src_id), entityKey(one.tgt_id)]),
  ])
  const keys = new Set(ends.rows.map((row) => row.key))
  await addEdges(
    tx,
    relations
      .map((one) => ({ one, fromKey: entityKey(one.src_id), toKey: entityKey(one.tgt_id) }))
      .filter(({ fromKey, toKey }) => fromKey !== toKey && keys.has(fromKey) && keys.has(toKey))
      .flatMap(({ one, fromKey, toKey }) =>
        memoryIds(one.file_path).map((memoryId) => ({
          memoryId,
          fromKey,
          toKey,
          relation: relationName,
          description: textOf(one.description),
          // A model read it out of a text.
          tier: 'INFERRED' as const,
          mentions: 1,
        })),
      ),
  )
}

function textOf(text: string | null | undefined): string {
  return (text ?? '').replaceAll(separator, '\n').replaceAll('\0', ' ')
}

/** One look at the graph a name: no more of them than a page of answers can wait for. */
const mostLooks = 20

/** What its graph has under names with `q` in them, and what is tied to them. */
export async function learnNames(
  { api, sql }: { readonly api: LightRagApi; readonly sql: Sql },
  q: string,
  limit: number,
): Promise<void> {
  const count = Math.min(limit, 100)
  const path =
    q.trim() === ''
      ? `/graph/label/popular?limit=${count}`
      : `/graph/label/search?q=${encodeURIComponent(q)}&limit=${count}`
  const names = await api.ask({ path, schema: Names })
  const unknown = await unknownOf(sql, 'knowledge_entity', names, (name) => entityIdOf(entityKey(name)))
  for (const name of unknown.slice(0, mostLooks)) {
    const graph = await api.ask({
      path: `/graphs?label=${encodeURIComponent(name)}&max_depth=1&max_nodes=50`,
      schema: Graph,
    })
    await learnFound(sql, graph.nodes.map(entityOfNode), graph.edges.map(relationOfEdge))
  }
}

function entityOfNode({ id, properties }: Graph['nodes'][number]): FoundEntity {
  return {
    entity_name: id,
    entity_type: stringOf(properties['entity_type']),
    description: stringOf(properties['description']),
    file_path: stringOf(properties['file_path']),
  }
}

function relationOfEdge({ source, target, properties }: Graph['edges'][number]): FoundRelation {
  return {
    src_id: source,
    tgt_id: target,
    description: stringOf(properties['description']),
    file_path: stringOf(properties['file_path']),
  }
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
