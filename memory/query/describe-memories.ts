import type { MemoryDeps } from '../deps.ts'
import type { QueryMode, ScoreKind } from '../engine/port.ts'
import type { QueryBody } from './schema.ts'
import { engineQuery, metadataOf } from './retrieve-visible.ts'

export interface DescriptionBody {
  readonly mode: QueryMode
  readonly score_kind: ScoreKind
  readonly generated_by: 'extractive' | 'llm'
  readonly summary: string
  readonly references: {
    readonly id: string
    readonly score: number
    readonly metadata: Readonly<Record<string, string>>
  }[]
}

export async function describeMemories(
  { engine, sql }: Pick<MemoryDeps, 'engine' | 'sql'>,
  body: QueryBody,
): Promise<DescriptionBody> {
  const { summary, generatedBy, scoreKind, references } = await engine.describe(engineQuery(body))
  const metadata = await metadataOf(
    sql,
    references.map((one) => one.memoryId),
  )
  return {
    mode: body.mode,
    score_kind: scoreKind,
    generated_by: generatedBy,
    summary,
    references: references.flatMap(({ memoryId, score }) => {
      const known = metadata.get(memoryId)
      return known ? [{ id: memoryId, score, metadata: known }] : []
    }),
  }
}
