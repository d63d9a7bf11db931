/**
 * Which of the effects that may be performed is next: types within their limits; of one type the targets in turn, so
 * that a slow one delays nobody; of one target the actors in turn, so that a busy one starves nobody; of one actor in
 * the order they came. Every operation takes the same time however many wait.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { LinkedList, type Link } from './linked-list.ts'
import type { Target, Targets } from './targets.ts'

/** One effect on its way, as far as its turn is concerned. */
export interface Queued {
  readonly actor: ActorAddress
  readonly type: string
  /** Undefined: its type has no targets. */
  readonly target: Target | undefined
  position: Position | undefined
}

interface Position {
  readonly actorQueue: ActorQueue
  readonly link: Link<Queued>
}

interface ActorQueue {
  readonly actor: ActorAddress
  readonly effects: LinkedList<Queued>
  readonly targetQueue: TargetQueue
  link: Link<ActorQueue>
}

interface TargetQueue {
  readonly target: Target | undefined
  readonly byActor: Map<ActorAddress, ActorQueue>
  readonly ring: LinkedList<ActorQueue>
  /** Undefined while its target is not to be asked. */
  link: Link<TargetQueue> | undefined
  readonly wake: () => void
}

interface TypeQueue {
  readonly type: string
  readonly limit: number
  performing: number
  waiting: number
  readonly byTarget: Map<Target | undefined, TargetQueue>
  readonly ring: LinkedList<TargetQueue>
}

interface ReadyOptions {
  readonly targets: Targets
  readonly limitOf: (type: string) => number
  readonly start: (effect: Queued) => void
  /** How many of a type wait for their turn and are being performed has changed. */
  readonly changed: (type: string, counts: { readonly waiting: number; readonly performing: number }) => void
}

export class ReadyEffects {
  readonly #options: ReadyOptions
  readonly #types = new Map<string, TypeQueue>()
  #isOpen = false

  constructor(options: ReadyOptions) {
    this.#options = options
  }

  open(): void {
    this.#isOpen = true
    for (const type of this.#types.values()) this.#pump(type)
  }

  close(): void {
    this.#isOpen = false
  }

  add(effect: Queued): void {
    const type = this.#typeOf(effect.type)
    if (this.#isOpen && type.ring.isEmpty && type.performing < type.limit && !type.byTarget.has(effect.target)) {
      if (!effect.target || this.#options.targets.take(effect.target, nothing)) return this.#start(type, effect)
    }
    enqueue(type, effect, () => this.#wake(type, effect.target))
    this.#pump(type)
    this.#changed(type)
  }

  /** Takes back one that waits; of another nothing happens. */
  remove(effect: Queued): void {
    const { position } = effect
    const type = this.#types.get(effect.type)
    if (!position || !type) return
    dequeue(type, effect, position)
    this.#changed(type)
  }

  /** One that was started has ended. */
  release(effect: Queued): void {
    const type = this.#typeOf(effect.type)
    type.performing--
    if (effect.target) this.#options.targets.release(effect.target)
    this.#pump(type)
    this.#changed(type)
  }

  #typeOf(name: string): TypeQueue {
    const known = this.#types.get(name)
    if (known) return known
    const limit = this.#options.limitOf(name)
    const type: TypeQueue = {
      type: name,
      limit,
      performing: 0,
      waiting: 0,
      byTarget: new Map(),
      ring: new LinkedList(),
    }
    this.#types.set(name, type)
    return type
  }

  #pump(type: TypeQueue): void {
    while (this.#isOpen && type.performing < type.limit) {
      const queue = type.ring.first
      if (!queue?.link) return
      type.ring.remove(queue.link)
      if (queue.target && !this.#options.targets.take(queue.target, queue.wake)) queue.link = undefined
      else {
        queue.link = type.ring.push(queue)
        this.#start(type, takeNext(type, queue))
      }
    }
  }

  #start(type: TypeQueue, effect: Queued): void {
    type.performing++
    this.#changed(type)
    this.#options.start(effect)
  }

  #wake(type: TypeQueue, target: Target | undefined): void {
    const queue = type.byTarget.get(target)
    if (!queue || queue.link) return
    queue.link = type.ring.push(queue)
    this.#pump(type)
  }

  #changed({ type, waiting, performing }: TypeQueue): void {
    this.#options.changed(type, { waiting, performing })
  }
}

function nothing(): void {}

function enqueue(type: TypeQueue, effect: Queued, wake: () => void): void {
  const targetQueue = type.byTarget.get(effect.target) ?? newTargetQueue(type, effect.target, wake)
  const actorQueue = targetQueue.byActor.get(effect.actor) ?? newActorQueue(targetQueue, effect.actor)
  effect.position = { actorQueue, link: actorQueue.effects.push(effect) }
  type.waiting++
}

function newTargetQueue(type: TypeQueue, target: Target | undefined, wake: () => void): TargetQueue {
  const queue: TargetQueue = { target, byActor: new Map(), ring: new LinkedList(), link: undefined, wake }
  queue.link = type.ring.push(queue)
  type.byTarget.set(target, queue)
  if (target) target.users++
  return queue
}

function newActorQueue(targetQueue: TargetQueue, actor: ActorAddress): ActorQueue {
  const queue = { actor, effects: new LinkedList<Queued>(), targetQueue } as ActorQueue
  queue.link = targetQueue.ring.push(queue)
  targetQueue.byActor.set(actor, queue)
  return queue
}

/** The first effect of the actor whose turn it is; the actor then stands at the end of the line. */
function takeNext(type: TypeQueue, queue: TargetQueue): Queued {
  const actorQueue = queue.ring.first!
  const effect = actorQueue.effects.first!
  queue.ring.remove(actorQueue.link)
  actorQueue.link = queue.ring.push(actorQueue)
  dequeue(type, effect, effect.position!)
  return effect
}

/** Queues that are empty go at once: there is one for every actor that waits, not for every one that ever did. */
function dequeue(type: TypeQueue, effect: Queued, { actorQueue, link }: Position): void {
  effect.position = undefined
  type.waiting--
  actorQueue.effects.remove(link)
  if (!actorQueue.effects.isEmpty) return
  const { targetQueue } = actorQueue
  targetQueue.ring.remove(actorQueue.link)
  targetQueue.byActor.delete(actorQueue.actor)
  if (!targetQueue.ring.isEmpty) return
  if (targetQueue.link) type.ring.remove(targetQueue.link)
  targetQueue.target?.waiting.delete(targetQueue.wake)
  type.byTarget.delete(targetQueue.target)
  if (targetQueue.target) targetQueue.target.users--
}
