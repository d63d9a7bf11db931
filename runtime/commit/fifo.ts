/** A queue whose `shift` costs the same however many wait behind. */
export class Fifo<Item> {
  #items: Item[] = []
  #next = 0

  get size(): number {
    return this.#items.length - this.#next
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  waiting(): readonly Item[] {
    return this.#items.slice(this.#next)
  }

  peek(): Item | undefined {
    return this.#items[this.#next]
  }

  shift(): Item | undefined {
    const item = this.#items[this.#next]
    if (this.size > 0) this.#next += 1
    // What was taken is let go of when it is more than half: copied once for each that was taken, at most.
    if (this.#next * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }
}
