/** Bodies of the code graph (CODE-PUSH, docs/contract/knowledge.md). */
import { Type, type Static, type TProperties, type TSchema, type TString } from 'typebox'
import { plainName as storable } from '../../http/problems/plain-input.ts'

export function text(maxLength: number, description?: string): TString {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: storable,
    ...(description === undefined ? {} : { description }),
  })
}

export const entityId = text(2048, 'Entity id.')
export const repoName = text(255, 'Repository name.')
const file = text(4096, 'Path in the repository.')
const relation = text(128)

export const tier = Type.Union([Type.Literal('EXTRACTED'), Type.Literal('INFERRED'), Type.Literal('AMBIGUOUS')])
const confidence = Type.Number({ minimum: 0, maximum: 1 })
const metadata = Type.Record(Type.String({ maxLength: 256, pattern: storable }), Type.Unknown(), { maxProperties: 64 })

export const IndexedFileBody = Type.Object(
  { file, sha: Type.String({ maxLength: 128, pattern: storable, description: 'Empty if the file was deleted.' }) },
  { additionalProperties: false },
)

const closed = { additionalProperties: false } as const

export const EntityBody = Type.Object(
  {
    id: entityId,
    type: text(128),
    name: text(2048),
    file: Type.Optional(file),
    line: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    language: Type.Optional(text(64)),
    metadata: Type.Optional(metadata),
  },
  closed,
)
export type EntityBody = Static<typeof EntityBody>

const sureness = { confidence: Type.Optional(confidence), tier: Type.Optional(tier) }
const origin = Type.Optional(text(4096, 'The file it came from, where that is not the one of its ends.'))

export const EdgeBody = Type.Object(
  { from: entityId, to: entityId, relation, ...sureness, file: origin, metadata: Type.Optional(metadata) },
  closed,
)
export type EdgeBody = Static<typeof EdgeBody>

export const HyperedgeBody = Type.Object(
  {
    id: entityId,
    relation,
    label: Type.String({ maxLength: 2048, pattern: storable }),
    members: Type.Array(entityId, { minItems: 1, maxItems: 10_000 }),
    ...sureness,
    file: origin,
    metadata: Type.Optional(metadata),
  },
  closed,
)
export type HyperedgeBody = Static<typeof HyperedgeBody>

/** The members of the body that come once; the lists come element by element. */
export const pushMembers = {
  commit: Type.Optional(Type.Union([text(128), Type.Null()])),
  mode: Type.Union([Type.Literal('snapshot'), Type.Literal('files')]),
  snapshot_id: Type.Optional(text(128, 'A snapshot in parts: what they have in common (each part at most 32 MiB).')),
  part: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 99_999, description: 'Number of the part, from 0 or from 1, without gaps.' }),
  ),
  final: Type.Optional(Type.Boolean({ description: 'The snapshot is complete. Readers see it from now on.' })),
} as const

export const PushMembers = Type.Object(pushMembers, closed)
export type PushMembers = Static<typeof PushMembers>

export const PushBody = Type.Object(
  {
    ...pushMembers,
    files: Type.Optional(Type.Array(IndexedFileBody)),
    entities: Type.Optional(Type.Array(EntityBody)),
    edges: Type.Optional(Type.Array(EdgeBody)),
    hyperedges: Type.Optional(Type.Array(HyperedgeBody)),
  },
  closed,
)

export const MissesBody = Type.Union([
  Type.Array(IndexedFileBody, { maxItems: 100_000 }),
  Type.Object({ files: Type.Array(IndexedFileBody, { maxItems: 100_000 }) }, closed),
])

// Answers.

/** Which graph an answer was made from; part of each of them. */
const madeFrom = {
  commit: Type.Union([Type.String(), Type.Null()], { description: 'The commit that was last pushed.' }),
  version: Type.Integer({ description: 'Grows with each push of the repository.' }),
}

export function answer<P extends TProperties>(properties: P): TSchema {
  return Type.Object({ ...properties, ...madeFrom })
}

const entityFields = {
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  language: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
}
export const Entity = Type.Object(entityFields)
export const EntityAnswer = answer(entityFields)

const sure = { confidence: Type.Number(), tier, metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }
export const Edge = Type.Object({ from: Type.String(), to: Type.String(), relation: Type.String(), ...sure })

const hyperedgeFields = {
  id: Type.String(),
  relation: Type.String(),
  label: Type.String(),
  members: Type.Array(Type.String()),
  ...sure,
}
export const HyperedgeAnswer = answer(hyperedgeFields)

const truncated = Type.Boolean({ description: 'The answer leaves out further items.' })
export function boundedAnswer(item: TSchema, more: TProperties = {}): TSchema {
  return answer({ items: Type.Array(item), truncated, ...more })
}

export const HyperedgesAnswer = boundedAnswer(Type.Object(hyperedgeFields))
export const EntitiesAnswer = boundedAnswer(Entity, { next_cursor: Type.Optional(Type.String()) })
export const Reached = Type.Object({ entity: Entity, edge: Type.Optional(Edge), distance: Type.Integer() })
export const TraversalAnswer = boundedAnswer(Reached)
export const EdgesAnswer = boundedAnswer(Type.Object({ ...Edge.properties, from_entity: Entity, to_entity: Entity }))
export const CrossRepoAnswer = boundedAnswer(
  Type.Object({
    repo: Type.String(),
    direction: Type.Union([Type.Literal('in'), Type.Literal('out')]),
    entity: Entity,
    edge: Edge,
    distance: Type.Integer(),
  }),
)
export const PathAnswer = answer({ path: Type.Array(Entity), edges: Type.Array(Edge), length: Type.Integer() })

export const MissesAnswer: TSchema = Type.Object({ misses: Type.Array(IndexedFileBody) })

export const PushAnswer: TSchema = Type.Object({
  repo: Type.String(),
  mode: pushMembers.mode,
  files: Type.Integer(),
  entities: Type.Integer(),
  edges: Type.Integer(),
  hyperedges: Type.Integer(),
  /** Absent while parts are missing. */
  version: Type.Optional(Type.Integer()),
  commit: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  staged: Type.Optional(
    Type.Object(
      { snapshot_id: Type.String(), parts: Type.Array(Type.Integer()) },
      { description: 'Parts that wait for the rest of their snapshot.' },
    ),
  ),
  off_rubric: Type.Optional(
    Type.Object(
      { count: Type.Integer(), examples: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })) },
      {
        description:
          'Edges whose confidence does not fit their tier. The service stores them. `strict=true` refuses them.',
      },
    ),
  ),
})
