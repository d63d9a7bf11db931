/**
 * Keeps journals as long as a policy says. What is older becomes a baseline that replay starts from (R11); the bodies
 * of the events go, their keys stay, so that a repeated delivery is still known (R3, decisions/0011). A final actor's
 * rows go whole: no event can do anything to it. A journal that does not replay is evidence and is left alone.
 *
 * Each process compacts the shards it holds. Two that overlap for a moment do no harm: both write the same.
 */
import type { MachineDefinition } from '../../machines/definition.ts'
import type { Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import { bodyOf } from '../step/live-machine.ts'
import type { Logger } from '../logger.ts'
import { createLoop, type Loop } from '../loop.ts'
import type { Random } from '../random.ts'
import { foldEvents, groundOf, knownBy, type Known } from './restore.ts'
import { compactJournal } from '../store/journal/compact-journal.ts'
import type { Compacted, Compaction } from '../store/journal/compact-journal.ts'
import { compactionCandidates } from '../store/journal/compaction-candidates.ts'
import type { Candidate } from '../store/journal/compaction-candidates.ts'
import { lastEventBefore } from '../store/journal/last-event-before.ts'
import { listBaselines } from '../store/journal/list-baselines.ts'
import { loadActors } from '../store/actors/load-actors.ts'
import { readJournal } from '../store/journal/read-journal.ts'
import type { SnapshotRow } from '../store/rows.ts'
import type { Sql } from '../store/sql.ts'
import { upgradeSnapshot } from '../step/upgrade.ts'

/** 0: without a limit. */
export interface RetentionPolicy {
  /** Events stay at least so long, unless there are too many of them. */
  readonly days: number
  /** Events of one actor that stay at most. */
  readonly events: number
  /** A final actor's whole journal goes after this time. */
  readonly finalDays: number
}

interface RetentionOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly definitions: readonly MachineDefinition[]
  /** As the runtime of this process is called. */
  readonly owner: string
  readonly policy: RetentionPolicy
  readonly everyMs: number
  /** Is told of each walk, for metrics. */
  readonly swept?: (sweep: Sweep) => void
  /** Drops what is kept beside the journals of actors that ended. */
  readonly dropBefore?: (before: number) => Promise<void>
}

/** What one walk over all actors did. */
export interface Sweep {
  readonly startedAt: number
  readonly endedAt: number
  /** Looked at. */
  readonly actors: number
  /** Shortened. */
  readonly compacted: number
  readonly events: number
  readonly characters: number
  /** Whose journal does not replay, and why: nothing of them was taken. */
  readonly refused: readonly { readonly address: string; readonly reason: string }[]
}

export interface Retention {
  /** Walks once, now; while a walk is under way, the same one. */
  sweep(): Promise<Sweep>
  last(): Sweep | undefined
  stop(): Promise<void>
}

const dayMs = 86_400_000
const pageSize = 200
/** Of one actor in one transaction: a few milliseconds of locks on rows that nobody else writes. */
const eventsAtOnce = 500
/** Named in a report; the others are in the log. */
const refusedAtMost = 100

/** Of an actor that ended before this, nothing is kept but its snapshot. Undefined: all is kept. */
export function endedBefore({ days, finalDays }: RetentionPolicy, now: number): number | undefined {
  const limits = [days, finalDays].filter((limit) => limit > 0)
  return limits.length === 0 ? undefined : now - Math.min(...limits) * dayMs
}

export function startRetention(options: RetentionOptions): Retention {
  const walks = new Walks(options)
  walks.start()
  return walks
}

