/** A queue from whose middle one can take things: every operation costs the same however long it is. */
export interface Link<T> {
  readonly value: T
  before: Link<T> | undefined
  after: Link<T> | undefined
  isLinked: boolean
}

export class LinkedList<T> {
  #first: Link<T> | undefined
  #last: Link<T> | undefined

  get first(): T | undefined {
    return this.#first?.value
  }

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  push(value: T): Link<T> {
    const link: Link<T> = { value, before: this.#last, after: undefined, isLinked: true }
    if (this.#last) this.#last.after = link
    else this.#first = link
    this.#last = link
    return link
  }

  remove(link: Link<T>): void {
    if (!link.isLinked) return
    link.isLinked = false
    if (link.before) link.before.after = link.after
    else this.#first = link.after
    if (link.after) link.after.before = link.before
    else this.#last = link.before
  }
}
