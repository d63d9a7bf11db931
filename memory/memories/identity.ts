import { createHash } from 'node:crypto'
import type { Metadata } from './memory.ts'

/**
 * What makes two memories one (MEMORY-RULE-1): content and metadata for a single one; repository, file and content for an
 * item of an ingest. Each part stands with its length, so that no two lists of parts read the same.
 */
export function memoryIdentity(content: string, metadata: Metadata): Buffer {
  const pairs = Object.entries(metadata).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return digest(['memory', content, ...pairs.flat()])
}

export function itemIdentity(repo: string, file: string | null, content: string): Buffer {
  return digest(['item', repo, file === null ? 'none' : 'file', file ?? '', content])
}

function digest(parts: readonly string[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest()
}
