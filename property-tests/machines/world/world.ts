/** A world of real machines: their runtime, a forge, pods, agents and people, in which a history unfolds. */
import type { SpendingLimits } from '../../../machines/ledger/events.ts'
import { machines } from '../../../machines/registry.ts'
import type { ActorAddress, MachineDefinition } from '../../../machines/definition.ts'
import type { Ceiling } from '../../../machines/rules/significance.ts'
import type { AgentKind, TaskSeed } from '../../../machines/task/events.ts'
import { Actors, type Pace, type Tamper } from './actors.ts'
import { Agents } from './agents.ts'
import { Forge, type Hands, type Texts } from './forge.ts'
import { peopleIn, projectOf, type Judging } from './people.ts'
import { perform, type Fate } from './performing.ts'
import { Processes, type Process } from './processes.ts'
import { idOf, type Outstanding } from './trace.ts'

export interface Setting {
  readonly ceiling: Ceiling
  readonly isBotListed: boolean
  readonly isGateOpen: boolean
  readonly capacity: number
  /** `wish`: one labelled issue, `wishes`: two; `own`: one that the platform proposed; `pair`, `trio`: one Task for issues in as many repositories. */
  readonly issues: 'wish' | 'wishes' | 'own' | 'pair' | 'trio' | 'none'
  /** A reporter's merge request to review. */
  readonly hasMergeRequest: boolean
  /** A Task that owns no issue, in the slots of alerts. */
  readonly hasAlert: boolean
  /** A Task of another kind beside them. */
  readonly other: Exclude<AgentKind, 'implement' | 'review'> | 'none'
  /** So many alerts that fire, each with an entry of its own. */
  readonly alerts?: number
  /** Turns are metered. */
  readonly spending?: SpendingLimits
}

/** A changed machine, rule or delivery: a negative control. */
export interface Changed {
  readonly definitions?: readonly MachineDefinition[]
  readonly tamper?: Tamper
  readonly judging?: Judging
  readonly hands?: Hands
  readonly texts?: Texts
  readonly pace?: Pace
}

/** What the git gateway lets through. */
const pushes: ReadonlySet<string> = new Set(['implement', 'documentation', 'upgrade'])

const projectAddress = 'project:default/demo'
const queueAddress = 'queue:default/demo'
const ledgerAddress = 'ledger:default/demo'

export class World {
  readonly actors: Actors
  readonly forge: Forge
  readonly processes: Processes
  readonly agents: Agents
  /** What a turn may use; 0: nobody counts. */
  readonly mostPerTurn: number
  #posts = 0

  private constructor(actors: Actors, forge: Forge, processes: Processes, agents: Agents) {
    this.actors = actors
    this.forge = forge
    this.processes = processes
    this.agents = agents
    this.mostPerTurn = forge.project.taskConfig.tokensPerTurn ?? 0
  }

  static begin(
    setting: Setting,
    { definitions = machines, tamper, judging = (people) => people, hands, texts, pace }: Changed = {},
  ): World {
    const project = projectOf(setting)
    const actors = new Actors(definitions, tamper, pace)
    const forge = new Forge(project, peopleIn(project, judging), actors, hands, texts)
    const processes = new Processes(actors)
    const world = new World(actors, forge, processes, new Agents(actors, forge, processes))
    world.configure(setting.capacity)
    world.#furnish(setting)
    return world
  }

  /** The same moment again: what is done in one is not seen in the other. */
  fork(): World {
    const actors = this.actors.fork()
    const forge = this.forge.fork(actors)
    const processes = this.processes.fork(actors)
    const other = new World(actors, forge, processes, this.agents.fork(actors, forge, processes))
    other.#posts = this.#posts
    return other
  }

