/**
 * One region per cron block (lifecycles.md, Project; rulings 1.12, 3.13, 4.28, 5.18, 5.19): a tick that is due while the
 * Project is paused or not ready stays due and is one tick, however many were missed; one that comes during a run
 * follows it, once.
 */
import { isPausedOrNotReady } from './readiness.ts'
import { blockOf, scheduleOf, type ProjectContext } from './context.ts'
import { always, answers, on, type EventOf, type Guarded } from './does.ts'
import type { BlockName, ProjectEvent } from './events.ts'
import {
  begin,
  endRefine,
  finish,
  forgetTick,
  keepRefusal,
  keepTick,
  noteTrouble,
  planTick,
  readBacklog,
  refineFirst,
  refresh,
  skipRefine,
  tickIn,
  wantsRefine,
} from './runs.ts'

const minute = 60_000

/** A run that gets no answer ends by itself (rulings 5.19). */
const runEnds = 240 * minute
/** The pre-step is mandatory, and never holds work up for longer (rulings 5.18). */
const refineWait = 30 * minute

export type Guards = Readonly<Record<string, (args: Guarded) => boolean>>
export type Actions = Readonly<Record<string, ReturnType<typeof on>>>
type Delays = Readonly<Record<string, number | ((args: { readonly context: ProjectContext }) => number)>>

export interface Row {
  readonly guard?: string
  readonly target?: string
  readonly reenter?: boolean
  readonly actions?: string | readonly string[]
}

export interface State {
  readonly id?: string
  readonly meta: { readonly owner: string; readonly reason: string; readonly unblocks: string }
  readonly initial?: string
  readonly entry?: string
  readonly on?: Readonly<Record<string, Row | readonly Row[]>>
  readonly always?: Row | readonly Row[]
  readonly after?: Readonly<Record<string, Row>>
  readonly states?: Readonly<Record<string, State>>
}

/** A part of the machine: a region and what its names mean. */
export interface Part {
  readonly region: State
  readonly actions: Actions
  readonly guards: Guards
  readonly delays: Delays
}

export interface Work {
  readonly name: BlockName
  /** Words for people: what a run of it is. */
  readonly says: string
  /** A refreshed mirror and a refine come first (document 3, Cron blocks, `refine`). */
  readonly prepares: boolean
  /** Rows for the backlog that the run decides on; the last one finishes. */
  readonly rows: readonly Row[]
  readonly states?: Readonly<Record<string, State>>
  /** Between a due tick and its run. */
  readonly gate?: { readonly state: State; readonly guard: string }
  readonly own: Pick<Part, 'actions' | 'guards' | 'delays'>
}

export function meta(owner: string, reason: string, unblocks: string): State['meta'] {
  return { owner, reason, unblocks }
}

export function is<T extends ProjectEvent['type']>(event: ProjectEvent, type: T): event is EventOf<T> {
  return event.type === type
}

function guardsOf(name: BlockName): Guards {
  return {
    [`${name}.on`]: ({ context }) => scheduleOf(context, name) !== '',
    [`${name}.off`]: ({ context }) => scheduleOf(context, name) === '',
    [`${name}.changed`]: ({ context }) => scheduleOf(context, name) !== blockOf(context, name).schedule,
    [`${name}.answered`]: ({ context, event }) =>
      (is(event, 'tick.planned') || is(event, 'tick.refused')) &&
      event.name === name &&
      event.schedule === scheduleOf(context, name),
    [`${name}.mayRun`]: ({ context }) => !isPausedOrNotReady(context),
    [`${name}.read`]: ({ context, event }) => is(event, 'backlog.read') && answers(context, name, event.run),
    [`${name}.unreadable`]: ({ event }) => is(event, 'effect.failed') && event.effect === 'readBacklog',
  }
}

function preparingGuards(name: BlockName): Guards {
  return {
    [`${name}.refreshed`]: ({ context, event }) => is(event, 'project.resynced') && answers(context, name, event.run),
    [`${name}.stale`]: ({ event }) => is(event, 'effect.failed') && event.effect === 'resyncMirror',
    [`${name}.unrefined`]: ({ context, event }) =>
      is(event, 'backlog.read') && answers(context, name, event.run) && wantsRefine(context, event.backlog),
    [`${name}.refined`]: ({ context, event }) =>
      is(event, 'task.ended') && event.task === context.scheduled?.refine.task,
  }
}

function actionsOf(name: BlockName): Actions {
  return {
    [`${name}.plan`]: always((context) => planTick(context, name)),
    [`${name}.keepTick`]: on('tick.planned', (context, { next }) => keepTick(context, name, next)),
    [`${name}.keepRefusal`]: on('tick.refused', (context, { reason }) => keepRefusal(context, name, reason)),
    [`${name}.forget`]: always((context) => forgetTick(context, name)),
    [`${name}.begin`]: always((context) => begin(context, name)),
    [`${name}.readBacklog`]: always((context) => readBacklog(context, name)),
    [`${name}.overran`]: always((context) => noteTrouble(context, name, 'the run got no answer in 4 hours')),
    [`${name}.failed`]: on('effect.failed', (context, { reason }) => noteTrouble(context, name, reason)),
  }
}