class Walks implements Retention {
  readonly #options: RetentionOptions
  readonly #known: ReadonlyMap<string, Known>
  readonly #loop: Loop
  #running: Promise<Sweep> | undefined
  #last: Sweep | undefined
  readonly #stopping = new AbortController()

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#known = knownBy(options.definitions)
    this.#loop = createLoop({
      ...options,
      name: 'retention',
      turn: async () => void (await this.sweep()),
      failing: 'the retention sweep could not compact journals',
      over: 'the retention sweep compacts journals again',
    })
  }

  start(): void {
    this.#loop.start(this.#options.everyMs)
  }

  sweep(): Promise<Sweep> {
    this.#running ??= this.#walk().finally(() => (this.#running = undefined))
    return this.#running
  }

  last(): Sweep | undefined {
    return this.#last
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop.stop()
    await this.#running?.catch(() => undefined)
  }

  async #walk(): Promise<Sweep> {
    const { sql, clock, owner, logger } = this.#options
    const startedAt = clock.now()
    const sum = { actors: 0, compacted: 0, events: 0, characters: 0 }
    const refused: { readonly address: string; readonly reason: string }[] = []
    let after = ''
    for (let isLast = false; !isLast && !this.#stopping.signal.aborted;) {
      const page = await compactionCandidates(sql, { owner, after, limit: pageSize })
      for (const candidate of page) {
        sum.actors += 1
        try {
          const { events, characters } = await this.#compact(candidate, startedAt)
          sum.events += events
          sum.characters += characters
          if (events > 0) sum.compacted += 1
        } catch (error) {
          const reason = messageOf(error)
          logger.warn({ actor: candidate.address, reason }, 'the retention sweep skipped a journal')
          if (refused.length < refusedAtMost) refused.push({ address: candidate.address, reason })
        }
      }
      after = page.at(-1)?.address ?? after
      isLast = page.length < pageSize
    }
    const before = endedBefore(this.#options.policy, startedAt)
    if (before !== undefined) await this.#options.dropBefore?.(before)
    this.#last = { startedAt, endedAt: clock.now(), ...sum, refused }
    logger.info({ ...sum, refused: refused.length }, 'the retention sweep compacted journals')
    this.#options.swept?.(this.#last)
    return this.#last
  }

  async #compact(candidate: Candidate, now: number): Promise<Compacted> {
    const { finalDays } = this.#options.policy
    const { status, updatedAt, seq, snapshotSeq, settledSeq } = candidate
    if (
      status === 'done' &&
      finalDays > 0 &&
      updatedAt < now - finalDays * dayMs &&
      snapshotSeq === seq &&
      settledSeq === seq
    )
      return this.#rounds(candidate, (from) => this.#finalPlan(candidate, from, now))
    const upTo = Math.min(snapshotSeq, settledSeq, await this.#limit(candidate, now))
    return this.#rounds(candidate, (from) => this.#livingPlan(candidate, { from, upTo, now }))
  }

  async #rounds(
    { compactedSeq }: Candidate,
    plan: (from: number) => Promise<Compaction | undefined>,
  ): Promise<Compacted> {
    const sum = { events: 0, characters: 0 }
    for (let from = compactedSeq; !this.#stopping.signal.aborted;) {
      const compaction = await plan(from)
      if (!compaction) break
      const { events, characters } = await compactJournal(this.#options.sql, compaction)
      sum.events += events
      sum.characters += characters
      from = compaction.upTo
    }
    return sum
  }

  /** Up to which event the policy lets bodies go. */
  async #limit({ address, seq, compactedSeq, oldestAt }: Candidate, now: number): Promise<number> {
    const { days, events } = this.#options.policy
    const byCount = events > 0 ? seq - events : 0
    const before = now - days * dayMs
    const isOld = days > 0 && oldestAt < before
    const byAge = isOld ? await lastEventBefore(this.#options.sql, { actor: address, seq: compactedSeq, before }) : 0
    return Math.max(byCount, byAge)
  }

  /** Its snapshot says all: it is what replay starts from, by whatever code it was made. */
  async #finalPlan({ address, seq }: Candidate, from: number, at: number): Promise<Compaction | undefined> {
    if (from >= seq) return undefined
    const stored = (await loadActors(this.#options.sql, [address])).get(address)
    if (stored?.row.seq !== seq || stored.snapshot?.seq !== seq) return undefined
    const upTo = Math.min(seq, from + eventsAtOnce)
    return { actor: address, from, upTo, at, baseline: stored.snapshot, isFinal: true }
  }

  async #livingPlan(
    { address, kind }: Candidate,
    { from, upTo, now: at }: { readonly from: number; readonly upTo: number; readonly now: number },
  ): Promise<Compaction | undefined> {
    const known = this.#known.get(kind)
    if (!known || upTo <= from) return undefined
    const { sql } = this.#options
    const grounds = (await listBaselines(sql, address)).filter(({ seq }) => seq <= upTo)
    const ground = grounds.findLast(({ seq }) => seq <= from)
    const next = grounds.find(({ seq }) => seq > from)
    const bound = Math.min(upTo, next?.seq ?? upTo, from + eventsAtOnce)
    const rows = (await readJournal(sql, { actor: address, from: from + 1, limit: eventsAtOnce })).filter(
      ({ seq }) => seq <= bound,
    )
    const isOurs =
      (ground?.machineHash ?? known.hash) === known.hash && rows.every((row) => row.machineHash === known.hash)
    // What other code made is not folded again by this one: its journal goes once there is a baseline behind it.
    if (!isOurs)
      return next && { actor: address, from, upTo: Math.min(next.seq, from + eventsAtOnce), at, isFinal: false }
    if (next?.seq === bound) return { actor: address, from, upTo: bound, at, isFinal: false }
    const { definition } = known
    const start = ground && groundOf(definition, upgradeSnapshot(definition, JSON.parse(ground.body), ground.version))
    const body = bodyOf(foldEvents(known, start, address, rows).snapshot)
    const baseline: SnapshotRow = {
      actor: address,
      seq: bound,
      version: definition.version,
      machineHash: known.hash,
      body,
    }
    return { actor: address, from, upTo: bound, at, baseline, isFinal: false }
  }
}
