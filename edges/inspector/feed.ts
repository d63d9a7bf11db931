/** What is committed, as it is told to pages; kept a while, so that a page that lost its line misses nothing. */
import { standingOf } from '../../machines/why/standing.ts'
import type { Ids } from '../../http/ports.ts'
import { parseAddress } from '../../runtime/address.ts'
import type { JournalRow } from '../../runtime/runtime.ts'
import type { Observed } from './deps.ts'
import type { StepMessage } from './messages.ts'

/** Some minutes of a busy orchestrator; about half a megabyte. */
const mostKept = 2000

interface Resumed {
  readonly missed: boolean
  readonly messages: readonly StepMessage[]
}

/** Tells of the steps of this process; those of its siblings come with the page's next reading. */
export class Feed {
  /** Another after every start, so that numbers of an earlier one mean nothing. */
  readonly id: string
  readonly #kept: StepMessage[] = []
  readonly #listeners = new Set<(message: StepMessage) => void>()
  readonly #unsubscribe: () => void
  #n = 0

  constructor(runtime: Pick<Observed, 'subscribe'>, ids: Ids) {
    this.id = ids.next()
    this.#unsubscribe = runtime.subscribe((row) => this.#add(row))
  }

  /** `<feed>.<n>` of the last message: what the store shows from now on and what comes after it leave nothing out. */
  get position(): string {
    return `${this.id}.${this.#n}`
  }

  /** What came after a position, in order. Without one, it begins with the next message. */
  since(after: string | undefined): Resumed {
    if (after === undefined) return { missed: false, messages: [] }
    const [feed, text = ''] = after.split('.')
    const last = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    const oldest = this.#kept[0]?.n ?? this.#n + 1
    if (feed !== this.id || !(last <= this.#n && last >= oldest - 1)) return { missed: true, messages: [] }
    return { missed: false, messages: this.#kept.filter(({ n }) => n > last) }
  }

  listen(listener: (message: StepMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.#unsubscribe()
    this.#listeners.clear()
  }

  #add({ address, seq, path, status, event, at }: JournalRow): void {
    const parts = parseAddress(address)
    if (parts === undefined) return
    const standing = standingOf({ kind: parts.kind, status, path })
    const message = { n: ++this.#n, address, seq, path, status, type: event.type, at, standing }
    this.#kept.push(message)
    if (this.#kept.length > mostKept) this.#kept.shift()
    for (const listener of this.#listeners) listener(message)
  }
}
