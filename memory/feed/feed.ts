/**
 * Brings committed rows to the engine: new memories in, deleted ones out. The rows are the outbox: what a process did not
 * come to, or an engine refused for now, is due again later, whoever then runs.
 *
 * - F1 A row is `ready` only after the engine said so; `failed` when it refused for good, or too often.
 * - F2 A memory that was deleted while it was fed is taken out again.
 * - F3 Two calls for one memory share one round trip.
 * - F4 Metadata that came while a memory was fed is fed too, in a round of its own.
 * - F5 What a rebuild emptied meanwhile is fed again: a row is `ready` or `failed` only under the claim with which it was fed,
 *   and nobody touches the claim of another.
 */
import type { Clock } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/logger.ts'
import { createLoop, type Loop } from '../../runtime/loop.ts'
import { isLogged } from '../../runtime/outage.ts'
import type { Random } from '../../runtime/random.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import type { RetrievalEngine, RemoveOutcome, UpsertOutcome } from '../engine/port.ts'
import { findMemories } from '../memories/find-memory.ts'
import type { MemoryRow } from '../memories/memory.ts'
import { removeGone } from './remove-gone.ts'
import { untilAborted, upsertApart } from './upsert-apart.ts'

/** What the engine said of one memory. */
export type FeedOutcome =
  | { readonly status: 'stored' | 'duplicated' | 'partial_success' }
  /** Its row is gone. */
  | { readonly status: 'absent' }
  | { readonly status: 'failed'; readonly message: string; readonly retryable: boolean }

export interface Feed {
  /** Feeds memories now. The outcomes are in the order given. */
  put(ids: readonly string[], signal?: AbortSignal): Promise<readonly FeedOutcome[]>
  /** Looks at once for rows that are due: after a commit that made some. */
  wake(): void
  /** Works off what an earlier process left, and what comes to be due. */
  start(): void
  stop(): Promise<void>
  /** Rows that wait, for metrics. */
  waiting(): Promise<{ readonly memories: number; readonly removals: number }>
  /** A sentence for an operator, where stored memories have been out of the engine for a minute or more. */
  overdue(): Promise<readonly string[]>
}

export interface FeedDeps {
  readonly sql: Sql
  readonly engine: RetrievalEngine
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long the engine may take for a memory that no ingest job waits for. */
  readonly timeoutMs: number
  /** Is told of each memory that was fed, for metrics. */
  readonly fed?: (outcome: FeedOutcome['status'], seconds: number) => void
}

const batch = 32
const pollMs = 2000
/** After so many the row is `failed`: about an hour, with these delays. */
const maxAttempts = 12
const firstDelayMs = 1000
const longestDelayMs = 600_000
/** What was stored a moment ago is on its way. */
const overdueMs = 60_000
/** Two that claim a row in one millisecond have two claims. */
const claimsApartMs = 1000
/** Probes ask often, and more says no more. */
const mostCounted = 1000

export function createFeed(deps: FeedDeps): Feed {
  return new RowFeed(deps)
}

class RowFeed implements Feed {
  readonly #deps: FeedDeps
  readonly #inFlight = new Map<string, Promise<FeedOutcome>>()
  readonly #stopping = new AbortController()
  readonly #loop: Loop

