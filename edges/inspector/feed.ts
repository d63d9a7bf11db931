/**
 * What is committed, as it is told to pages: kept a while, so that a page that lost its line misses nothing, and told in bundles,
 * so that many pages cost the process of the actors little. Of an actor that made several steps a bundle tells the last.
 */
import { hasOwnWords, standingOf } from '../../machines/why/standing.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock, Ids } from '../../http/ports.ts'
import { addressOf, parseAddress } from '../../runtime/address.ts'
import type { JournalRow } from '../../runtime/runtime.ts'
import type { Observed } from './deps.ts'
import type { StepMessage } from './messages.ts'
import { seenTexts } from './readings/seen-texts.ts'
import { rowOf } from './routes/actors.ts'

/** Some minutes of a busy orchestrator; about half a megabyte. */
const mostKept = 2000

/** Between two bundles at least: nobody sees more lights go on in a second. */
const shortestPauseMs = 200
/** Bundles a second to all pages together: with more pages each hears more seldom, and what they cost stays the same. */
const mostSends = 200

/** Actors that are read at one time for the words of a bundle. */
const mostReads = 50

interface Resumed {
  readonly missed: boolean
  readonly messages: readonly StepMessage[]
}

interface FeedDeps {
  readonly runtime: Pick<Observed, 'subscribe' | 'read'>
  readonly ids: Ids
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
}

/** Tells of the steps of this process; those of its siblings come with the page's next reading. */
export class Feed {
  /** Another after every start, so that numbers of an earlier one mean nothing. */
  readonly id: string
  readonly #kept: StepMessage[] = []
  /** A page that comes back reads no actor again that another page has heard of. */
  readonly #worded = new WeakSet<StepMessage>()
  readonly #listeners = new Set<(bundle: Buffer) => void>()
  readonly #waiting = new Map<string, StepMessage>()
  readonly #unsubscribe: () => void
  readonly #clock: Clock
  readonly #runtime: FeedDeps['runtime']
  readonly #logger: FeedDeps['logger']
  #timer: ReturnType<Clock['setTimer']> | undefined
  #flushedAt = -Infinity
  /** Bundles go out one behind the other, as each waits for its words. */
  #sent = Promise.resolve()
  #n = 0

  constructor({ runtime, ids, clock, logger }: FeedDeps) {
    this.#runtime = runtime
    this.#logger = logger
    this.id = ids.next()
    this.#clock = clock
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

  /** What it missed, then all from the next step on: what waits to be told is told before, to who listened then. A bundle is JSON. */
  listen(listener: (bundle: Buffer) => void, missed: readonly StepMessage[] = []): () => void {
    this.#flush()
    this.#listeners.add(listener)
    this.#send(missed, [listener])
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.#unsubscribe()
    this.#timer?.cancel()
    this.#listeners.clear()
  }

  #add({ address, seq, path, status, event, at }: JournalRow): void {
    const parts = parseAddress(address)
    if (parts === undefined) return
    const standing = standingOf({ kind: parts.kind, status, path })
    const message = { n: ++this.#n, address, seq, path, status, type: event.type, at, standing }
    this.#kept.push(message)
    if (this.#kept.length > mostKept) this.#kept.shift()
    if (this.#listeners.size === 0) return
    // Anew, so that a bundle is in the order of its numbers.
    this.#waiting.delete(address)
    this.#waiting.set(address, message)
    const pauseMs = Math.max(shortestPauseMs, (this.#listeners.size / mostSends) * 1000)
    const waitMs = Math.min(pauseMs, Math.max(0, this.#flushedAt + pauseMs - this.#clock.now()))
    this.#timer ??= this.#clock.setTimer(waitMs, () => this.#flush())
  }

  #flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#waiting.size === 0) return
    this.#send([...this.#waiting.values()], [...this.#listeners])
    this.#waiting.clear()
    this.#flushedAt = this.#clock.now()
  }

  #send(messages: readonly StepMessage[], listeners: readonly ((bundle: Buffer) => void)[]): void {
    if (messages.length === 0) return
    const send = async (): Promise<void> => {
      const last = [...new Map(messages.map((message) => [message.address, message])).values()]
      const wordless = last.filter((message) => !this.#worded.has(message))
      for (let from = 0; from < wordless.length; from += mostReads)
        await Promise.all(wordless.slice(from, from + mostReads).map((message) => this.#addWords(message)))
      const bundle = Buffer.from(JSON.stringify(seenTexts(messages)))
      const listening = listeners.filter((listener) => this.#listeners.has(listener))
      // Each is called, whichever of them throws.
      await Promise.all(listening.map(async (listener) => listener(bundle)))
    }
    this.#sent = this.#sent
      .then(send)
      .catch((error: unknown) => this.#logger.error({ err: error }, 'the inspector failed to send a bundle of steps'))
  }

  /** As a list says it. Who just made a step is in memory; where it cannot be read, the words of its path stay. */
  async #addWords(message: StepMessage): Promise<void> {
    const parts = parseAddress(message.address)
    if (parts === undefined || !hasOwnWords(parts.kind)) return
    try {
      const view = await this.#runtime.read(addressOf(parts.kind, parts.id))
      if (view !== undefined) Object.assign(message, wordsOf(rowOf(view)))
      this.#worded.add(message)
    } catch {
      return
    }
  }
}

function wordsOf({ standing, title }: ReturnType<typeof rowOf>): Pick<StepMessage, 'standing' | 'title'> {
  return { standing, ...(title === undefined ? {} : { title }) }
}
