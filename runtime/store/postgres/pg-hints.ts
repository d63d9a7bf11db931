/**
 * Tells other processes over one Postgres that something waits for them. NOTIFY takes a lock that all committing
 * transactions would share, so it goes by a connection of its own, outside of every commit, and at most once in a few
 * milliseconds. A hint may be lost, with its connection for example: the poll of the inbox is what can be relied on.
 */
import pg from 'pg'
import { sleep, type Clock, type Timer } from '../../clock.ts'
import type { Logger } from '../../logger.ts'
import { createOutage, type Outage } from '../../outage.ts'
import type { Random } from '../../random.ts'
import { keepAlive, pgDefaults } from './pg-sql.ts'

interface PgHintOptions {
  readonly url: string
  /** This process; what it tells all, it does not hear itself. */
  readonly owner: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** A connection that takes longer for a hint is replaced. */
  readonly answerMs?: number
}

export interface PgHints {
  /** Whom to tell: undefined means everyone. */
  readonly hint: (owner: string | undefined) => void
  /** From now on; what was said before, even to nobody, is heard at once as one hint. */
  readonly listen: (hear: () => void) => void
  close(): Promise<void>
}

const channel = 'statewright_hint'
const gatherMs = 5
/** Of a NOTIFY payload Postgres takes just under 8000 bytes; more owners than fit are told as everyone. */
const longestPayload = 7000

interface Hint {
  readonly from: string
  readonly to?: readonly string[]
}

export function openPgHints(options: PgHintOptions): PgHints {
  const hints = new PgHintLine(options)
  hints.open()
  return { hint: (owner) => hints.hint(owner), listen: (hear) => hints.listen(hear), close: () => hints.close() }
}

class PgHintLine {
  readonly #options: PgHintOptions
  readonly #connections: Outage
  readonly #owners = new Set<string>()
  readonly #closed = new AbortController()
  #isForAll = false
  #client: pg.Client | undefined
  #timer: Timer | undefined
  #isSending = false
  #hear: (() => void) | undefined

  constructor(options: PgHintOptions) {
    this.#options = options
    this.#connections = createOutage({
      ...options,
      failing: 'this process receives no hints from other processes now',
      over: 'this process receives hints from other processes again',
    })
  }

  /** Connects, and again whenever the connection is lost. */
  open(): void {
    if (this.#closed.signal.aborted) return
    const { url, clock, answerMs = pgDefaults.answerMs } = this.#options
    const client = new pg.Client({ ...keepAlive, connectionString: url, query_timeout: answerMs })
    let isOver = false
    const again = (reason: unknown): void => {
      if (isOver) return
      isOver = true
      if (this.#client === client) this.#client = undefined
      void client.end().catch(() => undefined)
      if (this.#closed.signal.aborted) return
      const pauseMs = this.#connections.failed(reason)
      void sleep(clock, pauseMs, this.#closed.signal).then(() => this.open())
    }
    client.on('error', again)
    client.on('end', () => again(new Error('the connection ended')))
    client.on('notification', ({ payload }) => this.#heard(payload ?? ''))
    client
      .connect()
      .then(() => client.query(`listen ${channel}`))
      .then(() => this.#connected(client), again)
  }

  listen(hear: () => void): void {
    this.#hear = hear
    if (this.#client) hear()
  }

  hint(owner: string | undefined): void {
    if (owner === undefined) this.#isForAll = true
    else this.#owners.add(owner)
    this.#gather()
  }

  #gather(): void {
    if (this.#isSending || !(this.#isForAll || this.#owners.size > 0)) return
    this.#timer ??= this.#options.clock.setTimer(gatherMs, () => void this.#send())
  }

  /** The last word is said: a process that stops tells that its shards are free. */
  async close(): Promise<void> {
    this.#closed.abort()
    this.#timer?.cancel()
    if (this.#timer) await this.#send()
    this.#timer?.cancel()
    await this.#client?.end().catch(() => undefined)
  }

  #connected(client: pg.Client): void {
    if (this.#closed.signal.aborted) return void client.end().catch(() => undefined)
    this.#client = client
    this.#connections.answered()
    // What was said while nobody listened.
    this.#hear?.()
  }

  /** One at a time; what is told meanwhile goes with the next. */
  async #send(): Promise<void> {
    this.#timer = undefined
    this.#isSending = true
    const to = JSON.stringify({ from: this.#options.owner, to: [...this.#owners] } satisfies Hint)
    const isForAll = this.#isForAll || to.length > longestPayload
    const hint = isForAll ? JSON.stringify({ from: this.#options.owner } satisfies Hint) : to
    this.#isForAll = false
    this.#owners.clear()
    const client = this.#client
    await client
      ?.query('select pg_notify($1, $2)', [channel, hint])
      .catch(() => void client.end().catch(() => undefined))
    this.#isSending = false
    this.#gather()
  }

  #heard(payload: string): void {
    const { owner } = this.#options
    const hint = parsed(payload)
    if (hint && hint.from !== owner && (hint.to === undefined || hint.to.includes(owner))) this.#hear?.()
  }
}

/** The channel is the database's: whoever may connect may write to it. */
function parsed(payload: string): Hint | undefined {
  try {
    const { from, to } = JSON.parse(payload) as Partial<Hint>
    if (typeof from !== 'string') return undefined
    return Array.isArray(to) ? { from, to } : { from }
  } catch {
    return undefined
  }
}
