/**
 * What a file contributes as text, in pieces: one file may bring a million edges, and one value of Postgres must not.
 * Rows of values instead of objects: names of fields would be half the text.
 */
import type { CodeEdge, CodeEntity, Contribution, Hyperedge, Metadata, Tier } from '../model.ts'

type EntityRow = readonly [
  id: string,
  type: string,
  name: string,
  file: string | null,
  line: number | null,
  language: string | null,
  metadata: Metadata | null,
]
type EdgeRow = readonly [
  from: string,
  to: string,
  relation: string,
  confidence: number,
  tier: Tier,
  metadata: Metadata | null,
]
interface Piece {
  readonly n: readonly EntityRow[]
  readonly e: readonly EdgeRow[]
  readonly h: readonly Hyperedge[]
}

/** Rows of a piece at most: with ids of a hundred characters that is a megabyte. */
const rowsPerPiece = 4_000

export function* piecesOf({ entities, edges, hyperedges }: Contribution): Generator<string> {
  const most = Math.max(entities.length, edges.length, hyperedges.length, 1)
  for (let at = 0; at < most; at += rowsPerPiece) {
    const end = at + rowsPerPiece
    const piece: Piece = {
      n: entities.slice(at, end).map(entityRow),
      e: edges.slice(at, end).map(edgeRow),
      h: hyperedges.slice(at, end),
    }
    yield JSON.stringify(piece)
  }
}

export function readPiece(text: string): Contribution {
  const { n, e, h } = JSON.parse(text) as Piece
  return { entities: n.map(toEntity), edges: e.map(toEdge), hyperedges: h }
}

function entityRow(entity: CodeEntity): EntityRow {
  const { id, type, name, file, line, language, metadata } = entity
  return [id, type, name, file ?? null, line ?? null, language ?? null, metadata ?? null]
}

function toEntity([id, type, name, file, line, language, metadata]: EntityRow): CodeEntity {
  return {
    id,
    type,
    name,
    ...(file === null ? {} : { file }),
    ...(line === null ? {} : { line }),
    ...(language === null ? {} : { language }),
    ...(metadata === null ? {} : { metadata }),
  }
}

function edgeRow({ from, to, relation, confidence, tier, metadata }: CodeEdge): EdgeRow {
  return [from, to, relation, confidence, tier, metadata ?? null]
}

function toEdge([from, to, relation, confidence, tier, metadata]: EdgeRow): CodeEdge {
  return { from, to, relation, confidence, tier, ...(metadata === null ? {} : { metadata }) }
}
