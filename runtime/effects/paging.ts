/**
 * Which pending effects are held in memory, and which wait in the store. While all fit, a committed effect goes straight
 * to its handler. When a group has more than it may hold, it is `behind`: whatever else is committed for it stays in the
 * store, and pages are read in the order of actor and journal, round and round, until one round has left nothing
 * out. So memory is bounded, no actor waits for ever, and an ordered effect is never in memory before an earlier one.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import type { EffectId } from '../address.ts'
import type { Alarm, Alarms } from '../timers/timer-heap.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../logger.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import type { EffectPage } from '../store/effects/pending-effects.ts'
import type { EffectRow } from '../store/rows.ts'

interface BacklogOptions {
  readonly clock: Clock
  readonly random: Random
  readonly alarms: Alarms
  readonly logger: Logger
  /** Of each group. */
  readonly maxHeld: number
  readonly isOrdered: (type: string) => boolean
  /** Of the shards that are served, unless told. */
  readonly read: (page: EffectPage, shards?: readonly number[]) => Promise<readonly EffectRow[]>
  /** Runs a task between two commits. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  /** `left-out`: its target has enough in memory for now. */
  readonly take: (effect: EffectRow) => 'taken' | 'known' | 'left-out'
}

interface Group {
  readonly types: readonly string[]
  readonly isOrdered: boolean
  held: number
  isBehind: boolean
  /** Something was left in the store since the round began. */
  hasLeftOut: boolean
  hasTaken: boolean
  cursor: EffectId | undefined
  /** An ordered effect of this actor was left out: none behind it may be taken. */
  leftOutActor: ActorAddress | undefined
  isReading: boolean
  alarm: Alarm | undefined
}

const pageSize = 1000
/**
 * Effects whose time is further away are left in the store: recovery reads everything anew twice as often. Ordered
 * ones are not, because what comes after them must wait for them.
 */
const soonMs = 60_000
/** A round that found nothing to take is repeated after this long, not at once. */
const restMs = 1000

export class Backlog {
  readonly #options: BacklogOptions
  readonly #readings: Outage
  readonly #groups = new Map<string, Group>()
  #ordered = newGroup([], true)
  #isOpen = true

