/**
 * Settlements that bring nothing back: that an effect was performed, and no more. Nobody waits for their commit, so they
 * make none of their own: they go with their actor's next step, which writes its row anyway, or after a while many in one
 * commit. An effect whose settlement a crash takes along is performed again under its key, as R6 allows.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import type { Clock, Timer } from '../clock.ts'
import type { SettleWork } from '../work.ts'

interface RestingOptions {
  readonly clock: Clock
  /** How long one rests at most. */
  readonly restMs: number
  /** How many rest at most. */
  readonly most: number
  /** To be committed now. */
  readonly due: (works: readonly SettleWork[]) => void
}

interface Resting {
  readonly since: number
  readonly works: SettleWork[]
}

export class RestingSettlements {
  readonly #options: RestingOptions
  /** The one that rests the longest first. */
  readonly #byActor = new Map<ActorAddress, Resting>()
  #size = 0
  #timer: Timer | undefined

  constructor(options: RestingOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#size
  }

  add(work: SettleWork): void {
    const { clock, most } = this.#options
    const { actor } = work.effect
    const known = this.#byActor.get(actor)
    if (known) known.works.push(work)
    else this.#byActor.set(actor, { since: clock.elapsed(), works: [work] })
    this.#size += 1
    if (this.#size >= most) this.#options.due(this.takeAll())
    else if (!this.#timer) this.#wakeAt(clock.elapsed() + this.#options.restMs)
  }

  /** Those of an actor that is about to be written. */
  take(actor: ActorAddress): readonly SettleWork[] {
    const known = this.#byActor.get(actor)
    if (!known) return none
    this.#byActor.delete(actor)
    this.#size -= known.works.length
    return known.works
  }

  takeAll(): readonly SettleWork[] {
    this.#timer?.cancel()
    this.#timer = undefined
    const all = [...this.#byActor.values()].flatMap(({ works }) => works)
    this.#byActor.clear()
    this.#size = 0
    return all
  }

  /** All that are taken back, of actors of which this holds. */
  remove(isRemoved: (work: SettleWork) => boolean): readonly SettleWork[] {
    const removed = [...this.#byActor.values()].filter(({ works }) => isRemoved(works[0]!))
    return removed.flatMap(({ works }) => this.take(works[0]!.effect.actor))
  }

  #wakeAt(at: number): void {
    const { clock } = this.#options
    this.#timer = clock.setTimer(Math.max(0, at - clock.elapsed()), () => this.#woken())
  }

  /** The younger half of the time rests on: one commit for many, and most of them may yet go with a step. */
  #woken(): void {
    const { clock, restMs, due } = this.#options
    this.#timer = undefined
    const since = clock.elapsed() - restMs / 2
    const works: SettleWork[] = []
    for (const [actor, resting] of this.#byActor) {
      if (resting.since > since) {
        this.#wakeAt(resting.since + restMs)
        break
      }
      for (const work of this.take(actor)) works.push(work)
    }
    if (works.length > 0) due(works)
  }
}

const none: readonly SettleWork[] = []
