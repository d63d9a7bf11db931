/**
 * A Project with its schedules and its queue, both real, and what surrounds them: a clock that passes with timers only, a
 * forge and a backlog of a few numbers, and Tasks that do nothing but live and end.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../../../machines/definition.ts'
import { perform, tellProject, tellQueue } from '../../../machines/emit.ts'
import { backlogWith, liveTask } from '../../../machines/testing/a-project.ts'
import type { Backlog, LiveTask, ScheduleSettings } from '../../../machines/project/events.ts'
import type { QueueContext } from '../../../machines/queue/context.ts'
import { machines } from '../../../machines/registry.ts'
import { Actors, type Pace } from '../../machines/world/actors.ts'
import { idOf, kindOf, type Outstanding, type Snapshot } from '../../machines/world/trace.ts'
import type { Changed } from '../../machines/world/world.ts'

export const minute = 60_000
export const tickMs = 10 * minute
/** The token budget's schedule. */
const windowMs = 60 * minute

export const project = 'project:default/demo'
const queue = 'queue:default/demo'

interface TaskSketch {
  readonly id: string
  readonly kind: string
  readonly entry: string
}

interface SketchEvent {
  readonly type: 'task.minted' | 'task.over'
  readonly at: number
  readonly entry?: string
  readonly seed?: { readonly kind: string }
  readonly stage?: string
}

/** All that a schedule sees of a Task: that it came into being, and its end. */
const sketch: MachineDefinition = {
  kind: 'task',
  version: 1,
  createdBy: ['task.minted'],
  upgrades: {},
  machine: setup({
    types: { context: {} as TaskSketch, events: {} as SketchEvent, input: {} as MachineInput },
    actions: {
      begin: perform<TaskSketch, SketchEvent>((_context, { seed, entry }) => ({
        context: { kind: seed?.kind ?? '', entry: entry ?? '' },
      })),
      end: perform<TaskSketch, SketchEvent>(({ id, entry }, { stage = 'delivered' }) => ({
        effects: [
          tellQueue(idOf(queue), { type: 'queue.release', entry }),
          tellProject(idOf(project), { type: 'task.ended', task: id, stage, reason: stage }),
        ],
      })),
    },
  }).createMachine({
    id: 'task',
    context: ({ input }) => ({ id: input.id, kind: '', entry: '' }),
    initial: 'unborn',
    states: {
      unborn: { on: { 'task.minted': { target: 'alive', actions: 'begin' } } },
      alive: { on: { 'task.over': { target: 'over', actions: 'end' } } },
      over: { type: 'final' },
    },
  }) as never,
}

export interface Around {
  readonly settings: ScheduleSettings
  readonly agents: number
  readonly isReady: boolean
  readonly areSchedulesOn: boolean
  /** Versions: of the issue that is open, and of the head of a merge request that nobody owns. */
  readonly issue: number
  readonly head: number
  readonly found: Found
}

/** How many there are of each in the backlog. Tasks of others: open ones, and upgrades that are parked. */
export interface Found {
  readonly issues: number
  readonly mergeRequests: number
  readonly open: number
  readonly parked: number
}

/** The least that every block has something to do with. */
const fewest: Found = { issues: 1, mergeRequests: 1, open: 0, parked: 0 }

/** What becomes of an effect: `lost` is settled with nobody told, `refused` is a schedule that cannot be followed. */
export type Fate = 'answered' | 'lost' | 'failed' | 'refused'

export class ScheduleWorld {
  readonly actors: Actors
  around: Around
  #posts = 0
  #generation = 0

  private constructor(actors: Actors, around: Around) {
    this.actors = actors
    this.around = around
  }

  static begin(settings: ScheduleSettings, { definitions = machines, tamper, pace }: Changed): ScheduleWorld {
    const real = definitions.filter(({ kind }) => kind === 'project' || kind === 'queue')
    const timed: Pace | undefined = pace && { ...pace, transition: pace.transition, time: 'timers' }
    const around = { settings, agents: 2, isReady: true, areSchedulesOn: true, issue: 1, head: 1, found: fewest }
    const world = new ScheduleWorld(new Actors([...real, sketch], tamper, timed), around)
    world.apply({})
    return world
  }

  fork(): ScheduleWorld {
    const other = new ScheduleWorld(this.actors.fork(), this.around)
    other.#posts = this.#posts
    other.#generation = this.#generation
    return other
  }

  tell(
    to: typeof project | typeof queue | `task:${string}`,
    event: { readonly type: string; readonly [field: string]: unknown },
  ): void {
    this.#posts += 1
    this.actors.post('outside', { to, key: `outside/${this.#posts}`, event: { ...event, at: this.actors.now } })
  }

