/** Questions in Cypher. Neo4j has no order of its own and no bound: each statement says both. */
import type { CodeEntity, Hyperedge } from '../model.ts'
import { tiers, type Tier } from '../model.ts'
import type {
  Bounded,
  Direction,
  EdgeFilter,
  EdgeQuery,
  EdgeWithEnds,
  GraphArrays,
  GraphPath,
  GraphSizes,
  GraphView,
  PathQuery,
  Reached,
  ReachQuery,
  SearchQuery,
} from '../port.ts'
import { bounded, wordsOf } from '../resolved/search.ts'
import { wayTo } from '../resolved/view.ts'
import { walk, type HopsOf } from '../walk.ts'
import { integer, type Query, type Row } from './bolt.ts'
import { crossRepo } from './cross-repo.ts'
import { filterParameters, passesFilter } from './filter.ts'
import { edgeColumns, keyOf, toEdge, toEntity, toHyperedge, type ShownGraph } from './rows.ts'

/** Depths can't be parameters: only what `shortestPath` may be asked is ever written into a statement. */
const deepest = 100

const arrows: Readonly<Record<Direction, readonly [string, string]>> = {
  out: ['-', '->'],
  in: ['<-', '-'],
  both: ['-', '-'],
}

export interface Neo4jViewParts {
  readonly query: Query
  readonly space: string
  readonly shown: ShownGraph
  /** Of this same version, from who holds the truth. */
  readonly arrays: () => Promise<GraphArrays>
}

export function neo4jView({ query, space, shown, arrays }: Neo4jViewParts): GraphView {
  const { graph, head } = shown
  const asked: Asked = { query, graph }
  return {
    head,
    entity: async (id) => (await entities(asked, [id]))[0],
    entities: (ids) => entities(asked, ids),
    search: (wanted) => search(asked, wanted),
    reach: (wanted) => reach(asked, wanted),
    path: (wanted) => path(asked, wanted),
    edges: (wanted) => edges(asked, wanted),
    crossRepo: (id, wanted) => crossRepo({ query, space, shown }, id, wanted),
    sizes: () => sizes(asked),
    hyperedge: async (id) => (await hyperedges(asked, { key: keyOf(graph, id) }, {}, 1)).items[0],
    hyperedges: ({ member, limit, ...filter }) => hyperedges(asked, { member }, filter, limit),
    arrays,
  }
}

interface Asked {
  readonly query: Query
  readonly graph: string
}

