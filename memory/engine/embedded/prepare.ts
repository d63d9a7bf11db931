import { createHash } from 'node:crypto'
import { entityIdOf } from '../knowledge/ids.ts'
import type { FoundEdge, FoundEntity } from '../knowledge/add-knowledge.ts'
import type { EngineMemory } from '../port.ts'
import { chunksOf } from '../text/chunk.ts'
import { entityKey, findEntities, linkTargets } from '../text/entities.ts'
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
  const found = knowledgeOf(memory, content)
  const pathTerms = termsOf(memory.file ?? '')
  return {
    memory,
    contentSha: createHash('sha256').update(memory.content).digest('hex'),
    chunks: chunksOf(content).map((chunk) => prepareChunk(chunk, pathTerms)),
    ...found,
  }
}

/** Where a text lies says what it is about: each chunk has the terms of its path, once. */
function prepareChunk(content: string, pathTerms: ReadonlyMap<string, number>): PreparedChunk {
  const terms = termsOf(content)
  for (const term of pathTerms.keys()) terms.set(term, (terms.get(term) ?? 0) + 1)
  return {
    content,
    terms,
    length: [...terms.values()].reduce((sum, count) => sum + count, 0),
    mentions: findEntities(content).mentions.map(({ name, count }) => ({
      entityId: entityIdOf(entityKey(name)),
      count,
    })),
  }
}

function knowledgeOf(memory: EngineMemory, content: string): Pick<PreparedMemory, 'entities' | 'edges'> {
  const entities = new Map<string, FoundEntity>()
  const edges: FoundEdge[] = []
  const entity = (name: string, type: string, mentions: number): void => {
    const key = entityKey(name)
    const known = entities.get(key)
    entities.set(
      key,
      known
        ? { ...known, mentions: known.mentions + mentions }
        : { memoryId: memory.id, key, name, type, description: '', mentions },
    )
  }
  for (const chunk of chunksOf(content)) {
    const { mentions, links } = findEntities(chunk)
    for (const { name, type, count } of mentions) entity(name, type, count)
    for (const { from, to, relation, count } of links) {
      edges.push({
        memoryId: memory.id,
        fromKey: entityKey(from),
        toKey: entityKey(to),
        relation,
        description: '',
        tier: 'INFERRED',
        mentions: count,
      })
    }
  }
  const { file } = memory
  if (file !== null && file !== '') {
    entity(file, 'path', 1)
    for (const target of linkTargets(content)) {
      entity(target, /^[a-z]+:/.test(target) ? 'url' : 'path', 1)
      if (entityKey(target) === entityKey(file)) continue
      edges.push({
        memoryId: memory.id,
        fromKey: entityKey(file),
        toKey: entityKey(target),
        relation: 'links_to',
        description: '',
        tier: 'EXTRACTED',
        mentions: 1,
      })
    }
  }
  return { entities: [...entities.values()], edges }
}
