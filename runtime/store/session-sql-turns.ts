/** A statement by itself; a transaction, or several statements as one; the end of the session. */
type Turn = 'statement' | 'transaction' | 'end'

/** A question asks so many, and a transaction that waits for all of them waits for no second question. */
const mostBetween = 8

interface Waiting {
  readonly turn: Turn
  begin(): void
}

/**
 * Whose turn it is on the one session of a store (decisions/0057). Transactions come in their order, statements in theirs,
 * and nothing passes the end. A statement goes before the transactions that wait, for it is short and they are
 * long: at most eight between two transactions, so that no stream of statements keeps a transaction out.
 */
export class SessionTurns {
  readonly #waiting: Waiting[] = []
  #isTaken = false
  /** Statements that went before a transaction since the last one. */
  #passed = 0

  /** Settles as `run` does, once it has had its turn. */
  async take<T>(turn: Turn, run: () => Promise<T>): Promise<T> {
    await this.#begun(turn)
    try {
      return await run()
    } finally {
      this.#end(turn)
    }
  }

  #begun(turn: Turn): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push({ turn, begin })
      if (!this.#isTaken) this.#callNext()
    })
  }

  /** Who has an answer now asks its next statement in the same turn of the loop: a question takes several, one by one. */
  #end(turn: Turn): void {
    if (turn === 'statement' && this.#waiting[this.#positionOfNext()]?.turn === 'transaction')
      setImmediate(() => this.#callNext())
    else this.#callNext()
  }

  #callNext(): void {
    const at = this.#positionOfNext()
    const [next] = this.#waiting.splice(at, 1)
    if (next?.turn === 'transaction') this.#passed = 0
    else if (at > 0) this.#passed += 1
    this.#isTaken = next !== undefined
    next?.begin()
  }

  #positionOfNext(): number {
    if (this.#waiting[0]?.turn !== 'transaction' || this.#passed >= mostBetween) return 0
    const at = this.#waiting.findIndex(({ turn }) => turn !== 'transaction')
    return this.#waiting[at]?.turn === 'statement' ? at : 0
  }
}
