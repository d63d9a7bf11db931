/** What retrieves: said honestly, so that a caller knows what a score is worth. */
import { Type } from 'typebox'
import type { HttpApp } from '../../http/app.ts'
import type { MemoryDeps } from '../deps.ts'
import { queryModes, scoreKinds, type EngineReadiness } from '../engine/port.ts'
import { answering } from './answering.ts'

const Kind = Type.Enum([...scoreKinds])
const EngineBody = Type.Object({
  engine: Type.Enum(['embedded', 'lightrag']),
  version: Type.Union([Type.String(), Type.Null()]),
  llm: Type.Boolean({ description: 'Whether a language model reads the memories and writes descriptions.' }),
  embeddings: Type.Enum(['none', 'openai-compatible', 'engine']),
  embedding_model: Type.Union([Type.String(), Type.Null()]),
  modes: Type.Array(Type.Enum([...queryModes])),
  score_kinds: Type.Object({ naive: Kind, local: Kind, global: Kind, hybrid: Kind }),
  ready: Type.Boolean(),
  reasons: Type.Array(Type.String()),
  degraded: Type.Array(Type.String()),
})

/** What the engine says of itself, and what it lacks by the feed: that nobody could count it is no reason. */
export async function engineReadiness({ engine, feed }: Pick<MemoryDeps, 'engine' | 'feed'>): Promise<EngineReadiness> {
  const [readiness, overdue] = await Promise.all([engine.ready(), feed.overdue().catch(() => [])])
  return { ...readiness, degraded: [...readiness.degraded, ...overdue] }
}

export function engineRoutes(app: HttpApp, deps: MemoryDeps): void {
  const { engine } = deps
  app.get(
    '/engine',
    {
      config: { problems: [502, 504] },
      schema: { summary: 'The retrieval engine', tags: ['queries'], response: { 200: EngineBody } },
    },
    () =>
      answering(async () => {
        const [info, readiness] = await Promise.all([engine.info(), engineReadiness(deps)])
        const { embeddingModel, scoreKinds: kinds, modes, ...rest } = info
        return {
          ...rest,
          embedding_model: embeddingModel,
          modes: [...modes],
          score_kinds: kinds,
          ready: readiness.ready,
          reasons: [...readiness.reasons],
          degraded: [...readiness.degraded],
        }
      }),
  )
}
