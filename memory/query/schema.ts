/** A query and its answers as the REST interface has them (QUERIES, docs/contract/knowledge.md). */
import { Type, type Static } from 'typebox'
import { memoryKinds } from '../engine/memory-kind.ts'
import { queryModes, scoreKinds } from '../engine/port.ts'
import { Metadata, RepoName } from '../memories/memory.ts'

const text = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$'

export const QueryBody = Type.Object(
  {
    mode: Type.Enum([...queryModes], {
      description:
        '`naive`: by the words (and vectors) of the chunks alone. `local`: by the entities that the query names and their neighbours. `global`: by what its subject is about. `hybrid`: both.',
    }),
    text: Type.String({ minLength: 1, maxLength: 32_768, pattern: text }),
    top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 10 })),
    kinds: Type.Optional(
      Type.Array(Type.Enum([...memoryKinds]), {
        minItems: 1,
        maxItems: memoryKinds.length,
        uniqueItems: true,
        description:
          'Only memories of these kinds. `files`: files of a repository. `changes`: commits, issues and merge requests. `notes`: every other memory. Absent: files and notes by score, then changes in the places that are left.',
      }),
    ),
    repos_first: Type.Optional(
      Type.Array(RepoName, {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        description:
          'Memories of these repositories and of none come first. Those of other repositories follow in the places that are left. `/queries:data` takes no notice of it, nor does a query with `filter.repo`.',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          repo: Type.Optional(RepoName),
          metadata: Type.Optional(Metadata),
        },
        { additionalProperties: false, description: 'Every pair must be in the metadata of a memory.' },
      ),
    ),
  },
  { additionalProperties: false },
)
export type QueryBody = Static<typeof QueryBody>

const Score = Type.Number({ minimum: 0, maximum: 1 })
const ScoreKind = Type.Enum([...scoreKinds], {
  description:
    'What a score is. `bm25`: s/(s+10) of BM25. `cosine`: the similarity of vectors. `fused`: of several signals. `rank`: 1/rank, because the engine returns only an order. Higher is better. Do not compare scores of two queries.',
})
const head = { mode: Type.Enum([...queryModes]), score_kind: ScoreKind }
const MemoryKind = Type.Enum([...memoryKinds], { description: 'What the memory is; see `kinds` of the query.' })
const StringMap = Type.Record(Type.String(), Type.String())

export const Results = Type.Object({
  ...head,
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the memory, the entity or the relation.' }),
      content: Type.String(),
      metadata: StringMap,
      score: Score,
      kind: Type.Enum(['chunk', 'entity', 'relation']),
      memory_kind: Type.Optional(MemoryKind),
    }),
  ),
})

export const Data = Type.Object({
  ...head,
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Id of the memory.' }),
      chunk_id: Type.String(),
      content: Type.String(),
      metadata: StringMap,
      memory_kind: MemoryKind,
      score: Score,
      rank: Type.Integer({ minimum: 1 }),
    }),
  ),
  entities: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      type: Type.String(),
      description: Type.String(),
      score: Score,
    }),
  ),
  relations: Type.Array(
    Type.Object({
      id: Type.String(),
      from: Type.String(),
      to: Type.String(),
      relation: Type.String(),
      description: Type.String(),
      score: Score,
    }),
  ),
})

export const Described = Type.Object({
  ...head,
  generated_by: Type.Enum(['extractive', 'llm'], {
    description: '`extractive`: sentences of the memories themselves. `llm`: written by a language model.',
  }),
  summary: Type.String(),
  references: Type.Array(Type.Object({ id: Type.String(), score: Score, metadata: StringMap })),
})
