import type { MachineEvent } from '../../../machines/definition.ts'
import { parentOf, podIn, sentIn, stepsOf, type Stepped, type Trace } from '../world/trace.ts'
import type { Law } from './law.ts'

type EntryClass = 'normal' | 'alert'

/** The law's own book of a queue, kept from what the queue was told and what it granted. */
class Book {
  readonly #class = new Map<string, EntryClass>()
  readonly #sort = new Map<string, string>()
  readonly held = new Set<string>()
  #limits = { normal: 0, alert: 0 }
  #isPaused = true
  #isStopped = false
  #isReady = false
  #budget = 'open'
  #key: unknown
  #isWithheld = false
  #isTry = false

  hear(event: MachineEvent): void {
    const { type, entry } = event as MachineEvent & { readonly entry: string }
    if (type === 'queue.enqueue') this.#enter(event)
    if (type === 'queue.configured') this.#configure(event)
    if (type === 'queue.budgeted') this.#budget = String(event['state'])
    if (type === 'queue.opened') this.#isReady = true
    if (type === 'queue.closed') this.#isReady = false
    if (type === 'queue.paused') this.#isStopped = true
    if (type === 'queue.resumed') this.#isStopped = false
    this.#hearOfKey(event)
    // An admitted `mint` is its Task's: only a release gives it back.
    if (type === 'queue.release' || (type === 'queue.withdraw' && this.#sort.get(entry) !== 'mint'))
      this.held.delete(entry)
  }

  /** A try is admitted by the word that asks for one (MODEL-KEY-4). */
  #hearOfKey({ type, key }: MachineEvent): void {
    if (type === 'queue.keyed' && key !== this.#key) this.#isWithheld = false
    if (type === 'queue.keyed') this.#key = key
    if (type === 'queue.withheld' && key === this.#key) this.#isWithheld = true
    if (type === 'queue.served' && key === this.#key) this.#isWithheld = false
    this.#isTry = type === 'queue.probe' && key === this.#key
  }

  #enter({ entry, sort, class: entryClass }: MachineEvent): void {
    this.#class.set(String(entry), entryClass as EntryClass)
    this.#sort.set(String(entry), String(sort))
  }

  #configure({ maxConcurrentAgents, capacity, alertCapacity }: MachineEvent): void {
    this.#limits = { normal: Math.min(Number(maxConcurrentAgents), Number(capacity)), alert: Number(alertCapacity) }
    this.#isPaused = maxConcurrentAgents === 0
  }

  admit(entry: string): readonly string[] {
    const entryClass = this.#class.get(entry)
    if (!entryClass) return [`${entry} was admitted and never asked for`]
    if (this.held.has(entry)) return [`${entry} was admitted twice`]
    this.held.add(entry)
    const used = [...this.held].filter((one) => this.#class.get(one) === entryClass).length
    const isHeld = this.#budget === 'allHeld' || (this.#budget === 'normalHeld' && entryClass === 'normal')
    return [
      ...(used > this.#limits[entryClass]
        ? [`${entry} was admitted as number ${used} of ${this.#limits[entryClass]} ${entryClass} slots`]
        : []),
      ...(this.#isStopped ? [`${entry} was admitted while an operator paused the Project`] : []),
      ...(this.#isPaused ? [`${entry} was admitted while paused`] : []),
      ...(this.#isReady ? [] : [`${entry} was admitted while the Project was not ready`]),
      ...(this.#isWithheld && !this.#isTry ? [`${entry} was admitted while the model was withheld`] : []),
      ...(isHeld ? [`${entry} was admitted while the budget was ${this.#budget}`] : []),
    ]
  }
}

/** A pod that runs on a slot given back is one pod too many, whoever gave it back [POD-1, POD-6]. */
function livesOnAHeldSlot(step: Stepped, book: Book, live: Map<string, string>): readonly string[] {
  if (step.actor.startsWith('pod:')) {
    if (step.after.status === 'active') live.set(step.actor, podIn(step.after).entry)
    else live.delete(step.actor)
  }
  if (!step.actor.startsWith('queue:')) return []
  return [...live]
    .filter(([, entry]) => !book.held.has(entry))
    .map(([pod, entry]) => `${pod} lives and its slot ${entry} is free`)
}

/** What a queue sends a Task that may begin, or may have its pod. */
export const grants: ReadonlySet<string> = new Set(['task.minted', 'slot.granted'])

function breaches(trace: Trace): readonly string[] {
  const book = new Book()
  const live = new Map<string, string>()
  return trace.flatMap((moment) => {
    if (moment.kind !== 'stepped') return []
    const isQueue = moment.actor.startsWith('queue:')
    if (isQueue) book.hear(moment.event)
    const granted = isQueue ? sentIn(moment).filter(({ event }) => grants.has(event.type)) : []
    return [
      ...granted.flatMap(({ event }) => book.admit(String(event['entry']))),
      ...livesOnAHeldSlot(moment, book, live),
    ]
  })
}

/** Each live pod has an entry of its own: two on one would be one slot for two. */
function sharedSlots(trace: Trace): readonly string[] {
  const users = new Map<string, string>()
  return stepsOf(trace, 'pod').flatMap((step) => {
    const { entry } = podIn(step.after)
    const user = users.get(entry) ?? step.actor
    users.set(entry, user)
    return user === step.actor ? [] : [`${step.actor} of ${parentOf(step.actor)} runs on the slot of ${user}`]
  })
}

export const law1: Law = {
  number: 1,
  says: 'no admission above the slots of a class, and none while paused or held',
  breaches: (trace) => [...breaches(trace), ...sharedSlots(trace)],
}
