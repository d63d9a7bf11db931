/** The memory service of a run: what was taken into it outlives every life, and so does the record of who filled it. */
import type { IssueText } from '../../edges/ports/memory-intake.ts'
import { dice, type Dice } from '../runtime/simulation/dice.ts'
import type { Lifeline } from '../runtime/simulation/lifeline.ts'
import type { World } from '../runtime/simulation/world.ts'
import type { Plan } from './plan.ts'

/** What is kept of a Repository. */
export interface Held {
  /** Of which all was taken in, and whose code graph is there; empty: of none. */
  commit: string
  graph: string
  readonly issues: Map<number, IssueText>
}

/** A life began to fill the memory of a Project. */
export interface Filling {
  readonly project: string
  readonly life: string
  /** Steps of actors that were committed by then. */
  readonly place: number
  /** Lives that were filling it by then. */
  readonly beside: readonly string[]
}

/** Then the real intake ends what it began. */
const patienceMs = 50 * 60_000

export class Memory {
  readonly #world: World
  readonly #plan: Plan
  readonly #held = new Map<string, Held>()
  readonly #busy: Pick<Filling, 'project' | 'life'>[] = []
  readonly fillings: Filling[] = []
  readonly pace: Dice

  constructor(world: World, plan: Plan) {
    this.#world = world
    this.#plan = plan
    this.pace = dice(plan.seed, 'pace of the memory')
  }

  /** How long an errand waits for its answer where none comes; undefined: the service answers. */
  get silenceMs(): number | undefined {
    const { memory } = this.#plan
    if (memory === 'gone') return 0
    return memory === 'silent' ? patienceMs : undefined
  }

  held(repository: string): Held {
    const found = this.#held.get(repository) ?? { commit: '', graph: '', issues: new Map<number, IssueText>() }
    this.#held.set(repository, found)
    return found
  }

  /** Until the returned function is called, or the life is cut. */
  begin({ name: life, died }: Lifeline, project: string, place: number): () => void {
    const beside = this.#busy.filter((one) => one.project === project).map((one) => one.life)
    this.fillings.push({ project, life, place, beside })
    this.#world.mark(`${life} fills the memory of ${project}`)
    const one = { project, life }
    this.#busy.push(one)
    const end = (): void => {
      const index = this.#busy.indexOf(one)
      if (index >= 0) this.#busy.splice(index, 1)
    }
    void died.then(end)
    return end
  }
}
