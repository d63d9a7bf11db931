import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import type { WeightedEntity } from './entities.ts'
import { entityFilter, filterParams } from './filter.ts'
import { bestByWords, bestNaming, type AskedTerms, type NamingChunk, type ScoredChunk } from './lexical.ts'

/** What a query is about: the communities of whatever its best chunks name. */
export interface WeightedCommunity {
  readonly community: number
  /** In (0, 1]; the first has 1. */
  readonly weight: number
}

const profileChunks = 200
const mostCommunities = 4
const mostCentral = 24
/** What of a community stands for it when its chunks are ranked. */
const mostMembers = 100

/** Communities by the share that the query's chunks have in them: each chunk's score goes to those it names. */
export async function communitiesOfQuery(
  sql: Queryable,
  asked: AskedTerms,
  filter?: QueryFilter,
): Promise<WeightedCommunity[]> {
  const best = await bestByWords(sql, asked, profileChunks, filter)
  if (best.length === 0) return []
  const { rows } = await sql.query<WeightedCommunity>(
    `with best as (select * from unnest($1::bigint[], $2::float8[]) as u (no, score)),
    shares as (select c.community, sum(best.score * m.count * c.centrality) as weight
      from best cross join lateral (select entity_id, count from engine_mention where chunk_no = best.no offset 0) m
      cross join lateral (select * from engine_community where entity_id = m.entity_id offset 0) c
      group by c.community having sum(best.score * m.count * c.centrality) > 0),
    damped as (select s.community, s.weight / ln(exp(1) + count(*)) as weight
      from shares s join engine_community c using (community) group by s.community, s.weight)
    select community, weight / max(weight) over () as weight from damped order by weight desc, community
    limit ${mostCommunities}`,
    [best.map((one) => one.no), best.map((one) => one.score)],
  )
  return [...rows]
}

/** The entities at the heart of these communities. */
export async function centralEntities(
  sql: Queryable,
  communities: readonly WeightedCommunity[],
  filter?: QueryFilter,
): Promise<WeightedEntity[]> {
  if (communities.length === 0) return []
  const { rows } = await sql.query<WeightedEntity>(
    `select e.id, e.name, e.type, e.description, c.centrality * u.weight as weight
    from unnest($1::int[], $2::float8[]) as u (community, weight)
    cross join lateral (select * from engine_community where community = u.community order by centrality desc, entity_id
      limit ${mostCentral}) c
    cross join lateral (select * from knowledge_entity where id = c.entity_id offset 0) e
    where c.centrality > 0 ${entityFilter(filter, 'e.id', 3)} order by weight desc, e.id limit ${mostCentral}`,
    [communities.map((one) => one.community), communities.map((one) => one.weight), ...filterParams(filter)],
  )
  return [...rows]
}

/** Chunks that stand for these communities: what they name of their central entities, more when they hold the query's words. */
export async function rankGlobally(
  sql: Queryable,
  asked: AskedTerms,
  communities: readonly WeightedCommunity[],
  limit: number,
  filter?: QueryFilter,
): Promise<ScoredChunk[]> {
  if (asked.terms.length === 0 || communities.length === 0) return []
  const { rows } = await sql.query<NamingChunk>(
    `with members as (select c.entity_id as id, c.centrality * u.weight as weight
      from unnest($1::int[], $2::float8[]) as u (community, weight)
      cross join lateral (select * from engine_community where community = u.community order by centrality desc, entity_id
        limit ${mostMembers}) c where c.centrality > 0)
    select m.chunk_no as no, sum(s.weight) as weight from members s
    cross join lateral (select chunk_no from engine_mention where entity_id = s.id offset 0) m group by m.chunk_no`,
    [communities.map((one) => one.community), communities.map((one) => one.weight)],
  )
  return bestNaming(sql, asked, rows, limit, filter)
}
