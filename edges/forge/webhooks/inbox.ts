/**
 * Works off stored deliveries, oldest first, those of one Project one after another, whichever process took them in.
 * Applying one twice is harmless.
 */
import { backoffMs, type BackoffBounds } from '../../../runtime/backoff.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { isAway, messageOf, RetryableError, TerminalError } from '../../../runtime/errors.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { createLoop } from '../../../runtime/loop.ts'
import { createOutage, type Outage } from '../../../runtime/outage.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { ForgeChange } from '../change.ts'
import { MalformedPayloadError } from './dialect.ts'
import {
  buryDelivery,
  insertDelivery,
  nextDeliveryAt,
  pendingDeliveries,
  postponeDelivery,
  settleDelivery,
  type NewDelivery,
  type StoredDelivery,
} from './store.ts'

interface ForgeInboxOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** What the body says; undefined: nothing that concerns anybody. Throws `MalformedPayloadError`. */
  readonly changeOf: (delivery: StoredDelivery) => ForgeChange | undefined
  readonly apply: (delivery: StoredDelivery, change: ForgeChange) => Promise<void>
}

export interface ForgeInbox {
  /** Durable when it resolves; false for a delivery seen before. `change`: what its body says. */
  accept(delivery: NewDelivery, change: ForgeChange | undefined): Promise<boolean>
  /** Resolves when nothing is due any more. */
  settled(): Promise<void>
  start(): void
  stop(): Promise<void>
}

const BATCH = 100
/** Half of it on average. */
const WAITS: BackoffBounds = { firstMs: 2_000, longestMs: 120_000 }
/** Another process took in what it did not live to apply, and nobody says so. */
const LOOK_EVERY_MS = 60_000
/** About a quarter of an hour of faults of ours; the resync reads the forge back every half hour anyway. */
const MOST_ATTEMPTS = 20

/** Decoded changes that wait beside their rows; of the others the body is read again. */
const MOST_DECODED = 100

/** Tries that nobody answered are in no row: they are told by the time, and each pause is at most as long as all before it. */
function triesIn(waitedMs: number): number {
  return 1 + Math.floor(Math.log2(Math.max(waitedMs / WAITS.firstMs, 1)))
}

function keyOf({ project, delivery }: NewDelivery): string {
  return `${project} ${delivery}`
}

export function createForgeInbox({ sql, clock, random, logger, changeOf, apply }: ForgeInboxOptions): ForgeInbox {
  const loop = createLoop({
    clock,
    random,
    logger,
    name: 'webhook-inbox',
    everyMs: LOOK_EVERY_MS,
    turn,
    failing: 'the webhook worker could not read its inbox',
    over: 'the webhook worker reads its inbox again',
  })
  /** By Project: each may have a forge of its own. */
  const applying = new Map<string, Outage>()
  const decoded = new Map<string, ForgeChange | undefined>()
  let isStopped = true

  /** A batch, so that a long backlog is many turns. */
  async function turn(): Promise<number> {
    const due = await pendingDeliveries(sql, clock.now(), BATCH)
    const byProject = Map.groupBy(due, (row) => row.project)
    await Promise.all([...byProject.values()].map(inOrder))
    if (due.length > 0) loop.wake()
    const at = (await nextDeliveryAt(sql)) ?? Infinity
    return Math.min(Math.max(at - clock.now(), 0), LOOK_EVERY_MS)
  }

  async function inOrder(rows: readonly StoredDelivery[]): Promise<void> {
    for (const row of rows) {
      if (isStopped) return
      await one(row)
    }
  }

  async function one(row: StoredDelivery): Promise<void> {
    try {
      const change = decodedOf(row)
      if (change !== undefined) await apply(row, change)
    } catch (error) {
      return failed(row, error)
    }
    await settleDelivery(sql, row.project, row.delivery)
    applying.get(row.project)?.answered({ project: row.project })
  }

  function applyingOf(project: string): Outage {
    const known = applying.get(project)
    if (known) return known
    const failing = 'the webhook worker retries a delivery later'
    const outage = createOutage({ clock, random, logger, failing, over: 'the webhook worker applies deliveries again' })
    applying.set(project, outage)
    return outage
  }

  /** A process that did not take a delivery in reads its body, and so does a second attempt. */
  function decodedOf(row: StoredDelivery): ForgeChange | undefined {
    const key = keyOf(row)
    const change = decoded.has(key) ? decoded.get(key) : changeOf(row)
    decoded.delete(key)
    return change
  }

  async function failed(row: StoredDelivery, error: unknown): Promise<void> {
    const asked = error instanceof RetryableError ? error.retryAfterMs : undefined
    // A wait that was asked for, by the forge or by a full queue of ours, is no failed attempt, nor is an answer of nobody (R7).
    const counts = asked === undefined && !isAway(error)
    const isSpent = counts && row.attempts + 1 >= MOST_ATTEMPTS
    const final = error instanceof TerminalError || error instanceof MalformedPayloadError || isSpent
    const fields = { project: row.project, delivery: row.delivery, event: row.event }
    if (final) {
      logger.error({ ...fields, err: error }, 'the webhook worker gave up a delivery')
      return buryDelivery(sql, row, messageOf(error))
    }
    const waitMs = asked ?? backoffMs(counts ? row.attempts + 1 : triesIn(clock.now() - row.at), random, WAITS)
    const attempts = row.attempts + (counts ? 1 : 0)
    await postponeDelivery(sql, row, { attempts, notBefore: clock.now() + waitMs, error: messageOf(error) })
    // A store that is away has said so at the reading.
    applyingOf(row.project).failed(error, fields)
  }

  return {
    async accept(delivery, change) {
      const fresh = await insertDelivery(sql, delivery)
      if (!fresh) return false
      decoded.set(keyOf(delivery), change)
      // The oldest may be another process's by now.
      if (decoded.size > MOST_DECODED) decoded.delete(decoded.keys().next().value!)
      loop.wake()
      return true
    },
    settled: () => loop.settled(),
    start() {
      isStopped = false
      loop.start()
    },
    async stop() {
      isStopped = true
      await loop.stop()
    },
  }
}