function preparingActions(name: BlockName): Actions {
  return {
    [`${name}.refresh`]: always((context) => refresh(context, name)),
    [`${name}.refine`]: on('backlog.read', (context, { backlog }) => refineFirst(context, name, backlog)),
    [`${name}.skipRefine`]: always((context) => skipRefine(context)),
    [`${name}.refineHeld`]: always((context) =>
      noteTrouble(context, name, 'the refine before it did not end in 30 minutes'),
    ),
  }
}

/** Heard of whether a run still waits for it or not. */
export const keepRefineEnd = on('task.ended', (context, { task, stage }) =>
  task === context.scheduled?.refine.task ? endRefine(context, stage) : {},
)

export function finishing(name: BlockName): Actions {
  return { [`${name}.finish`]: always((context) => finish(context, name)) }
}

/** Read once, or again after the refine; then the work. */
function steps({ name, says, prepares, rows }: Work): Readonly<Record<string, State>> {
  const failed = {
    'effect.failed': { guard: `${name}.unreadable`, target: `#${name}.planning`, actions: `${name}.failed` },
  }
  const work = rows.map((row) => ({ guard: `${name}.read`, ...row }))
  if (!prepares)
    return {
      reading: {
        meta: meta('platform', `${says}: reads what there is`, 'the backlog is read'),
        entry: `${name}.readBacklog`,
        on: { 'backlog.read': work, ...failed },
      },
    }
  return {
    refreshing: {
      meta: meta('forge', `${says}: reads the forge back`, 'the forge answers'),
      entry: `${name}.refresh`,
      on: {
        'project.resynced': { guard: `${name}.refreshed`, target: 'reading' },
        'effect.failed': { guard: `${name}.stale`, target: 'reading', actions: `${name}.failed` },
      },
    },
    reading: {
      meta: meta('platform', `${says}: reads what there is`, 'the backlog is read'),
      entry: `${name}.readBacklog`,
      on: {
        'backlog.read': [
          { guard: `${name}.unrefined`, target: 'refining', actions: `${name}.refine` },
          ...work.map((row) => ({ ...row, actions: [`${name}.skipRefine`, row.actions ?? []].flat() })),
        ],
        ...failed,
      },
    },
    refining: {
      meta: meta('task', `${says}: a refine puts the backlog in order first`, 'it ends, or 30 minutes'),
      on: { 'task.ended': { guard: `${name}.refined`, target: 'rereading' } },
      after: { refineWait: { target: 'rereading', actions: `${name}.refineHeld` } },
    },
    rereading: {
      meta: meta('platform', `${says}: reads what the refine left`, 'the backlog is read'),
      entry: `${name}.readBacklog`,
      on: { 'backlog.read': work, ...failed },
    },
  }
}

export function cronBlock(work: Work): Part {
  const { name, says, prepares, states, gate, own } = work
  const restart: Row = { guard: `${name}.changed`, target: 'off' }
  const region: State = {
    id: name,
    meta: meta('project', `the schedule of ${says}`, 'its states say who'),
    initial: 'off',
    states: {
      off: {
        meta: meta('human', `${says}: not scheduled`, 'a schedule in the Project'),
        entry: `${name}.forget`,
        always: { guard: `${name}.on`, target: 'planning' },
      },
      planning: {
        meta: meta('platform', `${says}: asks when it is due`, 'the schedule is read'),
        entry: `${name}.plan`,
        always: [{ guard: `${name}.off`, target: 'off' }, restart],
        on: {
          'tick.planned': { guard: `${name}.answered`, target: 'idle', actions: `${name}.keepTick` },
          'tick.refused': { guard: `${name}.answered`, target: 'refused', actions: `${name}.keepRefusal` },
        },
      },
      refused: {
        meta: meta('human', `${says}: its schedule cannot be followed`, 'another schedule in the Project'),
        always: restart,
      },
      idle: {
        meta: meta('project', `${says}: waits for its tick`, 'its time'),
        always: restart,
        after: { [`${name}.tick`]: { target: 'due' } },
      },
      due: {
        meta: meta('human', `${says}: is due`, 'the Project is ready and not paused'),
        always: [
          restart,
          ...(gate ? [{ guard: gate.guard, target: 'resting' }] : []),
          { guard: `${name}.mayRun`, target: 'running' },
        ],
      },
      ...(gate ? { resting: gate.state } : {}),
      running: {
        meta: meta('platform', `${says}: runs`, 'its steps; at most 4 hours'),
        initial: prepares ? 'refreshing' : 'reading',
        entry: `${name}.begin`,
        after: { runEnds: { target: 'planning', actions: `${name}.overran` } },
        states: { ...steps(work), ...states },
      },
    },
  }
  return {
    region,
    actions: { ...actionsOf(name), ...(prepares ? preparingActions(name) : {}), ...own.actions },
    guards: { ...guardsOf(name), ...(prepares ? preparingGuards(name) : {}), ...own.guards },
    delays: {
      runEnds,
      ...(prepares ? { refineWait } : {}),
      [`${name}.tick`]: ({ context }) => tickIn(context, name),
      ...own.delays,
    },
  }
}
