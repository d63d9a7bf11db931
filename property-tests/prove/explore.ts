/**
 * Every state of a world that at most so many deviations lead to. What is next by itself costs nothing, whatever else
 * may happen costs one: all states within n deviations are met before one with n + 1 (delay-bounded search, Emmi,
 * Qadeer and Rakamaric 2011, with people, faults and timers as delays). A world whose mail costs nothing in any order
 * is explored in every order.
 */
import type { LawName, Living, Move, WorldModel } from './world-model.ts'
import type { History } from './history.ts'
import { hashOf, StateSet } from './state-set.ts'
import type { StateKeys } from './state-key.ts'
import type { Remembered } from './remembered.ts'
import type { Moment } from '../machines/world/trace.ts'
import type { World } from '../machines/world/world.ts'

export interface Bounds {
  /** Infinity: whatever may happen. */
  readonly deviations: number
  readonly states: number
  readonly milliseconds: number
}

export interface Breach {
  readonly law: LawName
  /** What the law says. */
  readonly says: string
  readonly what: string
  /** The moves that lead there, in order. */
  readonly path: readonly string[]
}

export interface Explored {
  readonly world: string
  readonly states: number
  readonly transitions: number
  readonly depth: number
  /** Every state within this many deviations was expanded; -1: not even those of none, Infinity: all that there are. */
  readonly deviations: number
  readonly isComplete: boolean
  readonly steps: number
  readonly seconds: number
  readonly breaches: readonly Breach[]
}

interface Node<W, G> {
  readonly world: W
  readonly history: G
  readonly number: number
  readonly depth: number
}

/** Serves many searches: what one took another need not. */
export interface Memory {
  readonly steps: Remembered
  readonly keys: StateKeys
}

export interface Surroundings {
  /** Milliseconds, never running backwards. */
  readonly now: () => number
  readonly onProgress?: (line: string) => void
  /** A breach ends the search: who kills mutants asks no more. */
  readonly stopsAtFirst?: boolean
  /** What each move brought about, and the moves up to it. */
  readonly onMove?: (moments: readonly Moment[], path: () => readonly string[]) => void
  /** Moves that are made before the search begins, as far as they can be. */
  readonly prefix?: readonly string[]
}

/** A straight way that has not come to where it leads by then never will. */
const longestLead = 600

export class Explorer<W extends Living<W> = World, G = History> {
  readonly #model: WorldModel<W, G>
  readonly #bounds: Bounds
  readonly #around: Surroundings
  readonly #memory: Remembered
  readonly #keys: StateKeys
  readonly #seen = new StateSet()
  /** By number of the state: the fewest deviations that led there. */
  readonly #costs: number[] = []
  /** By number of the state: where it was first reached from, and how. */
  readonly #from: number[] = []
  readonly #by: string[] = []
  readonly #breaches = new Map<string, Breach>()
  /** The moves that led to where the search begins. */
  readonly #way: string[] = []
  /** Snapshots whose future was asked for. */
  readonly #asked = new Set<string>()
  /** By the deviations that lead there. */
  readonly #levels: (Node<W, G>[] | undefined)[] = []
  #transitions = 0
  #depth = 0
  readonly #startedAt: number

  constructor(model: WorldModel<W, G>, bounds: Bounds, memory: Memory, around: Surroundings) {
    this.#model = model
    this.#keys = memory.keys
    this.#bounds = bounds
    this.#memory = memory.steps
    this.#around = around
    this.#startedAt = around.now()
  }

  run(): Explored {
    const [world, history] = this.#led(...this.#begun())
    this.#meet(world, history, 0, -1, '', 0)
    let done = -1
    for (let level = 0; level < this.#levels.length; level++) {
      if (!this.#expandAll(this.#levels[level] ?? [], level)) return this.#result(done)
      this.#levels[level] = undefined
      done = level
    }
    return this.#result(this.#bounds.deviations)
  }

  /** The straight way to where the search begins, with what is done on it; a mutant may never come there. */
  #begun(): readonly [W, G] {
    const { begin, lead, moves, past } = this.#model
    const take = (from: readonly [W, G], move?: Move<W>): readonly [W, G] => {
      this.#way.push(...(move ? [move.says] : []))
      return this.#judged(...from, () => [], move)
    }
    let at = take([begin(), past.none])
    for (const { says, when, act } of lead) {
      for (let step = 0; step < longestLead && !when(at[0]); step++) at = take(at, moves(at[0])[0])
      if (!when(at[0])) return at
      at = take(at, { says, cost: 0, act })
    }
    return at
  }