  constructor(options: BacklogOptions) {
    this.#options = options
    this.#readings = createOutage({
      ...options,
      failing: 'the relay could not read pending effects',
      over: 'the relay reads pending effects again',
    })
  }

  /** Before anything is read or held. `ordered`: the types whose effects keep the order of their actor. */
  bind(ordered: readonly string[]): void {
    this.#ordered = newGroup(ordered, true)
  }

  /** Whether a freshly committed effect comes to memory now. */
  admits(type: string): boolean {
    const group = this.#groupOf(type)
    if (!group.isBehind && !this.#isFull(group)) return true
    this.#leaveOut(group)
    return false
  }

  /** Some of its effects are in the store alone: what is read there had better be settled. */
  isBehind(type: string): boolean {
    return this.#groupOf(type).isBehind
  }

  /** Ordered effects may be in the store alone, before others that come: these wait for a reading of all of them. */
  fallBehind(): void {
    if (this.#ordered.types.length > 0) this.#leaveOut(this.#ordered)
  }

  held(type: string): void {
    this.#groupOf(type).held++
  }

  freed(type: string): void {
    const group = this.#groupOf(type)
    group.held--
    this.#goOn(group)
  }

  /** A waiting one whose time is far away needs no memory while others have none; the order of ordered ones does. */
  mayForget(type: string, waitMs: number): boolean {
    const { isBehind, isOrdered } = this.#groupOf(type)
    return isBehind && !isOrdered && waitMs > soonMs
  }

  /**
   * Takes from these shards what memory has room for, and says how much. `isTried`: of what was tried before alone, and for
   * none that is behind, which reads on anyway. Call it between two commits only.
   */
  async readAll(shards: readonly number[], isTried = false): Promise<number> {
    const { read, clock } = this.#options
    const readyBy = clock.now() + soonMs
    const everTypes = this.#ordered.types
    /** Full ones are passed over from then on, also when room comes meanwhile: for the order of ordered ones. */
    const closed = new Set<Group>(isTried ? this.#all().filter((group) => group.isBehind) : [])
    let taken = 0
    let after: EffectId | undefined
    for (const group of this.#all()) group.leftOutActor = undefined
    for (;;) {
      for (const group of this.#all()) if (this.#isFull(group)) closed.add(group)
      const butTypes = [...closed].flatMap((group) => group.types)
      const page = await read({ after, limit: pageSize, butTypes, readyBy, everTypes, isTried }, shards)
      for (const effect of page) if (this.#takeUp(effect, closed)) taken++
      if (page.length < pageSize) break
      after = idOf(page.at(-1)!)
    }
    for (const group of closed) this.#leaveOut(group)
    for (const group of this.#all()) group.leftOutActor = group.cursor = undefined
    return taken
  }

  stop(): void {
    this.#isOpen = false
    for (const group of this.#all()) group.alarm?.cancel()
  }

  #all(): readonly Group[] {
    return [this.#ordered, ...this.#groups.values()]
  }

  #isFull(group: Group): boolean {
    return group.held >= this.#options.maxHeld
  }

  #takeUp(effect: EffectRow, closed: Set<Group>): boolean {
    const group = this.#groupOf(effect.type)
    if (this.#isFull(group)) closed.add(group)
    if (closed.has(group)) return false
    const taken = this.#take(group, effect)
    if (taken === 'left-out') this.#leaveOut(group)
    return taken === 'taken'
  }

  #take(group: Group, effect: EffectRow): ReturnType<BacklogOptions['take']> {
    if (group.isOrdered && group.leftOutActor === effect.actor) return 'left-out'
    const taken = this.#options.take(effect)
    if (taken === 'left-out') group.leftOutActor = effect.actor
    if (taken === 'taken') group.hasTaken = true
    return taken
  }

  /** Ordered types share a group: the order of one actor's effects goes across them. */
  #groupOf(type: string): Group {
    if (this.#options.isOrdered(type)) return this.#ordered
    const known = this.#groups.get(type)
    if (known) return known
    const group = newGroup([type], false)
    this.#groups.set(type, group)
    return group
  }

  #leaveOut(group: Group): void {
    group.hasLeftOut = true
    if (group.isBehind) return
    group.isBehind = true
    this.#goOn(group)
  }

  /** Half empty: a page fits, and there is work left for as long as the reading takes. */
  #goOn(group: Group): void {
    const { maxHeld, alone } = this.#options
    if (!this.#isOpen || !group.isBehind || group.isReading || group.alarm || group.held * 2 > maxHeld) return
    group.isReading = true
    alone(() => this.#readOn(group)).then(
      (isWorthwhile) => {
        group.isReading = false
        this.#readings.answered()
        if (isWorthwhile) this.#goOn(group)
        else this.#rest(group)
      },
      (error: unknown) => {
        group.isReading = false
        this.#rest(group, Math.max(restMs, this.#readings.failed(error)))
      },
    )
  }

  #rest(group: Group, pauseMs = restMs): void {
    if (!group.isBehind || !this.#isOpen) return
    const { alarms, clock } = this.#options
    group.alarm ??= alarms.at(clock.elapsed() + pauseMs, () => {
      group.alarm = undefined
      this.#goOn(group)
    })
  }

  /** False: a whole round found nothing to take. */
  async #readOn(group: Group): Promise<boolean> {
    const { read, clock, maxHeld } = this.#options
    const limit = Math.min(pageSize, maxHeld)
    const readyBy = clock.now() + soonMs
    const everTypes = this.#ordered.types
    const page = await read({ after: group.cursor, limit, types: group.types, readyBy, everTypes })
    for (const effect of page) {
      if (this.#isFull(group)) return (group.hasLeftOut = true)
      if (this.#take(group, effect) === 'left-out') group.hasLeftOut = true
      group.cursor = idOf(effect)
    }
    if (page.length === limit) return true
    return this.#endRound(group)
  }

  #endRound(group: Group): boolean {
    const { hasLeftOut, hasTaken } = group
    newRound(group)
    group.isBehind = hasLeftOut
    return hasTaken
  }
}

function newGroup(types: readonly string[], isOrdered: boolean): Group {
  const round = { isBehind: false, hasLeftOut: false, hasTaken: false, cursor: undefined, leftOutActor: undefined }
  return { types, isOrdered, held: 0, isReading: false, alarm: undefined, ...round }
}

function newRound(group: Group): void {
  group.isBehind = false
  group.hasLeftOut = false
  group.hasTaken = false
  group.cursor = undefined
  group.leftOutActor = undefined
}

function idOf({ actor, seq, idx }: EffectRow): EffectId {
  return { actor, seq, index: idx }
}
