/** A memory: its REST form (MEMORIES-2; names are snake_case, MEMORY-RULE-6), and its row. */
import { Type, type Static } from 'typebox'
import { plainName } from '../../http/problems/plain-input.ts'

export const maxContentCharacters = 1_048_576
export const maxMetadataKeys = 64

/** Postgres holds every character but U+0000; a text of white space says nothing, and engines refuse it. */
const text = '^[^\\u0000]*$'
const someText = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$'

export const Content = Type.String({
  minLength: 1,
  maxLength: maxContentCharacters,
  pattern: someText,
  description: 'Text with at least one character that is no white space. A lone surrogate becomes U+FFFD.',
})

/** Of the keys that name something: what a later ingest looks for is what was sent. */
const names = { repo: { type: 'string', pattern: plainName }, file: { type: 'string', pattern: plainName } }

export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 4096, pattern: text }), {
  maxProperties: maxMetadataKeys,
  propertyNames: { type: 'string', minLength: 1, maxLength: 64, pattern: plainName },
  properties: names,
  description: '`repo` and `file` name the source of the memory. A reconciling ingest finds earlier memories by them.',
})
export type Metadata = Static<typeof Metadata>

export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: plainName,
  description:
    'Unique per repository. The same key with the same content changes nothing. With other content the new memory replaces the older one, unless another key or a write without a key stands for that.',
})

export const RepoName = Type.String({ maxLength: 512, pattern: plainName })
export const FilePath = Type.String({ minLength: 1, maxLength: 4096, pattern: plainName })

const memoryStatuses = ['processing', 'ready', 'failed'] as const
export type MemoryStatus = (typeof memoryStatuses)[number]

export const MemoryBody = Type.Object({
  id: Type.String(),
  content: Type.String(),
  metadata: Type.Record(Type.String(), Type.String()),
  status: Type.Enum([...memoryStatuses], {
    description: '`processing`: stored, the engine does not find it yet. `failed`: stored, the engine refused it.',
  }),
  error: Type.Optional(Type.String({ description: 'Why the engine refused it.' })),
  track_id: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
})
export type MemoryBody = Static<typeof MemoryBody>

export interface MemoryRow {
  readonly id: string
  readonly content: string
  readonly metadata: Metadata
  readonly repo: string
  readonly file: string | null
  readonly status: MemoryStatus
  readonly fault: string | null
  readonly track_id: string
  readonly job: string | null
  readonly attempts: number
  readonly created_at: number
  readonly updated_at: number
}

export const memoryColumns =
  'id, content, metadata, repo, file, status, fault, track_id, job, attempts, created_at, updated_at'

export function memoryBody(row: MemoryRow): MemoryBody {
  return {
    id: row.id,
    content: row.content,
    metadata: row.metadata,
    status: row.status,
    ...(row.status === 'failed' && row.fault !== null ? { error: row.fault } : {}),
    track_id: row.track_id,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