  /** A mutant may not come as far as the real machines did. */
  #led(world: W, history: G): readonly [W, G] {
    const prefix = this.#around.prefix ?? []
    let led: readonly [W, G] = [world, history]
    for (const [index, says] of prefix.entries()) {
      const move = this.#model.moves(led[0]).find((one) => one.says === says)
      if (!move) return led
      led = this.#judged(...led, () => prefix.slice(0, index + 1), move)
    }
    return led
  }

  #result(deviations: number): Explored {
    return {
      world: this.#model.name,
      states: this.#seen.size,
      transitions: this.#transitions,
      depth: this.#depth,
      deviations,
      isComplete: deviations === this.#bounds.deviations,
      steps: this.#memory.taken,
      seconds: (this.#around.now() - this.#startedAt) / 1000,
      breaches: [...this.#breaches.values()],
    }
  }

  /** Breadth first, so that a counterexample is the shortest of its deviations. False: cut. */
  #expandAll(nodes: Node<W, G>[], level: number): boolean {
    for (let next = 0; next < nodes.length; next++) {
      if (this.#isCut()) return false
      this.#expand(nodes[next]!, level)
      nodes[next] = undefined as never
      if (next % 2000 === 1999) this.#tell(level, nodes.length - next)
    }
    return true
  }

  #isCut(): boolean {
    const { states, milliseconds } = this.#bounds
    const isOver = this.#seen.size >= states || this.#around.now() - this.#startedAt > milliseconds
    return isOver || (this.#around.stopsAtFirst === true && this.#breaches.size > 0)
  }

  #tell(level: number, waiting: number): void {
    const seconds = Math.round((this.#around.now() - this.#startedAt) / 1000)
    this.#around.onProgress?.(
      `${this.#model.name}: ${this.#seen.size} states, ${this.#transitions} transitions, ${level} deviations, ${waiting} waiting, ${seconds} s`,
    )
  }

  #expand(node: Node<W, G>, level: number): void {
    if (this.#costs[node.number]! < level || this.#model.isOver(node.world)) return
    for (const move of this.#model.moves(node.world)) {
      const cost = level + move.cost
      if (cost > this.#bounds.deviations) continue
      this.#transitions += 1
      const path = (): readonly string[] => [...this.#pathTo(node.number), move.says]
      const found = this.#breaches.size
      const [world, history] = this.#judged(node.world, node.history, path, move)
      if (this.#breaches.size === found) this.#meet(world, history, cost, node.number, move.says, node.depth + 1)
    }
  }

  /** The move, judged moment by moment. */
  #judged(from: W, past: G, path: () => readonly string[], move?: Move<W>): readonly [W, G] {
    const { laws, past: memory } = this.#model
    const world = from.fork()
    move?.act(world)
    let before = past
    for (const moment of world.actors.trace) {
      const history = memory.remember(before, moment)
      for (const law of laws)
        for (const what of law.breaches({ moment, world, past: before, history })) this.#found(law, what, path)
      before = history
    }
    this.#around.onMove?.(world.actors.trace, path)
    return [world, before]
  }

  #found(
    { law, says }: { readonly law: LawName; readonly says: string },
    what: string,
    path: () => readonly string[],
  ): void {
    const name = `${law} ${what.replaceAll(/\d+/g, '#')}`
    if (!this.#breaches.has(name)) this.#breaches.set(name, { law, says, what, path: [...this.#way, ...path()] })
  }

  #meet(world: W, history: G, cost: number, from: number, by: string, depth: number): void {
    const { number, isNew } = this.#seen.add(hashOf(this.#model.keyOf(world, history, this.#keys)))
    // Met by a deviation before the straight way came there: it is expanded with all that is left from here.
    if (!isNew && cost >= this.#costs[number]!) return
    this.#costs[number] = cost
    this.#from[number] = from
    this.#by[number] = by
    this.#depth = Math.max(this.#depth, depth)
    const level = (this.#levels[cost] ??= [])
    level.push({ world, history, number, depth })
    if (isNew) this.#askAhead(world, number)
  }

  /** What may still come is asked once for each combination of a Task, its pod and their turn. */
  #askAhead(world: W, number: number): void {
    for (const future of this.#model.futures) {
      const name = `${future.law} ${future.says} ${future.about(world, this.#keys)}`
      if (this.#asked.has(name)) continue
      this.#asked.add(name)
      for (const what of future.judge(world)) this.#found(future, what, () => this.#pathTo(number))
    }
  }

  #pathTo(number: number): readonly string[] {
    const path: string[] = []
    for (let at = number; at > 0; at = this.#from[at]!) path.push(this.#by[at]!)
    return path.toReversed()
  }
}