  #furnish({ issues, hasMergeRequest, hasAlert, other, alerts = 0, spending }: Setting): void {
    if (spending) this.tell(ledgerAddress, { type: 'ledger.configured', limits: spending })
    if (issues === 'wish' || issues === 'wishes') this.forge.openIssue('lib', 'rita', true)
    if (issues === 'wishes') this.forge.openIssue('lib', 'maya', true)
    if (issues === 'own') this.forge.openIssue('lib', 'platform-bot', true)
    if (issues === 'pair') this.#joint(['lib', 'app'])
    if (issues === 'trio') this.#joint(['lib', 'app', 'docs'])
    if (hasMergeRequest) this.forge.openMergeRequest('lib', 'fix', 'rita')
    if (hasAlert) this.#mint('alert', { issues: [], repositories: ['lib'], origin: { kind: 'alert', ref: 'alert-1' } })
    for (let one = 1; one <= alerts; one++) this.alert(`${one}`)
    if (other !== 'none') this.want(other)
  }

  /** An alert fires: what the edge makes of it (QUEUE-3). */
  alert(ref: string): void {
    const seed = { issues: [], repositories: ['lib'], origin: { kind: 'alert', ref } } as const
    this.#mint('alert', { ...seed, issues: [], repositories: ['lib'] }, 'incident', `default/incident-${ref}`)
  }

  /** A Task that owns no issue is asked for. */
  want(kind: AgentKind): void {
    this.#mint('normal', { issues: [], repositories: ['lib'], origin: { kind: 'cron', ref: 'x' } }, kind)
  }

  /** One Task for an issue in each of them. */
  #joint(repositories: readonly string[]): void {
    for (const name of repositories) this.forge.openIssue(name, 'rita', false, true)
    for (const subject of this.forge.dirty) this.forge.tell(subject)
    const owned = this.forge.issues.map((subject) => ({
      repository: subject.row.repository,
      number: subject.row.number,
      issue: idOf(this.forge.actorOf(subject)),
      selfProposed: false,
      humanCommented: true,
    }))
    this.#mint('normal', {
      issues: owned,
      repositories: [...repositories],
      origin: { kind: 'sweep', ref: 'joint' },
    })
  }

  #mint(
    entryClass: 'normal' | 'alert',
    seed: Pick<TaskSeed, 'issues' | 'repositories' | 'origin'>,
    kind: AgentKind = 'implement',
    task = `default/${kind}-${entryClass}`,
  ): void {
    const whole: TaskSeed = {
      kind,
      goal: 'make it so',
      mergeRequests: [],
      priority: 60,
      config: this.forge.project.taskConfig,
      ...seed,
    }
    this.tell(queueAddress, {
      type: 'queue.enqueue',
      entry: `mint/${task}`,
      sort: 'mint',
      task,
      class: entryClass,
      priority: 60,
      kind,
      seed: whole,
    })
  }

  /** An event of the platform's surroundings, in order for its receiver. */
  tell(
    to: typeof projectAddress | typeof queueAddress | typeof ledgerAddress,
    event: { readonly type: string; readonly [field: string]: unknown },
  ): void {
    this.#posts += 1
    this.actors.post('outside', { to, key: `outside/${this.#posts}`, event: { ...event, at: this.actors.now } })
  }

  /** An operator's word, by the command line: its receiver takes it before anything else. */
  order(to: ActorAddress, event: { readonly type: string; readonly by: string; readonly reason?: string }): void {
    this.actors.ask({ to, key: `operator/${this.actors.heard}`, event: { ...event, at: this.actors.now } })
  }

  configure(maxConcurrentAgents: number): void {
    this.tell(projectAddress, {
      type: 'project.applied',
      generation: 1,
      maxConcurrentAgents,
      capacity: 2,
      alertCapacity: 1,
    })
  }

  budget(state: 'open' | 'normalHeld' | 'allHeld'): void {
    this.tell(queueAddress, { type: 'queue.budgeted', state })
  }

  /** Every limit of the ledger is gone. */
  lift(): void {
    const limits = { tokensPerTask: 0, tokensPerDay: 0, tokensPerProject: 0, maxRaisePerDay: 0 }
    this.tell(ledgerAddress, { type: 'ledger.configured', limits: { tokensPerTurn: this.mostPerTurn, ...limits } })
  }

  perform(effect: Outstanding, fate: Fate = 'done'): void {
    perform(this, effect, fate)
  }

  /** A turn ends at the wrapper; what was committed is pushed first. */
  endTurn(process: Process, stopReason = 'end_turn', isPushLost = false, used = this.mostPerTurn / 2): void {
    const names = process.hasCommits && pushes.has(process.kind) ? process.repositories : []
    if (!isPushLost) for (const { name, branch } of names) this.forge.push(name, branch, 'platform-bot')
    const pushed = isPushLost ? [] : names.map(({ name }) => name)
    const failed = isPushLost ? names.map(({ name }) => ({ repo: name, error: 'rejected' })) : []
    process.hasPushed ||= pushed.length > 0
    process.hasCommits = isPushLost && process.hasCommits
    this.processes.end(process, { stopReason, pushed, failed, ...(used === 0 ? {} : { tokens: used }) })
  }

  /**
   * One small step of a world where everybody does what is next: mail first, then webhooks, effects, agents, and a
   * maintainer who approves each plan. False: all are waiting.
   */
  cooperate(): boolean {
    this.actors.pass(1000)
    const [channel] = this.actors.channels
    if (channel !== undefined) return this.#did(() => this.actors.deliver(channel))
    const [subject] = this.forge.dirty
    if (subject) return this.#did(() => this.forge.tell(subject))
    const [effect] = this.actors.outbox
    if (effect) return this.#did(() => this.perform(effect))
    return this.processes.alive.some((process) => this.#workOf(process))
  }

  #workOf(process: Process): boolean {
    if (this.agents.work(process)) return true
    const [unapproved] = this.agents.waitsForApproval(process)
    if (unapproved) return this.#did(() => this.forge.comment(unapproved, 'maya', '/approve'))
    if (!this.processes.running(process)) return false
    return this.#did(() => this.endTurn(process))
  }

  #did(act: () => void): true {
    act()
    return true
  }
}
