/** Elements that are looked at before others have their turn: a millisecond or two. */
const perTurn = 2_000

/** Long work in short turns: the event loop answers others between two of them (MEMORY-HEALTH-2). */
export class Turns {
  #left = perTurn

  async each<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
    for (const item of items) {
      visit(item)
      const pause = this.spent(1)
      if (pause !== undefined) await pause
    }
  }

  /** Nothing while the turn lasts; a pause once it is over. */
  spent(elements: number): Promise<void> | undefined {
    this.#left -= elements
    if (this.#left > 0) return undefined
    this.#left = perTurn
    return new Promise((resolve) => void setImmediate(resolve))
  }
}
