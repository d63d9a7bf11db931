/** How the model stands in Neo4j: flat properties, metadata as JSON text (a property can't be a map). */
import type { CodeEdge, CodeEntity, Hyperedge, Metadata, Tier } from '../model.ts'
import type { GraphHead } from '../port.ts'
import { integer, type Row } from './bolt.ts'

/** Alone and in one property, because only Enterprise has composite keys of nodes. */
export function keyOf(graph: string, id: string): string {
  return `${graph}\n${id}`
}

export function entityProperties(graph: string, entity: CodeEntity): Row {
  const { id, type, name, file, line, language, metadata } = entity
  return {
    key: keyOf(graph, id),
    graph,
    id,
    type,
    name,
    // Searched as JavaScript folds case: Java's rules differ for some letters.
    lowerName: name.toLowerCase(),
    lowerId: id.toLowerCase(),
    nameLength: integer(name.length),
    file: file ?? null,
    line: line === undefined ? null : integer(line),
    language: language ?? null,
    metadata: textOf(metadata),
  }
}

export function toEntity(node: Row): CodeEntity {
  const { id, type, name, file, line, language, metadata } = node as Record<string, string | null> & { line?: number }
  return {
    id: id ?? '',
    type: type ?? '',
    name: name ?? '',
    ...optional('file', file),
    ...optional('line', line),
    ...optional('language', language),
    ...metadataOf(metadata),
  }
}

export function edgeProperties({ relation, confidence, tier, metadata }: CodeEdge): Row {
  return { relation, confidence, tier, metadata: textOf(metadata) }
}

/** Of a row with the columns of `edgeColumns`. */
export function toEdge(row: Row): CodeEdge {
  return {
    from: row['from'] as string,
    to: row['to'] as string,
    relation: row['relation'] as string,
    confidence: row['confidence'] as number,
    tier: row['tier'] as Tier,
    ...metadataOf(row['metadata'] as string | null),
  }
}

export const edgeColumns = `startNode(r).id AS from, endNode(r).id AS to, r.relation AS relation,
  r.confidence AS confidence, r.tier AS tier, r.metadata AS metadata`

export function hyperedgeProperties(
  graph: string,
  { id, relation, label, members, confidence, tier, metadata }: Hyperedge,
): Row {
  return { key: keyOf(graph, id), graph, id, relation, label, members, confidence, tier, metadata: textOf(metadata) }
}

export function toHyperedge(node: Row): Hyperedge {
  return {
    id: node['id'] as string,
    relation: node['relation'] as string,
    label: node['label'] as string,
    members: node['members'] as string[],
    confidence: node['confidence'] as number,
    tier: node['tier'] as Tier,
    ...metadataOf(node['metadata'] as string | null),
  }
}

/** What a repository's readers see. */
export interface ShownGraph {
  readonly head: GraphHead
  readonly graph: string
}

export function toShown(node: Row): ShownGraph {
  return {
    graph: node['graph'] as string,
    head: {
      repo: node['repo'] as string,
      version: node['version'] as number,
      commit: (node['commit'] ?? null) as string | null,
      pushedAt: node['pushedAt'] as number,
    },
  }
}

function textOf(metadata: Metadata | undefined): string | null {
  return metadata === undefined ? null : JSON.stringify(metadata)
}

function metadataOf(text: string | null | undefined): { readonly metadata?: Metadata } {
  return text === null || text === undefined ? {} : { metadata: JSON.parse(text) as Metadata }
}

function optional<K extends string, V>(name: K, value: V | null | undefined): { readonly [P in K]?: V } {
  return (value === null || value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: V }
}
