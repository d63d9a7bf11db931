/** A Project with everything scheduled, its queue, and surroundings that answer, are silent, pause it and let time pass. */
import fc from 'fast-check'
import type { MachineDefinition } from '../../../machines/definition.ts'
import { backlogWith, liveTask, settingsWith } from '../../../machines/project/a-project.ts'
import type { Backlog, BlockName, ScheduleSettings } from '../../../machines/project/events.ts'
import { Actors, type Tamper } from '../world/actors.ts'
import type { Outstanding, Trace } from '../world/trace.ts'

export const tickMs = 10 * 60_000
export const floorMs = 25 * 60_000
export const limits = { maxNewTasksPerSweep: 2, maxOpenTasks: 4 } as const
export const maxOpenUpgrades = 2
const schedule = '*/10 * * * *'
export const settings: ScheduleSettings = settingsWith({
  ...limits,
  issueScan: { schedule, maxPerRepo: 9 },
  brainstorm: { schedule, targetOpenProposals: 3, minSessionIntervalMs: floorMs, guidance: '' },
  documentation: { schedule, maxPerRepo: 1 },
  upgrade: { schedule, maxOpenUpgrades },
})

const project = 'project:default/demo' as const

/** What the surroundings make of a backlog: how many there are of each. */
interface Found {
  readonly issues: number
  readonly fresh: number
  readonly mergeRequests: number
  readonly open: number
  readonly parked: number
}

export type Act =
  | { readonly act: 'fire' | 'answer' | 'mail' | 'end'; readonly index: number; readonly found: Found }
  | { readonly act: 'pass'; readonly ms: number }
  | { readonly act: 'apply'; readonly agents: number }
  | { readonly act: 'check'; readonly ready: boolean }

const index = fc.nat(5)
const found = fc.record({
  issues: fc.nat(4),
  // An issue that is new wants a refine first: mostly there is none.
  fresh: fc.constantFrom(0, 0, 0, 1),
  mergeRequests: fc.nat(3),
  open: fc.nat(5),
  parked: fc.nat(2),
})
const doing = (act: 'fire' | 'answer' | 'mail' | 'end'): fc.Arbitrary<Act> =>
  fc.record({ act: fc.constant(act), index, found })

export const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: doing('fire') },
    { weight: 12, arbitrary: doing('answer') },
    { weight: 3, arbitrary: doing('mail') },
    { weight: 4, arbitrary: doing('end') },
    // A few minutes, or a night in which nobody was there.
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.constantFrom(60_000, 400_000, 36e6) }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('apply' as const), agents: fc.constantFrom(0, 3, 3) }) },
    {
      weight: 1,
      arbitrary: fc.record({ act: fc.constant('check' as const), ready: fc.constantFrom(true, true, false) }),
    },
  ),
  { minLength: 60, maxLength: 200, size: 'max' },
)

export interface Changed {
  readonly definitions: readonly MachineDefinition[]
  readonly tamper?: Tamper
}

/** The trace of one history. */
export function live(history: readonly Act[], { definitions, tamper }: Changed): Trace {
  const world = new ScheduleWorld(new Actors(definitions, tamper))
  for (const act of history) world.do(act)
  return world.actors.trace
}

class ScheduleWorld {
  readonly actors: Actors
  #posts = 0
  #generation = 0
  #seen = 0

  constructor(actors: Actors) {
    this.actors = actors
    this.#apply(3)
    this.#check(true)
  }

  do(act: Act): void {
    if (act.act === 'pass') return this.actors.pass(act.ms)
    if (act.act === 'apply') return this.#apply(act.agents)
    if (act.act === 'check') return this.#check(act.ready)
    const one = <T>(things: readonly T[]): T | undefined => things[act.index % Math.max(1, things.length)]
    if (act.act === 'mail') {
      const channel = one(this.actors.channels)
      if (channel !== undefined) this.actors.deliver(channel)
    }
    if (act.act === 'fire') {
      const timer = one(this.actors.timers)
      if (timer !== undefined) this.actors.fire(timer)
    }
    if (act.act === 'answer') {
      const effect = one(this.actors.outbox)
      if (effect !== undefined) this.#answer(effect, act.found)
    }
    if (act.act === 'end') {
      const task = one(this.#minted())
      if (task !== undefined) this.#tell({ type: 'task.ended', task, stage: 'delivered', reason: 'delivered' })
    }
  }

  #tell(event: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#posts += 1
    const mail = { to: project, key: `outside/${this.#posts}`, event: { ...event, at: this.actors.now } }
    this.actors.ask(mail)
  }

  #apply(maxConcurrentAgents: number): void {
    this.#generation += 1
    const generation = this.#generation
    this.#tell({ type: 'project.applied', generation, maxConcurrentAgents, capacity: 3, alertCapacity: 1, settings })
  }

  #check(ready: boolean): void {
    const reason = ready ? '' : 'TokenRefused'
    this.#tell({ type: 'project.checked', generation: this.#generation, ready, reason, message: '' })
  }

  /** Tasks that runs asked for and that have not ended. */
  #minted(): readonly string[] {
    const asked = new Set<string>()
    for (const moment of this.actors.trace) {
      if (moment.kind !== 'stepped') continue
      for (const { type, params } of moment.effects) {
        const event = params['event'] as { readonly type?: string; readonly task?: string } | undefined
        if (type === 'deliver' && event?.type === 'queue.enqueue') asked.add(String(event.task))
      }
      if (moment.event.type === 'task.ended') asked.delete(String(moment.event['task']))
    }
    return [...asked]
  }

  #answer(effect: Outstanding, found: Found): void {
    const { type, params } = effect
    this.actors.settle(effect)
    if (type === 'resyncMirror')
      this.#tell({ type: 'project.resynced', ...(params['run'] ? { run: params['run'] } : {}) })
    if (type === 'planTick') {
      const next = (Math.floor(Number(params['after']) / tickMs) + 1) * tickMs
      this.#tell({ type: 'tick.planned', name: params['name'], schedule: params['schedule'], next })
    }
    if (type === 'readBacklog') this.#tell({ type: 'backlog.read', run: params['run'], backlog: this.#backlog(found) })
  }

  #backlog({ issues, fresh, mergeRequests, open, parked }: Found): Backlog {
    this.#seen += fresh
    const living = this.#minted().map((task) =>
      liveTask(/^default\/([a-z]+)-/.exec(task)![1] as never, { task, repositories: ['docs'] }),
    )
    return backlogWith({
      tasks: [
        ...living,
        ...Array.from({ length: open }, (_, n) => liveTask('review', { task: `default/open-${n}` })),
        ...Array.from({ length: parked }, (_, n) => liveTask('upgrade', { task: `default/parked-${n}`, open: false })),
      ],
      issues: Array.from({ length: issues }, (_, n) => ({
        issue: `default/lib-${this.#seen + n}`,
        repository: 'lib',
        print: `print-${this.#seen + n}`,
        offerable: true,
      })),
      mergeRequests: Array.from({ length: mergeRequests }, (_, n) => ({
        mergeRequest: `default/lib-mr-${n}`,
        repository: 'lib',
        headSha: 's1',
      })),
      documentation: 'docs',
    })
  }
}

export const names: readonly BlockName[] = ['issueScan', 'brainstorm', 'documentation', 'upgrade']
