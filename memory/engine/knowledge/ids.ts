import { createHash } from 'node:crypto'

/**
 * Ids that follow from what they name (RFC 9562, version 5): an engine that is filled anew, or replaced by another,
 * finds the entities and edges under the ids that callers know already.
 */
export function entityIdOf(key: string): string {
  return nameBased(`entity\n${key}`)
}

export function edgeIdOf(fromId: string, toId: string, relation: string): string {
  return nameBased(`edge\n${fromId}\n${toId}\n${relation}`)
}

/** The namespace of these names, drawn once at random. */
const namespace = Buffer.from('8f2c1e6a4b7d4f0e9a3c5d1b7e6f2a90', 'hex')

function nameBased(name: string): string {
  const hash = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16)
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
