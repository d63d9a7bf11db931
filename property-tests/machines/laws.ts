/** The laws (docs/laws.md) of a moment over whole histories: the prover's own, with its memory of the past. */
import type { ActorAddress } from '../../machines/definition.ts'
import { childOf } from '../../runtime/step/own-effects.ts'
import { taskPast } from '../prove/history.ts'
import { lawsOfHistories } from '../prove/laws.ts'
import type { Around, FiniteLaw, LawName } from '../prove/world-model.ts'
import { mislabels } from './laws/labels.ts'
import { mergesUnread, opensUngranted } from './laws/told.ts'
import type { Mail } from './world/actors.ts'
import type { Moment, Snapshot, Trace } from './world/trace.ts'

export interface Law {
  readonly number: number
  readonly breaches: (trace: Trace) => readonly string[]
}

/** The actors and their mail, as they were after the moment that was taken last. */
class Retold {
  readonly #actors = new Map<ActorAddress, Snapshot>()
  #mail: readonly (Mail & { readonly channel: string })[] = []

  get channels(): readonly string[] {
    return [...new Set(this.#mail.map(({ channel }) => channel))]
  }

  mail(channel: string): readonly Mail[] {
    return this.#mail.filter((one) => one.channel === channel)
  }

  snapshot(address: ActorAddress): Snapshot | undefined {
    return this.#actors.get(address)
  }

  snapshots(): ReadonlyMap<ActorAddress, Snapshot> {
    return this.#actors
  }

  /** What comes to one that is done is told to nobody. */
  take(moment: Moment): void {
    if (moment.kind !== 'stepped') return
    const { actor, seq, event, heardAs, after, effects } = moment
    this.#actors.set(actor, after)
    const sent = effects.flatMap((effect, index) => {
      const child = effect.type === 'deliver' ? childOf(effect, event.at) : undefined
      return child ? [{ ...child, key: `${actor}/${seq}/${index}`, channel: `${actor}>${child.to}` }] : []
    })
    this.#mail = [...this.#mail.filter(({ to, key }) => to !== actor || key !== heardAs), ...sent].filter(
      ({ to }) => this.#actors.get(to)?.status !== 'done',
    )
  }
}

function breachesOf(trace: Trace, laws: readonly FiniteLaw<Around>[]): readonly string[] {
  const actors = new Retold()
  let past = taskPast.none
  return trace.flatMap((moment) => {
    actors.take(moment)
    const seen = { moment, world: { actors }, past, history: taskPast.remember(past, moment) }
    past = seen.history
    const { actor } = moment.kind === 'stepped' ? moment : moment.effect
    return laws.flatMap((law) => law.breaches(seen).map((what) => `LAW-${law.law}: ${what}, by ${actor}`))
  })
}

/** What takes a whole history to judge. */
const longLaws: readonly Law[] = [
  { number: 2, breaches: mergesUnread },
  { number: 3, breaches: opensUngranted },
  { number: 10, breaches: mislabels },
]

export function brokenLaws(trace: Trace, isAsked: (law: LawName) => boolean = () => true): readonly string[] {
  return [
    ...breachesOf(
      trace,
      lawsOfHistories.filter(({ law }) => isAsked(law)),
    ),
    ...longLaws
      .filter(({ number }) => isAsked(number))
      .flatMap(({ number, breaches }) => breaches(trace).map((what) => `LAW-${number}: ${what}`)),
  ]
}

export const laws: readonly Law[] = [
  ...lawsOfHistories.map(({ law }) => Number(law)),
  ...longLaws.map(({ number }) => number),
]
  .toSorted((a, b) => a - b)
  .filter((number, index, all) => number !== all[index - 1])
  .map((number) => ({ number, breaches: (trace) => brokenLaws(trace, (law) => law === number) }))
