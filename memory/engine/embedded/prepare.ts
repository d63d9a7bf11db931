import { createHash } from 'node:crypto'
import { entityIdOf } from '../knowledge/ids.ts'
import type { FoundEdge, FoundEntity } from '../knowledge/add-knowledge.ts'
import type { EngineMemory } from '../port.ts'
import { chunksOf } from '../text/chunk.ts'
import { entityKey, findEntities, linkTargets, type Findings } from '../text/entities.ts'
import { termsOf } from '../text/tokenize.ts'

export interface PreparedChunk {
  readonly content: string
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
  readonly mentions: readonly { readonly entityId: string; readonly count: number }[]
}

/** A memory as the index takes it: all that can be known without the store. */
export interface PreparedMemory {
  readonly memory: EngineMemory
  readonly contentSha: string
  readonly chunks: readonly PreparedChunk[]
  readonly entities: readonly FoundEntity[]
  readonly edges: readonly FoundEdge[]
}

export function prepare(memory: EngineMemory): PreparedMemory {
  // Postgres holds no NUL in a text.
  const content = memory.content.replaceAll('\0', ' ')
  const chunks = chunksOf(content).map((chunk) => ({ content: chunk, findings: findEntities(chunk) }))
  const pathTerms = termsOf(memory.file ?? '')
  const knowledge = knowledgeOf(memory, chunks)
  if (memory.file) knowledge.addFile(memory.file, linkTargets(content))
  return {
    memory,
    contentSha: createHash('sha256').update(memory.content).digest('hex'),
    chunks: chunks.map((chunk) => prepareChunk(chunk, pathTerms)),
    entities: [...knowledge.entities.values()],
    edges: [...knowledge.edges.values()],
  }
}

interface Chunk {
  readonly content: string
  readonly findings: Findings
}

/** Where a text lies says what it is about: each chunk has the terms of its path, once. */
function prepareChunk({ content, findings }: Chunk, pathTerms: ReadonlyMap<string, number>): PreparedChunk {
  const terms = termsOf(content)
  for (const term of pathTerms.keys()) terms.set(term, (terms.get(term) ?? 0) + 1)
  return {
    content,
    terms,
    length: [...terms.values()].reduce((sum, count) => sum + count, 0),
    mentions: findings.mentions.map(({ name, count }) => ({ entityId: entityIdOf(entityKey(name)), count })),
  }
}

interface Knowledge {
  readonly entities: ReadonlyMap<string, FoundEntity>
  readonly edges: ReadonlyMap<string, FoundEdge>
  addFile(file: string, targets: readonly string[]): void
}

function knowledgeOf(memory: EngineMemory, chunks: readonly Chunk[]): Knowledge {
  const entities = new Map<string, FoundEntity>()
  const edges = new Map<string, FoundEdge>()
  const memoryId = memory.id

  function addEntity(name: string, type: string, mentions: number): void {
    const key = entityKey(name)
    const known = entities.get(key)?.mentions ?? 0
    entities.set(key, { memoryId, key, name, type, description: '', mentions: known + mentions })
  }

  function addEdge(from: string, to: string, sort: Pick<FoundEdge, 'relation' | 'tier' | 'mentions'>): void {
    const [fromKey, toKey] = [entityKey(from), entityKey(to)]
    if (fromKey === toKey) return
    const key = `${fromKey}\n${toKey}\n${sort.relation}`
    const mentions = (edges.get(key)?.mentions ?? 0) + sort.mentions
    edges.set(key, { memoryId, fromKey, toKey, description: '', ...sort, mentions })
  }

  for (const { findings } of chunks) {
    for (const { name, type, count } of findings.mentions) addEntity(name, type, count)
    for (const { from, to, count } of findings.ties)
      addEdge(from, to, { relation: 'mentioned_with', tier: 'INFERRED', mentions: count })
  }
  return {
    entities,
    edges,
    addFile(file, targets) {
      addEntity(file, 'path', 1)
      for (const target of targets) {
        addEntity(target, /^[a-z]+:/.test(target) ? 'url' : 'path', 1)
        addEdge(file, target, { relation: 'links_to', tier: 'EXTRACTED', mentions: 1 })
      }
    },
  }
}
