import type { ActorAddress, ActorKind } from '../machines/definition.ts'

interface AddressParts {
  readonly kind: ActorKind
  readonly id: string
}

/** More would not fit an index row, and no id of the platform comes near it. */
const longestText = 1024

/** Keys and addresses are index columns: bounded, and without the characters that no text column takes. */
export function isIndexable(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text.length > 0 &&
    text.length <= longestText &&
    !/[\u0000-\u001f\ud800-\udfff]/u.test(text)
  )
}

export function parseAddress(address: string): AddressParts | undefined {
  const colon = address.indexOf(':')
  if (colon < 1 || colon === address.length - 1 || !isIndexable(address)) return undefined
  return { kind: address.slice(0, colon) as ActorKind, id: address.slice(colon + 1) }
}

export function addressOf<Kind extends ActorKind>(kind: Kind, id: string): `${Kind}:${string}` {
  return `${kind}:${id}`
}

/** FNV-1a over UTF-16 units: stable over processes and versions, because rows carry the result. */
export function shardOf(address: string, shards: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < address.length; index++) {
    hash = Math.imul(hash ^ address.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash % shards
}

/** `<address>/<seq>/<index>`: the idempotency key of an effect (R6). */
export interface EffectId {
  readonly actor: ActorAddress
  readonly seq: number
  readonly index: number
}

export function effectKey(id: EffectId): string {
  return `${id.actor}/${id.seq}/${id.index}`
}

export function parseEffectKey(key: string): EffectId | undefined {
  const match = /^(.+)\/(\d+)\/(\d+)$/.exec(key)
  if (!match || !parseAddress(match[1]!)) return undefined
  return { actor: match[1] as ActorAddress, seq: Number(match[2]), index: Number(match[3]) }
}
