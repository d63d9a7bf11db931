import { externalType } from '../model.ts'
import type { Bounded, CrossRepoLink, EdgeFilter } from '../port.ts'
import { bounded } from '../resolved/search.ts'
import { compareText } from '../resolved/fold.ts'
import { compareEdges } from '../walk.ts'
import type { Query, Row } from './bolt.ts'
import { filterParameters, passesFilter } from './filter.ts'
import { edgeColumns, keyOf, toEdge, toEntity, type ShownGraph } from './rows.ts'

interface Asked {
  readonly query: Query
  readonly space: string
  readonly shown: ShownGraph
}

/** Edges of ours at the entity whose external end, or the entity itself, another repository declares. */
const declaredThere = `MATCH (e:CodeEntity {key: $key})-[r:LINK]-(x:CodeEntity) WHERE ${passesFilter}
WITH e, r, CASE WHEN e.type = $external THEN e ELSE x END AS own WHERE own.type = $external
MATCH (d:CodeEntity {id: own.id}) WHERE d.graph IN $graphs AND d.type <> $external
RETURN DISTINCT CASE WHEN own = e OR startNode(r) = e THEN 'out' ELSE 'in' END AS direction,
  d.graph AS graph, properties(d) AS entity, ${edgeColumns}`

/** Edges of theirs at what is external to them, declared by us or a package that both use (CODE-GRAPH-15). */
const usedThere = `MATCH (:CodeEntity {key: $key})
MATCH (x:CodeEntity {id: $id}) WHERE x.graph IN $graphs AND x.type = $external
MATCH (x)-[r:LINK]-(d:CodeEntity) WHERE ${passesFilter}
RETURN DISTINCT CASE WHEN startNode(r) = x THEN 'out' ELSE 'in' END AS direction,
  d.graph AS graph, properties(d) AS entity, ${edgeColumns}`

/** By repository; first what is declared there, then what is used there; out before in, in the order of edges. */
export async function crossRepo(
  { query, space, shown }: Asked,
  id: string,
  wanted: EdgeFilter & { readonly limit: number },
): Promise<Bounded<CrossRepoLink>> {
  const others = await query(
    'MATCH (g:CodeGraph {space: $space}) WHERE g.graph <> $own RETURN g.graph AS graph, g.repo AS repo ORDER BY repo',
    { space, own: shown.graph },
  )
  const repoOf = new Map(others.map((row) => [row['graph'] as string, row['repo'] as string]))
  const parameters = {
    key: keyOf(shown.graph, id),
    id,
    external: externalType,
    graphs: [...repoOf.keys()],
    ...filterParameters(wanted),
  }
  const links = []
  for (const [order, text] of [declaredThere, usedThere].entries())
    links.push(...(await query(text, parameters)).map((row) => ({ order, link: toLink(row, repoOf) })))
  links.sort(
    (a, b) =>
      compareText(a.link.repo, b.link.repo) ||
      a.order - b.order ||
      -compareText(a.link.direction, b.link.direction) ||
      compareEdges(a.link.edge, b.link.edge),
  )
  return bounded(
    links.map(({ link }) => link),
    wanted.limit,
  )
}

function toLink(row: Row, repoOf: ReadonlyMap<string, string>): CrossRepoLink {
  return {
    repo: repoOf.get(row['graph'] as string) ?? '',
    direction: row['direction'] as 'in' | 'out',
    entity: toEntity(row['entity'] as Row),
    edge: toEdge(row),
  }
}
