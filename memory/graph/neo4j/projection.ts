/** Brings a version that Postgres has into Neo4j. Readers see the version before until the last step. */
import type { LoadedGraph } from '../postgres/loaded.ts'
import { edgeAt, type ResolvedGraph } from '../resolved/graph.ts'
import type { CodeEdge, CodeEntity, Hyperedge } from '../model.ts'
import type { GraphHead } from '../port.ts'
import { integer, type Bolt, type Query } from './bolt.ts'
import type { GraphDifference } from './difference.ts'
import { edgeProperties, entityProperties, hyperedgeProperties, keyOf, type ShownGraph } from './rows.ts'

/** Rows of one transaction: a commit has a price of its own, and a transaction its memory. */
const batchRows = 5_000

function shownKey(space: string, repo: string): string {
  return `${space}\n${repo}`
}

/**
 * Loads the whole graph beside the one that is shown, under a name that no other attempt has (`attempt`), shows it, and
 * takes away the one before and what failed attempts left.
 */
export async function projectWhole(
  bolt: Bolt,
  space: string,
  loaded: LoadedGraph,
  attempt: string,
): Promise<ShownGraph> {
  const { head, graph } = loaded
  const all = `${shownKey(space, head.repo)}\n`
  const name = `${all}${head.version}\n${attempt}`
  for (const batch of batches(graph.entities)) await bolt.write((query) => addEntities(query, name, batch))
  for (const batch of batches([...edgesOf(graph)])) await bolt.write((query) => addEdges(query, name, batch))
  for (const batch of batches(graph.hyperedges)) await bolt.write((query) => addHyperedges(query, name, batch))
  const shown = { head, graph: name }
  await bolt.write(async (query) => {
    await requireWhole(query, name, graph)
    await show(query, space, shown)
  })
  await removeGraphs(bolt, all, name)
  return shown
}

/** Another process that projects the same repository takes away what it doesn't know: then this one has to begin anew. */
async function requireWhole(query: Query, name: string, graph: ResolvedGraph): Promise<void> {
  const [row] = await query(
    `OPTIONAL MATCH (n:CodeEntity {graph: $name}) WITH count(n) AS nodes
    OPTIONAL MATCH (:CodeEntity {graph: $name})-[r:LINK]->() RETURN nodes, count(r) AS edges`,
    { name },
  )
  if (row?.['nodes'] !== graph.ids.length || row['edges'] !== graph.from.length)
    throw new Error(`${String(row?.['nodes'])} of ${graph.ids.length} entities came to Neo4j`)
}

/** Changes the graph that is shown, and its version, in one transaction. Undefined: another one is shown, or none. */
export async function projectDifference(
  bolt: Bolt,
  space: string,
  { entities, edges, hyperedges }: GraphDifference,
  { before, head }: { readonly before: ShownGraph; readonly head: GraphHead },
): Promise<ShownGraph | undefined> {
  const { graph } = before
  const shown = { head, graph }
  return bolt.write(async (query) => {
    const now = await readShown(query, space, head.repo)
    if (now?.['graph'] !== graph || now['version'] !== before.head.version) return undefined
    await removeEdges(query, graph, edges.gone)
    await removeHyperedges(query, graph, hyperedges.gone)
    const stay = new Set(entities.come.map(({ id }) => id))
    await removeEntities(
      query,
      graph,
      entities.gone.filter(({ id }) => !stay.has(id)),
    )
    await addEntities(query, graph, entities.come)
    await addEdges(query, graph, edges.come)
    await addHyperedges(query, graph, hyperedges.come)
    await show(query, space, shown)
    return shown
  })
}

export async function readShown(
  query: Query,
  space: string,
  repo: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await query('MATCH (g:CodeGraph {key: $key}) RETURN properties(g) AS g', { key: shownKey(space, repo) })
  return row?.['g'] as Record<string, unknown> | undefined
}