async function entities({ query, graph }: Asked, ids: readonly string[]): Promise<CodeEntity[]> {
  const rows = await query('UNWIND $keys AS key MATCH (n:CodeEntity {key: key}) RETURN properties(n) AS n', {
    keys: ids.map((id) => keyOf(graph, id)),
  })
  const byId = new Map(rows.map((row) => toEntity(row['n'] as Row)).map((entity) => [entity.id, entity]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

async function search({ query, graph }: Asked, wanted: SearchQuery): Promise<Bounded<CodeEntity>> {
  const { q = '', type, file, after, limit } = wanted
  const parameters = {
    graph,
    type: type ?? null,
    file: file ?? null,
    after: after ?? '',
    q: q.toLowerCase(),
    words: [...wordsOf(q.toLowerCase())],
    limit: integer(limit + 1),
  }
  const rows = await query(q === '' ? listed : found, parameters)
  return bounded(
    rows.map((row) => toEntity(row['n'] as Row)),
    limit,
  )
}

const isWanted = '($type IS NULL OR n.type = $type) AND ($file IS NULL OR n.file = $file)'

const listed = `MATCH (n:CodeEntity {graph: $graph}) WHERE n.id > $after AND ${isWanted}
RETURN properties(n) AS n ORDER BY n.id LIMIT $limit`

/** In the ranks of `resolved/search.ts`. */
const found = `MATCH (n:CodeEntity {graph: $graph}) WHERE ${isWanted}
WITH n, CASE WHEN n.lowerName = $q THEN 0 WHEN n.lowerName STARTS WITH $q THEN 1
  WHEN n.lowerName CONTAINS $q THEN 2 WHEN n.lowerId CONTAINS $q THEN 3 WHEN size($words) = 0 THEN null
  WHEN all(word IN $words WHERE n.lowerName CONTAINS word) THEN 4
  WHEN all(word IN $words WHERE n.lowerId CONTAINS word) THEN 5 END AS rank
WHERE rank IS NOT NULL RETURN properties(n) AS n ORDER BY rank, n.nameLength, n.id LIMIT $limit`

async function reach(asked: Asked, wanted: ReachQuery): Promise<Bounded<Reached>> {
  // Of one level all ends are part of the answer, so they come with it.
  const met = wanted.depth === 1 ? new Map<string, CodeEntity>() : undefined
  const steps = await walk({ ...wanted, enough: wanted.limit + 1 }, hopsOf(asked, wanted, met))
  const { items, truncated } = bounded(steps, wanted.limit)
  const ids = items.map(({ node }) => node)
  const byId = met ?? (await entityMap(asked, ids))
  return {
    items: items.flatMap(({ node, edge, distance }) => {
      const entity = byId.get(node)
      return entity === undefined || edge === undefined ? [] : [{ entity, edge, distance }]
    }),
    truncated,
  }
}

async function entityMap(asked: Asked, ids: readonly string[]): Promise<ReadonlyMap<string, CodeEntity>> {
  return new Map((await entities(asked, ids)).map((entity) => [entity.id, entity]))
}

/** One round trip a level. `met` takes the entities at the other ends. */
function hopsOf(
  { query, graph }: Asked,
  wanted: EdgeFilter & { readonly direction: Direction },
  met?: Map<string, CodeEntity>,
): HopsOf {
  const [left, right] = arrows[wanted.direction]
  const text = `UNWIND $keys AS key MATCH (a:CodeEntity {key: key})${left}[r:LINK]${right}(b:CodeEntity)
    WHERE ${passesFilter} RETURN a.id AS at, b.id AS next${met ? ', properties(b) AS entity' : ''}, ${edgeColumns}`
  return async (nodes) => {
    const keys = nodes.map((id) => keyOf(graph, id))
    const rows = await query(text, { keys, ...filterParameters(wanted) })
    for (const row of rows) met?.set(row['next'] as string, toEntity(row['entity'] as Row))
    return rows.map((row) => ({ at: row['at'] as string, next: row['next'] as string, edge: toEdge(row) }))
  }
}

async function path(asked: Asked, wanted: PathQuery): Promise<GraphPath | undefined> {
  const ends = await entityMap(asked, [wanted.from, wanted.to])
  const from = ends.get(wanted.from)
  if (from === undefined || !ends.has(wanted.to)) return undefined
  // Neo4j refuses a shortest path of a node to itself.
  if (wanted.from === wanted.to) return { entities: [from], edges: [] }
  return wanted.maxHops === undefined ? shortestPath(asked, wanted) : budgetedPath(asked, wanted)
}

async function shortestPath({ query, graph }: Asked, wanted: PathQuery): Promise<GraphPath | undefined> {
  const depth = Math.min(Math.trunc(wanted.maxDepth), deepest)
  const [left, right] = arrows[wanted.direction]
  const [row] = await query(
    `MATCH (a:CodeEntity {key: $from}) MATCH (b:CodeEntity {key: $to})
    MATCH p = shortestPath((a)${left}[:LINK*1..${depth}]${right}(b)) WHERE all(r IN relationships(p) WHERE ${passesFilter})
    RETURN [n IN nodes(p) | properties(n)] AS nodes,
      [r IN relationships(p) | {from: startNode(r).id, to: endNode(r).id, relation: r.relation,
        confidence: r.confidence, tier: r.tier, metadata: r.metadata}] AS edges`,
    { from: keyOf(graph, wanted.from), to: keyOf(graph, wanted.to), ...filterParameters(wanted) },
  )
  if (row === undefined) return undefined
  return { entities: (row['nodes'] as Row[]).map(toEntity), edges: (row['edges'] as Row[]).map(toEdge) }
}

async function budgetedPath(asked: Asked, wanted: PathQuery): Promise<GraphPath | undefined> {
  const steps = await walk(
    { ...wanted, from: [wanted.from], depth: wanted.maxDepth, target: wanted.to },
    hopsOf(asked, wanted),
  )
  const last = steps.find(({ node }) => node === wanted.to)
  if (last === undefined) return undefined
  const way = wayTo(last)
  const byId = await entityMap(
    asked,
    way.map(({ node }) => node),
  )
  return {
    entities: way.flatMap(({ node }) => byId.get(node) ?? []),
    edges: way.flatMap(({ edge }) => edge ?? []),
  }
}

async function edges({ query, graph }: Asked, wanted: EdgeQuery): Promise<Bounded<EdgeWithEnds>> {
  const { of, fromFile, either, limit } = wanted
  const start =
    of !== undefined
      ? 'MATCH (x:CodeEntity {key: $of})-[r:LINK]-() WITH DISTINCT r'
      : fromFile !== undefined
        ? 'MATCH (:CodeEntity {graph: $graph, file: $fromFile})-[r:LINK]->() WITH r'
        : 'MATCH (:CodeEntity {graph: $graph})-[r:LINK]->() WITH r'
  const rows = await query(
    `${start} WHERE ${passesFilter} AND ($fromFile IS NULL OR startNode(r).file = $fromFile)
      AND ($eitherTier IS NULL OR r.tier = $eitherTier OR r.confidence < $lessThan)
    RETURN ${edgeColumns}, properties(startNode(r)) AS a, properties(endNode(r)) AS b
    ORDER BY confidence, from, to, relation LIMIT $limit`,
    {
      graph,
      of: of === undefined ? null : keyOf(graph, of),
      fromFile: fromFile ?? null,
      eitherTier: either?.tier ?? null,
      lessThan: either?.lessThan ?? null,
      ...filterParameters(wanted),
      limit: integer(limit + 1),
    },
  )
  return bounded(
    rows.map((row): EdgeWithEnds => ({
      edge: toEdge(row),
      from: toEntity(row['a'] as Row),
      to: toEntity(row['b'] as Row),
    })),
    limit,
  )
}

async function hyperedges(
  { query, graph }: Asked,
  which: { readonly key?: string; readonly member?: string | undefined },
  filter: EdgeFilter,
  limit: number,
): Promise<Bounded<Hyperedge>> {
  const rows = await query(
    `MATCH (r:CodeHyperedge {graph: $graph}) WHERE ($key IS NULL OR r.key = $key)
      AND ($member IS NULL OR $member IN r.members) AND ${passesFilter}
    RETURN properties(r) AS h ORDER BY r.id LIMIT $limit`,
    {
      graph,
      key: which.key ?? null,
      member: which.member ?? null,
      ...filterParameters(filter),
      limit: integer(limit + 1),
    },
  )
  return bounded(
    rows.map((row) => toHyperedge(row['h'] as Row)),
    limit,
  )
}

async function sizes({ query, graph }: Asked): Promise<GraphSizes> {
  const ofGraph = { graph }
  const byType = countsOf(
    await query('MATCH (n:CodeEntity {graph: $graph}) RETURN n.type AS name, count(*) AS count ORDER BY name', ofGraph),
  )
  const links = await query(
    `MATCH (:CodeEntity {graph: $graph})-[r:LINK]->()
    RETURN r.relation AS name, r.tier AS tier, count(*) AS count ORDER BY name, tier`,
    ofGraph,
  )
  const [linked] = await query(
    `MATCH (a:CodeEntity {graph: $graph})-[:LINK]->(b) WHERE a <> b
    WITH DISTINCT a, b RETURN count(*) AS count`,
    ofGraph,
  )
  const [groups] = await query('MATCH (h:CodeHyperedge {graph: $graph}) RETURN count(*) AS count', ofGraph)
  const byTier = { EXTRACTED: 0, INFERRED: 0, AMBIGUOUS: 0 }
  for (const row of links) byTier[row['tier'] as Tier] += row['count'] as number
  return {
    nodes: sum(byType),
    edges: sum(byTier),
    pairs: (linked?.['count'] ?? 0) as number,
    hyperedges: (groups?.['count'] ?? 0) as number,
    byType,
    byRelation: countsOf(links),
    byTier: Object.fromEntries(tiers.map((tier) => [tier, byTier[tier]])) as Record<Tier, number>,
  }
}

function countsOf(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) {
    const name = row['name'] as string
    counts[name] = (counts[name] ?? 0) + (row['count'] as number)
  }
  return counts
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
