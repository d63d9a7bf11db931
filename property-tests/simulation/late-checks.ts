/** The checks of each head: one that ends soon, and where the plan has a required one, that one late or, while there is trouble, never. */
import { dice } from '../runtime/simulation/dice.ts'
import type { World } from '../runtime/simulation/world.ts'
import type { Forge } from './forge.ts'
import type { Plan } from './plan.ts'

export const requiredCheck = 'gate'

export class Checks {
  readonly #world: World
  readonly #forge: () => Forge
  readonly #plan: Plan
  readonly #roll
  /** Heads whose required check waits for the calm. */
  readonly #hung: (() => void)[] = []
  #isCalm = false

  constructor(world: World, forge: () => Forge, plan: Plan) {
    this.#world = world
    this.#forge = forge
    this.#plan = plan
    this.#roll = dice(plan.seed, 'late checks')
  }

  /** Somebody mends what runs the checks. */
  becalm(): void {
    this.#isCalm = true
    for (const end of this.#hung.splice(0)) end()
  }

  begin(repository: string, sha: string): void {
    const { after, latency } = this.#world
    this.#report(repository, 'test', sha, undefined)
    after(2000 + latency.fraction() * 20_000, () => this.#later(repository, 'test', sha))
    const { required } = this.#plan
    if (required === undefined) return
    const hangs = !this.#isCalm && this.#roll.chance(required.hangs)
    const end = (): void => after(required.runMs, () => this.#later(repository, requiredCheck, sha))
    const start = (): void => {
      this.#world.onStore(async () => this.#report(repository, requiredCheck, sha, undefined))
      if (hangs && !this.#isCalm) this.#hung.push(end)
      else end()
    }
    if (hangs && required.isUnreported) this.#hung.push(start)
    else after(this.#isCalm ? 0 : required.lateMs, start)
  }

  #later(repository: string, name: string, sha: string): void {
    this.#world.onStore(async () => this.#report(repository, name, sha, 'success'))
  }

  #report(repository: string, name: string, sha: string, conclusion: 'success' | undefined): void {
    this.#forge().check({ repository, name, sha, conclusion })
  }
}
