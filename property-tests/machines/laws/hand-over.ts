import type { ActorAddress, JsonObject } from '../../../machines/definition.ts'
import type { QueueContext } from '../../../machines/queue/context.ts'
import { idOf, kindOf, sentIn, taskIn, type Snapshot, type Stepped, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

/** What a Task that has ended gave to another: it must turn up in one that is minted, and be on its way until then. */
function givenUp({ after }: Stepped): readonly string[] {
  const { issues, mergeRequests } = taskIn(after).forge
  const isGiven = ({ state }: { readonly state: string }): boolean => state === 'handedOver'
  return [
    ...issues.filter(isGiven).map(({ issue }) => `issue ${issue}`),
    ...mergeRequests.filter(isGiven).map(({ mergeRequest }) => `merge request ${mergeRequest}`),
  ]
}

interface Owned {
  readonly issues?: readonly { readonly issue: string }[]
  readonly mergeRequests?: readonly { readonly mergeRequest: string }[]
}

function thingsIn({ issues = [], mergeRequests = [] }: Owned): readonly string[] {
  return [
    ...issues.map(({ issue }) => `issue ${issue}`),
    ...mergeRequests.map(({ mergeRequest }) => `merge request ${mergeRequest}`),
  ]
}

/** What a message carries: a minted seed, or a member's answer. */
function carried(event: JsonObject): readonly string[] {
  return thingsIn((event['seed'] ?? event) as unknown as Owned)
}

class Ways {
  /** Messages that were sent and not taken yet, by their text. */
  readonly #mail = new Map<string, readonly string[]>()
  readonly #actors = new Map<ActorAddress, Snapshot>()
  readonly #arrived = new Set<string>()

  step(step: Stepped): void {
    const { actor, event, after, effects } = step
    this.#actors.set(actor, after)
    this.#mail.delete(this.#name(actor, event))
    if (kindOf(actor) === 'task' && event.type === 'task.minted')
      for (const thing of carried(event as never)) this.#arrived.add(thing)
    for (const { type, params } of effects) {
      if (type !== 'deliver') continue
      const { to, event: sent } = params as unknown as { readonly to: ActorAddress; readonly event: JsonObject }
      const things = carried(sent)
      if (things.length > 0) this.#mail.set(this.#name(to, sent), things)
    }
  }

  #name(to: string, event: object): string {
    const { at: _at, ...said } = event as { readonly at?: number }
    return `${to} ${JSON.stringify(said, Object.keys(said).toSorted())}`
  }

  /** Whoever had it before has it no more. */
  giveUp(thing: string): void {
    this.#arrived.delete(thing)
  }

  isOnItsWay(thing: string): boolean {
    if (this.#arrived.has(thing)) return true
    return [...this.#mail.values(), ...[...this.#actors].map(heldBy)].some((things) => things.includes(thing))
  }
}

/** A queue holds it in an entry, a refine Task in an answer that it collects. */
function heldBy([address, { context, status }]: readonly [ActorAddress, Snapshot]): readonly string[] {
  if (kindOf(address) === 'queue')
    return (context as QueueContext).entries.flatMap(({ seed }) => (seed ? thingsIn(seed) : []))
  if (kindOf(address) !== 'task' || status === 'done') return []
  return taskIn({ context, status, value: null }).forge.folds.flatMap(({ answer }) =>
    answer?.accepted ? thingsIn(answer) : [],
  )
}

interface Seeded {
  readonly seed?: { readonly mergeRequests?: readonly { readonly repository: string }[] }
}

/**
 * An heir works on one merge request of a repository: those beside it have no owner any more, and people are told. Of a
 * refine Task that was closed nothing is minted, and each thing is told so.
 */
function released(step: Stepped): readonly string[] {
  const sent = sentIn(step)
  const { folds, foldsClosed } = taskIn(step.after).forge
  const goesOn = sent.flatMap(({ event }) => (event as Seeded).seed?.mergeRequests ?? [])
  const isFree = (repository: string): boolean =>
    foldsClosed !== null || goesOn.some((one) => one.repository === repository)
  const isTold = (type: string, id: string): boolean =>
    sent.some(({ to, event }) => event.type === type && idOf(to) === id)
  return folds.flatMap(({ answer }) => {
    if (!answer?.accepted) return []
    const issues = answer.issues.filter(({ issue }) => foldsClosed !== null && isTold('task.ended', issue))
    const merges = answer.mergeRequests.filter(
      ({ mergeRequest, repository }) => isTold('mr.released', mergeRequest) && isFree(repository),
    )
    return thingsIn({ issues, mergeRequests: merges })
  })
}

function breaches(trace: Trace): readonly string[] {
  const ways = new Ways()
  const given = new Map<string, string>()
  const told = new Set<string>()
  return trace.flatMap((moment) => {
    if (moment.kind !== 'stepped') return []
    ways.step(moment)
    const isTask = kindOf(moment.actor) === 'task'
    for (const thing of isTask ? released(moment) : []) given.delete(thing)
    for (const thing of isTask ? givenUp(moment) : []) {
      if (told.has(`${moment.actor} ${thing}`)) continue
      told.add(`${moment.actor} ${thing}`)
      given.set(thing, idOf(moment.actor))
      ways.giveUp(thing)
    }
    const lost = [...given].filter(([thing]) => !ways.isOnItsWay(thing))
    for (const [thing] of lost) given.delete(thing)
    return lost.map(([thing, task]) => `${thing}, given up by ${task}, is owned by nobody and carried by nothing`)
  })
}

export const law23: Law = {
  number: 23,
  says: 'what one Task hands over to another is at every moment owned, carried by one message, entry or answer, or told that the other never comes',
  breaches,
}
