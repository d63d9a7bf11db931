/**
 * People who may write and maintain nothing: they push to branches of others and give merge requests another base, at the
 * moments that matter (REVIEW-3, HEAD-1).
 */
import { people } from '../../standins/people.ts'
import type { World } from '../runtime/simulation/world.ts'
import { fullName, repositoryNames, type Forge } from './forge.ts'
import type { ForeignPushPlan, Meddler, MeddlingMoment, Plan, RebasePlan } from './plan.ts'
import type { Silence } from './silence.ts'
import { nameOf, type Thread } from './thread.ts'

/** Another branch that merge requests can be given to. */
export const otherBase = 'release'

const logins: Readonly<Record<Meddler, string>> = {
  stranger: people.stranger,
  reporter: people.reporter,
  owner: people.owner,
}
/** Of whoever is not told: what says that a head or a base moved. */
const telling: ReadonlySet<string> = new Set(['push', 'pull_request', 'Push Hook', 'Merge Request Hook'])

export class Meddlers {
  readonly #world: World
  readonly #forge: Forge
  readonly #plan: Plan
  /** Merge requests in the order in which they came to each moment. */
  readonly #met: Readonly<Record<MeddlingMoment, string[]>> = { reviewing: [], judged: [], merging: [] }
  readonly #silence: Silence

  constructor(world: World, forge: Forge, { plan, silence }: { readonly plan: Plan; readonly silence: Silence }) {
    this.#world = world
    this.#forge = forge
    this.#plan = plan
    this.#silence = silence
  }

  begin(): void {
    if (this.#plan.rebases.length === 0) return
    for (const repository of repositoryNames.slice(0, this.#plan.repositories))
      this.#world.onStore(() => this.#push(people.owner, repository, otherBase, 'release.txt'))
  }

  /** A merge request came to this moment; only the first time counts. */
  meet(moment: MeddlingMoment, thread: Thread): void {
    const met = this.#met[moment]
    if (met.includes(nameOf(thread))) return
    const isNow = (plan: ForeignPushPlan | RebasePlan): boolean => plan.moment === moment && plan.nth === met.length
    const { foreignPushes, rebases } = this.#plan
    for (const plan of foreignPushes.filter(isNow))
      this.#world.after(plan.afterMs, () => this.#act(plan, () => this.#pushTo(plan, thread)))
    for (const plan of rebases.filter(isNow))
      this.#world.after(plan.afterMs, () => this.#act(plan, () => this.#rebase(plan, thread)))
    met.push(nameOf(thread))
  }

  #act({ isUntold }: Pick<ForeignPushPlan, 'isUntold'>, act: () => Promise<void>): void {
    this.#world.onStore(() => this.#silence.around(isUntold, telling, act))
  }

  async #pushTo({ by }: ForeignPushPlan, { repository, kind, number }: Thread): Promise<void> {
    const pull = this.#forge.actions.issue(fullName(repository), number, kind)
    if (pull.kind !== 'pull' || pull.state !== 'open') return
    this.#world.tell(`${logins[by]} pushes to ${pull.head} of ${repository}!${number}, which is not theirs`)
    await this.#push(logins[by], repository, pull.head, `src/${pull.head.replaceAll('/', '-')}-by-${by}.txt`)
  }

  async #rebase({ by, backMs, isUntold }: RebasePlan, thread: Thread): Promise<void> {
    if (!(await this.#give(by, thread, otherBase)) || backMs === undefined) return
    this.#world.after(backMs, () => this.#act({ isUntold }, async () => void (await this.#give(by, thread, 'main'))))
  }

  async #give(by: Meddler, { repository, kind, number }: Thread, base: string): Promise<boolean> {
    const pull = this.#forge.actions.issue(fullName(repository), number, kind)
    if (pull.kind !== 'pull' || pull.state !== 'open') return false
    this.#world.tell(`${logins[by]} gives ${repository}!${number} the base ${base}`)
    await this.#forge.rebase(logins[by], repository, number, base)
    return true
  }

  async #push(login: string, repository: string, branch: string, path: string): Promise<void> {
    const text = `${branch} by ${login}\n`
    await this.#forge.push(login, { repository, branch, base: 'main', path, text, message: 'By hand' })
  }
}