/** Everything of a repository, for when there is no such repository any more. */
export async function removeRepo(bolt: Bolt, space: string, repo: string): Promise<void> {
  await bolt.write((query) => query('MATCH (g:CodeGraph {key: $key}) DELETE g', { key: shownKey(space, repo) }))
  await removeGraphs(bolt, `${shownKey(space, repo)}\n`)
}

/** Those whose names begin so, but the one named. */
async function removeGraphs(bolt: Bolt, beginning: string, but = ''): Promise<void> {
  for (const label of ['CodeEntity', 'CodeHyperedge'])
    await bolt.alone(
      `MATCH (n:${label}) WHERE n.graph STARTS WITH $beginning AND n.graph <> $but
      CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF ${batchRows} ROWS`,
      { beginning, but },
    )
}

async function show(query: Query, space: string, { head, graph }: ShownGraph): Promise<void> {
  await query(
    `MERGE (g:CodeGraph {key: $key}) SET g.space = $space, g.repo = $repo, g.graph = $graph, g.version = $version,
      g.commit = $commit, g.pushedAt = $pushedAt`,
    {
      key: shownKey(space, head.repo),
      space,
      graph,
      repo: head.repo,
      version: integer(head.version),
      commit: head.commit,
      pushedAt: integer(head.pushedAt),
    },
  )
}

async function addEntities(query: Query, graph: string, entities: readonly CodeEntity[]): Promise<void> {
  if (entities.length === 0) return
  await query('UNWIND $rows AS row MERGE (n:CodeEntity {key: row.key}) SET n = row', {
    rows: entities.map((entity) => entityProperties(graph, entity)),
  })
}

async function addEdges(query: Query, graph: string, edges: readonly CodeEdge[]): Promise<void> {
  if (edges.length === 0) return
  await query(
    `UNWIND $rows AS row MATCH (a:CodeEntity {key: row.from}) MATCH (b:CodeEntity {key: row.to})
    CREATE (a)-[r:LINK]->(b) SET r = row.properties`,
    { rows: edges.map((edge) => ({ ...endsOf(graph, edge), properties: edgeProperties(edge) })) },
  )
}

async function addHyperedges(query: Query, graph: string, hyperedges: readonly Hyperedge[]): Promise<void> {
  if (hyperedges.length === 0) return
  await query('UNWIND $rows AS row MERGE (h:CodeHyperedge {key: row.key}) SET h = row', {
    rows: hyperedges.map((hyperedge) => hyperedgeProperties(graph, hyperedge)),
  })
}

async function removeEdges(query: Query, graph: string, edges: readonly CodeEdge[]): Promise<void> {
  if (edges.length === 0) return
  await query(
    `UNWIND $rows AS row
    MATCH (:CodeEntity {key: row.from})-[r:LINK {relation: row.relation}]->(:CodeEntity {key: row.to}) DELETE r`,
    { rows: edges.map((edge) => ({ ...endsOf(graph, edge), relation: edge.relation })) },
  )
}

async function removeEntities(query: Query, graph: string, entities: readonly CodeEntity[]): Promise<void> {
  if (entities.length === 0) return
  await query('UNWIND $keys AS key MATCH (n:CodeEntity {key: key}) DETACH DELETE n', {
    keys: entities.map(({ id }) => keyOf(graph, id)),
  })
}

async function removeHyperedges(query: Query, graph: string, hyperedges: readonly Hyperedge[]): Promise<void> {
  if (hyperedges.length === 0) return
  await query('UNWIND $keys AS key MATCH (h:CodeHyperedge {key: key}) DELETE h', {
    keys: hyperedges.map(({ id }) => keyOf(graph, id)),
  })
}

function endsOf(graph: string, { from, to }: CodeEdge): { readonly from: string; readonly to: string } {
  return { from: keyOf(graph, from), to: keyOf(graph, to) }
}

function* edgesOf(graph: ResolvedGraph): Generator<CodeEdge> {
  for (const position of graph.from.keys()) yield edgeAt(graph, position)
}

function* batches<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += batchRows) yield rows.slice(at, at + batchRows)
}
