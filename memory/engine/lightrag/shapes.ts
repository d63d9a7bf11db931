/** What LightRAG answers, as far as we read it. Both generations, 1.4 and 1.5, fit; more fields than these are fine. */
import { Type, type Static } from 'typebox'

const Text = Type.Union([Type.String(), Type.Null()])

export const Inserted = Type.Object({
  status: Type.String(),
  message: Type.Optional(Type.String()),
  track_id: Type.Optional(Text),
})

/** `status` is lower case on every storage; `status_summary` beside it is not, and is not read. */
export const DocumentRecord = Type.Object({
  id: Type.String(),
  status: Type.String(),
  error_msg: Type.Optional(Text),
  file_path: Type.Optional(Text),
  track_id: Type.Optional(Text),
  metadata: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
})
export type DocumentRecord = Static<typeof DocumentRecord>

export const Track = Type.Object({ documents: Type.Array(DocumentRecord) })

export const DocumentPage = Type.Object({
  documents: Type.Array(DocumentRecord),
  pagination: Type.Object({ has_next: Type.Boolean() }),
})

export const Deletion = Type.Object({ status: Type.String(), message: Type.Optional(Type.String()) })

export const Pipeline = Type.Object({ busy: Type.Boolean() })

export const Health = Type.Object({
  status: Type.String(),
  core_version: Type.Optional(Text),
  configuration: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

export const Document = Type.Object({ paths: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())) })

export const FoundEntity = Type.Object({
  entity_name: Type.String(),
  entity_type: Type.Optional(Text),
  description: Type.Optional(Text),
  file_path: Type.Optional(Text),
})
export type FoundEntity = Static<typeof FoundEntity>

export const FoundRelation = Type.Object({
  src_id: Type.String(),
  tgt_id: Type.String(),
  description: Type.Optional(Text),
  keywords: Type.Optional(Text),
  file_path: Type.Optional(Text),
})
export type FoundRelation = Static<typeof FoundRelation>

export const FoundChunk = Type.Object({
  content: Type.String(),
  file_path: Type.Optional(Text),
  chunk_id: Type.Optional(Text),
})
export type FoundChunk = Static<typeof FoundChunk>

/** Nothing found is `status: failure` with empty `data`: no failure. */
export const QueryData = Type.Object({
  status: Type.String(),
  message: Type.Optional(Text),
  data: Type.Object({
    entities: Type.Optional(Type.Array(FoundEntity)),
    relationships: Type.Optional(Type.Array(FoundRelation)),
    chunks: Type.Optional(Type.Array(FoundChunk)),
  }),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
export type QueryData = Static<typeof QueryData>

export const Answer = Type.Object({
  response: Type.String(),
  references: Type.Optional(Type.Union([Type.Array(Type.Object({ file_path: Type.Optional(Text) })), Type.Null()])),
})

export const Names = Type.Array(Type.String())

export const Graph = Type.Object({
  nodes: Type.Array(Type.Object({ id: Type.String(), properties: Type.Record(Type.String(), Type.Unknown()) })),
  edges: Type.Array(
    Type.Object({
      source: Type.String(),
      target: Type.String(),
      properties: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
})
export type Graph = Static<typeof Graph>
