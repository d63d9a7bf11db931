import type { MemoryDeps } from '../deps.ts'
import type { QueryMode, ScoreKind } from '../engine/port.ts'
import type { RepoCorpora } from './repo-corpus.ts'
import { retrieveRanked } from './retrieve-visible.ts'
import type { QueryBody } from './schema.ts'

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

/** Over the very chunks that `/queries` gives for this body; the references are the memories that the summary uses. */
export async function describeMemories(
  deps: Pick<MemoryDeps, 'engine' | 'sql'>,
  corpora: RepoCorpora,
  body: QueryBody,
): Promise<DescriptionBody> {
  const { chunks, scoreKind } = await retrieveRanked(deps, corpora, body)
  const { summary, generatedBy, uses } = await deps.engine.describe(
    body.text,
    chunks.map(({ content, score, metadata: { file, subject } }) => ({ content, score, file, subject })),
  )
  const references = new Map<string, DescriptionBody['references'][number]>()
  for (const { memoryId: id, score, metadata } of uses.flatMap((at) => chunks[at] ?? []))
    if (!references.has(id)) references.set(id, { id, score, metadata })
  return {
    mode: body.mode,
    score_kind: scoreKind,
    generated_by: generatedBy,
    summary,
    references: [...references.values()],
  }
}
