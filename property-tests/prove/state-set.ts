/** Which states were seen: open addressing over 53-bit hashes, eight bytes each, and four for the number of the state. */
const fullShare = 0.6

export class StateSet {
  #hashes = new Float64Array(1 << 14)
  #numbers = new Int32Array(1 << 14)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The number of the state, and whether it is new. Two states of one hash would be taken for one: at 10^7 states about 1 in 200. */
  add(hash: number): { readonly number: number; readonly isNew: boolean } {
    if (this.#size > this.#hashes.length * fullShare) this.#grow()
    const slot = this.#slotOf(hash)
    if (this.#hashes[slot] === hash) return { number: this.#numbers[slot]!, isNew: false }
    this.#hashes[slot] = hash
    this.#numbers[slot] = this.#size
    this.#size += 1
    return { number: this.#size - 1, isNew: true }
  }

  /** Zero marks a free slot: `hashOf` never gives it. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1
    let slot = hash % this.#hashes.length
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers]
    this.#hashes = new Float64Array(hashes.length * 2)
    this.#numbers = new Int32Array(hashes.length * 2)
    for (const [index, hash] of hashes.entries()) {
      if (hash === 0) continue
      const slot = this.#slotOf(hash)
      this.#hashes[slot] = hash
      this.#numbers[slot] = numbers[index]!
    }
  }
}

/** 53 bits of two multiplicative hashes (Murmur's finalizer); never zero. */
export function hashOf(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 2097152 * (low >>> 0) + (high >>> 11) + 1
}
