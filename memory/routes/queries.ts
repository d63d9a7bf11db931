/** Queries over memories (QUERIES, docs/contract/knowledge.md). The rows say what is to be seen; the engine says what fits. */
import type { HttpApp } from '../../http/app.ts'
import type { MemoryDeps } from '../deps.ts'
import { answering } from './answering.ts'
import { describeMemories } from '../query/describe-memories.ts'
import { kindOf } from '../engine/memory-kind.ts'
import { retrieveRanked, retrieveVisible } from '../query/retrieve-visible.ts'
import { mergedResults } from '../query/merged-results.ts'
import { RepoCorpora } from '../query/repo-corpus.ts'
import { Data, Described, QueryBody, Results } from '../query/schema.ts'

const config = { problems: [502, 504] } as const

export function queriesRoutes(app: HttpApp, deps: MemoryDeps): void {
  const corpora = new RepoCorpora(deps.sql)
  app.post(
    '/queries',
    {
      config,
      schema: { summary: 'Query memories', tags: ['queries'], body: QueryBody, response: { 200: Results } },
    },
    (request) =>
      answering(async () => {
        const found = await retrieveRanked(deps, corpora, request.body)
        return { mode: request.body.mode, score_kind: found.scoreKind, results: mergedResults(found) }
      }),
  )
  app.post(
    '/queries::data',
    {
      config,
      schema: {
        summary: 'Query memories, answered in parts',
        tags: ['queries'],
        body: QueryBody,
        response: { 200: Data },
      },
    },
    (request) =>
      answering(async () => {
        const { scoreKind, chunks, entities, relations } = await retrieveVisible(deps, request.body)
        const results = chunks.map(({ memoryId, chunkId, ...chunk }) => ({
          id: memoryId,
          chunk_id: chunkId,
          memory_kind: kindOf(chunk.metadata),
          ...chunk,
        }))
        return {
          mode: request.body.mode,
          score_kind: scoreKind,
          results,
          entities: [...entities],
          relations: [...relations],
        }
      }),
  )
  app.post(
    '/queries::describe',
    {
      config,
      schema: {
        summary: 'Describe what memories say about a query',
        tags: ['queries'],
        body: QueryBody,
        response: { 200: Described },
      },
    },
    (request) => answering(() => describeMemories(deps, corpora, request.body)),
  )
}
