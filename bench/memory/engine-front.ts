/**
 * What the service adds to LightRAG: the same question put to LightRAG's own /query/data and to ours in front of it, over
 * HTTP both, in turn, so that what the machine does meanwhile meets both.
 */
import { createLightRagEngine } from '../../memory/engine/lightrag/engine.ts'
import type { QueryMode } from '../../memory/engine/port.ts'
import { PostgresGraph } from '../../memory/graph/postgres/store.ts'
import { composeMemory } from '../../memory/service.ts'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import { corpusOf } from './engine-corpus.ts'
import { lightRagKey, startLightRagServer } from './engine-server.ts'
import { timed, type EngineRow } from './engine-rows.ts'

const topK = 10
const modes: readonly QueryMode[] = ['naive', 'local']

export interface FrontResults {
  readonly rows: readonly EngineRow[]
  readonly left: readonly string[]
}

export async function measureFront(sql: Sql, quick: boolean): Promise<FrontResults> {
  const server = await startLightRagServer()
  if (typeof server === 'string') return { rows: [], left: [server] }
  try {
    return await measure(sql, server.url, quick ? { texts: 10, rounds: 30 } : { texts: 60, rounds: 200 })
  } finally {
    await server.stop()
  }
}

async function measure(
  sql: Sql,
  engineUrl: string,
  size: { readonly texts: number; readonly rounds: number },
): Promise<FrontResults> {
  const engine = createLightRagEngine({
    random: Math.random,
    url: engineUrl,
    apiKey: lightRagKey,
    sql,
    clock: systemClock,
    fetch,
    logger: silentLogger,
  })
  const service = await composeMemory({
    sql,
    engine,
    graph: new PostgresGraph(sql),
    foreground: undefined,
    clock: systemClock,
    random: Math.random,
    ids: { next: () => crypto.randomUUID() },
    fetch,
    logger: createLogger({ name: 'bench', level: 'silent' }),
    version: 'bench',
    owner: 'bench',
    authenticate: async () => ({ subject: 'bench', issuer: 'bench', claims: {} }),
  })
  const { url } = await service.server.listen({ host: '127.0.0.1', port: 0 })
  try {
    const { memories, queries } = corpusOf(size.texts, size.rounds)
    for (const memory of memories) await post(`${url}/memories`, { text: memory.content, metadata: memory.metadata })
    await feedAll(sql, service.deps.feed)
    const rows: EngineRow[] = []
    for (const mode of modes) {
      const [own, direct]: [number[], number[]] = [[], []]
      for (const [turn, text] of queries.entries()) {
        const asOurs = async (): Promise<void> =>
          void own.push(await timed(() => post(`${url}/queries:data`, { mode, text, top_k: topK })))
        const asTheirs = async (): Promise<void> =>
          void direct.push(await timed(() => post(`${engineUrl}/query/data`, theirQuery(mode, text))))
        // The first to ask pays for the model's keywords, which LightRAG then keeps.
        await post(`${engineUrl}/query/data`, theirQuery(mode, text))
        for (const ask of turn % 2 === 0 ? [asOurs, asTheirs] : [asTheirs, asOurs]) await ask()
      }
      rows.push(
        {
          ...row(`/queries:data, ${mode}, by the service`, own),
          toOther: median(own.map((ms, at) => ms / direct[at]!)),
        },
        row(`/query/data, ${mode}, LightRAG itself`, direct),
      )
    }
    return { rows, left: [] }
  } finally {
    await service.stop({ graceMs: 0 })
  }
}

/** What the service itself asks for: as many texts, the slack for deleted ones included. */
function theirQuery(mode: QueryMode, text: string): object {
  return { query: text, mode, top_k: topK + 20, chunk_top_k: topK + 20, enable_rerank: false }
}

async function feedAll(sql: Sql, feed: { put(ids: readonly string[]): Promise<unknown> }): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(`select id from memory where status = 'processing' order by id`)
  for (let from = 0; from < rows.length; from += 8) await feed.put(rows.slice(from, from + 8).map((one) => one.id))
}

async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': lightRagKey },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

function row(question: string, ms: readonly number[]): EngineRow {
  return {
    section: 'engine',
    question,
    p50Ms: median(ms) ?? Number.NaN,
    p95Ms: percentile(ms, 0.95) ?? Number.NaN,
    count: ms.length,
  }
}