  constructor(deps: FeedDeps) {
    this.#deps = deps
    this.#loop = createLoop({
      ...deps,
      name: 'engine-feed',
      everyMs: pollMs,
      turn: () => this.#workOff(),
      failing: 'feeding the engine failed',
      over: 'feeding the engine succeeds again',
    })
  }

  async put(ids: readonly string[], signal?: AbortSignal): Promise<readonly FeedOutcome[]> {
    const fresh = ids.filter((id, index) => !this.#inFlight.has(id) && ids.indexOf(id) === index)
    if (fresh.length > 0) {
      const round = this.#feed(fresh, signal)
      for (const [index, id] of fresh.entries()) {
        const one = round.then((outcomes) => outcomes[index]!)
        this.#inFlight.set(id, one)
        void one.catch(() => undefined).finally(() => this.#inFlight.delete(id))
      }
    }
    return Promise.all(ids.map((id) => this.#inFlight.get(id)!))
  }

  wake(): void {
    if (!this.#stopping.signal.aborted) this.#loop.start()
  }

  start(): void {
    this.wake()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop.stop()
    await Promise.allSettled(this.#inFlight.values())
  }

  async waiting(): Promise<{ readonly memories: number; readonly removals: number }> {
    const { rows } = await this.#deps.sql.query<{ memories: number; removals: number }>(
      `select (select count(*) from memory where status = 'processing') as memories,
        (select count(*) from memory_removal) as removals`,
    )
    return rows[0]!
  }

  async overdue(): Promise<readonly string[]> {
    const { rows } = await this.#deps.sql.query<{ count: number }>(
      `select count(*) as count from (
        select from memory where status = 'processing' and job is null and updated_at < $1 limit ${mostCounted}) as overdue`,
      [this.#deps.clock.now() - overdueMs],
    )
    const count = rows[0]?.count ?? 0
    if (count === 0) return []
    const many = `${count}${count === mostCounted ? ' or more' : ''}`
    return [`${many} stored memories wait for the engine: until then queries answer without them`]
  }

  /** Memories first: a text that a new memory has too then never leaves an engine that keeps texts once. */
  async #workOff(): Promise<void> {
    const fed = await this.#feedDue()
    const removed = await this.#removeDue()
    if (fed >= batch || removed >= batch) this.wake()
  }

  async #feedDue(): Promise<number> {
    const { sql, clock, timeoutMs } = this.#deps
    const { rows } = await sql.query<{ id: string }>(
      `select id from memory where status = 'processing' and feed_at <= $1 and job is null order by feed_at limit ${batch}`,
      [clock.now()],
    )
    const due = rows.map(({ id }) => id).filter((id) => !this.#inFlight.has(id))
    if (due.length === 0) return 0
    const { signal, done } = this.#deadline(timeoutMs)
    await this.put(due, signal).finally(done)
    return rows.length
  }

  #deadline(ms: number): { readonly signal: AbortSignal; readonly done: () => void } {
    const late = new AbortController()
    const timer = this.#deps.clock.setTimer(ms, () => late.abort(new Error('timed out')))
    return { signal: AbortSignal.any([late.signal, this.#stopping.signal]), done: () => timer.cancel() }
  }

  async #feed(ids: readonly string[], signal?: AbortSignal): Promise<readonly FeedOutcome[]> {
    const { sql, engine, clock, timeoutMs, fed } = this.#deps
    const found = new Map((await findMemories(sql, ids)).map((row) => [row.id, row]))
    const rows = ids.flatMap((id) => found.get(id) ?? [])
    if (rows.length === 0) return ids.map(() => ({ status: 'absent' }))
    const begun = clock.now()
    // Another process sharing the store leaves them alone for that long.
    const claim = begun + timeoutMs + longestDelayMs / 10 + Math.floor(this.#deps.random() * claimsApartMs)
    await sql.query('update memory set feed_at = $2 where id = any($1::text[])', [rows.map(({ id }) => id), claim])
    const outcomes = new Map(
      (await upsertApart(engine, rows, signal)).map((outcome) => [outcome.id, feedOutcome(outcome)] as const),
    )
    await this.#record(rows, outcomes, claim)
    for (const { status } of outcomes.values()) fed?.(status, (clock.now() - begun) / 1000)
    return ids.map((id) => outcomes.get(id) ?? { status: 'absent' })
  }

  async #record(rows: readonly MemoryRow[], outcomes: ReadonlyMap<string, FeedOutcome>, claim: number): Promise<void> {
    const { sql, clock } = this.#deps
    const now = clock.now()
    const good = rows.filter(({ id }) => outcomes.get(id)?.status !== 'failed').map(({ id }) => id)
    const fed = rows.filter(({ id }) => good.includes(id))
    const { rows: left } = await sql.query<{ id: string; status: string }>(
      `update memory m set status = case when m.metadata = u.metadata::jsonb and m.feed_at = $4 then 'ready' else m.status end,
        feed_at = case when m.metadata <> u.metadata::jsonb and m.feed_at = $4 then $3 else m.feed_at end, fault = null, job = null,
        updated_at = $3
      from unnest($1::text[], $2::text[]) as u (id, metadata) where m.id = u.id returning m.id, m.status`,
      [fed.map(({ id }) => id), fed.map(({ metadata }) => JSON.stringify(metadata)), now, claim],
    )
    if (left.some(({ status }) => status !== 'ready')) this.wake()
    const kept = new Set(left.map(({ id }) => id))
    const gone = good.filter((id) => !kept.has(id))
    if (gone.length > 0) await this.#removeAgain(gone, now)
    for (const row of rows) {
      const outcome = outcomes.get(row.id)
      if (outcome?.status === 'failed') await this.#recordFailure(sql, row, outcome, { now, claim })
    }
  }

  /** A job counts its own tries; the row says what the last one came to. */
  async #recordFailure(
    sql: Queryable,
    { id, job, attempts }: MemoryRow,
    { message, retryable }: { readonly message: string; readonly retryable: boolean },
    { now, claim }: { readonly now: number; readonly claim: number },
  ): Promise<void> {
    const isFinal = job !== null || !retryable || attempts + 1 >= maxAttempts
    await sql.query(
      `update memory set status = $2, fault = $3, attempts = attempts + 1, feed_at = $4, updated_at = $5
      where id = $1 and feed_at = $6`,
      [id, isFinal ? 'failed' : 'processing', message.slice(0, 1000), now + this.#delay(attempts), now, claim],
    )
    if (isFinal || isLogged(attempts + 1))
      this.#deps.logger.warn(
        { memory: id, attempt: attempts + 1, error: message },
        'the engine did not accept a memory',
      )
  }

  async #removeAgain(ids: readonly string[], now: number): Promise<void> {
    await removeGone(this.#deps.sql, ids, now)
    this.wake()
  }

  async #removeDue(): Promise<number> {
    const { sql, clock, engine } = this.#deps
    const { rows } = await sql.query<{ memory_id: string; attempts: number }>(
      `select memory_id, attempts from memory_removal where due_at <= $1 order by due_at limit ${batch}`,
      [clock.now()],
    )
    // One that is being fed at this moment is taken out after it, by whoever feeds it.
    const due = rows.filter(({ memory_id }) => !this.#inFlight.has(memory_id))
    if (due.length === 0) return 0
    const ids = due.map(({ memory_id }) => memory_id)
    const { signal, done } = this.#deadline(this.#deps.timeoutMs)
    const outcomes = await untilAborted(engine.remove(ids, signal), signal)
      .catch((error: unknown) => ids.map((id) => refused(id, messageOf(error))))
      .finally(done)
    const taken = outcomes.filter(({ status }) => status !== 'failed').map(({ id }) => id)
    await sql.query('delete from memory_removal where memory_id = any($1::text[])', [taken])
    for (const outcome of outcomes) {
      if (outcome.status !== 'failed') continue
      const attempts = due.find(({ memory_id }) => memory_id === outcome.id)?.attempts ?? 0
      await sql.query(
        'update memory_removal set attempts = attempts + 1, due_at = $2, fault = $3 where memory_id = $1',
        [outcome.id, clock.now() + this.#delay(attempts), outcome.message.slice(0, 1000)],
      )
    }
    return rows.length
  }

  #delay(attempts: number): number {
    return Math.round(Math.min(longestDelayMs, firstDelayMs * 2 ** attempts) * (0.5 + this.#deps.random() / 2))
  }
}

function refused(id: string, message: string): RemoveOutcome {
  return { id, status: 'failed', message, retryable: true }
}

function feedOutcome(outcome: UpsertOutcome): FeedOutcome {
  switch (outcome.status) {
    case 'stored':
      return { status: 'stored' }
    case 'duplicate':
      return { status: 'duplicated' }
    case 'partial':
      return { status: 'partial_success' }
    case 'failed':
      return { status: 'failed', message: outcome.message, retryable: outcome.retryable }
  }
}