  /** The Project as its operator wants it now. */
  apply(change: Partial<Around>): void {
    this.around = { ...this.around, ...change }
    const { agents, settings, areSchedulesOn } = this.around
    this.#generation += 1
    this.tell(project, {
      type: 'project.applied',
      generation: this.#generation,
      maxConcurrentAgents: agents,
      capacity: 2,
      alertCapacity: 1,
      settings: areSchedulesOn ? settings : withoutSchedules(settings),
    })
  }

  check(isReady: boolean): void {
    this.around = { ...this.around, isReady }
    this.#answerCheck()
  }

  #answerCheck(): void {
    const { isReady } = this.around
    const reason = isReady ? '' : 'TokenRefused'
    this.tell(project, {
      type: 'project.checked',
      generation: this.#generation,
      ready: isReady,
      reason,
      message: '',
    })
  }

  /** A Task beside those of the schedules. */
  want(entryClass: 'normal' | 'alert'): void {
    const task = `default/other-${entryClass}-1-aaaaa`
    this.tell(queue, {
      type: 'queue.enqueue',
      entry: `mint/${task}`,
      sort: 'mint',
      task,
      class: entryClass,
      priority: 60,
      kind: 'incident',
      seed: { kind: 'incident' },
    })
  }

  get living(): readonly string[] {
    return this.actors.known('task')
  }

  end(task: string, stage: string): void {
    this.tell(`task:${task}`, { type: 'task.over', stage })
  }

  perform(effect: Outstanding, fate: Fate): void {
    const { type, params } = effect
    this.actors.settle(effect)
    this.actors.record(effect, fate)
    if (fate === 'failed') this.tell(project, { type: 'effect.failed', effect: type, reason: '403', key: effect.key })
    if (fate === 'refused')
      this.tell(project, {
        type: 'tick.refused',
        name: params['name'],
        schedule: params['schedule'],
        reason: 'it never comes',
      })
    if (fate !== 'answered') return
    if (type === 'checkProject') this.#answerCheck()
    if (type === 'resyncMirror')
      this.tell(project, { type: 'project.resynced', ...(params['run'] ? { run: params['run'] } : {}) })
    if (type === 'planTick') this.#planned(params)
    if (type === 'readBacklog')
      this.tell(project, { type: 'backlog.read', run: params['run'], backlog: this.#backlog() })
  }

  #planned({ name, schedule, after }: Outstanding['params']): void {
    const every = name === 'window' ? windowMs : tickMs
    const previous = Math.floor(Number(after) / every) * every
    this.tell(project, { type: 'tick.planned', name, schedule, next: previous + every, previous })
  }

  /** Caps count those that wait to be minted, or were admitted a moment ago, too. */
  #backlog(): Backlog {
    const { issue, head, found } = this.around
    return backlogWith({
      tasks: [
        ...this.#live(),
        ...times(found.open, (n) => liveTask('review', { task: `default/open-${n}` })),
        ...times(found.parked, (n) => liveTask('upgrade', { task: `default/parked-${n}`, open: false })),
      ],
      issues: times(found.issues, (n) => ({
        issue: `default/lib-${n + 1}`,
        repository: 'lib',
        print: `print-${n === 0 ? issue : 0}`,
        offerable: true,
      })),
      mergeRequests: times(found.mergeRequests, (n) => ({
        mergeRequest: `default/lib-mr-${n + 7}`,
        repository: 'lib',
        headSha: `head-${n === 0 ? head : 0}`,
      })),
      documentation: 'docs',
    })
  }

  #live(): readonly LiveTask[] {
    const asked = (this.actors.snapshot(queue)?.context as QueueContext | undefined)?.entries ?? []
    const unborn = asked.filter(({ task }) => this.actors.snapshot(`task:${task}`) === undefined)
    const alive = [...this.actors.snapshots()].filter(([address, { status }]) => isTask(address) && status === 'active')
    const all = [
      ...unborn.map(({ task, kind }) => ({ task, kind })),
      ...alive.map(([address, snapshot]) => ({ task: idOf(address), kind: sketchIn(snapshot).kind })),
    ]
    return all.map(({ task, kind }) => ({
      task,
      kind: kind as LiveTask['kind'],
      repositories: ['lib', 'docs'],
      open: true,
    }))
  }
}

function times<T>(count: number, one: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => one(n))
}

function isTask(address: Parameters<typeof kindOf>[0]): boolean {
  return kindOf(address) === 'task'
}

function sketchIn({ context }: Snapshot): TaskSketch {
  return context as TaskSketch
}

function withoutSchedules(settings: ScheduleSettings): ScheduleSettings {
  const off = { schedule: '' }
  return {
    ...settings,
    issueScan: { ...settings.issueScan, ...off },
    brainstorm: { ...settings.brainstorm, ...off },
    documentation: { ...settings.documentation, ...off },
    upgrade: { ...settings.upgrade, ...off },
  }
}
