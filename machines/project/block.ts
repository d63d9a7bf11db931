/**
 * One region per cron block (SCHEDULE, docs/rules.md): a tick that is due while the
 * Project is paused or not ready stays due and is one tick, however many were missed; one that comes during a run
 * follows it, once.
 */
import { is, meta, type Actions, type Guards, type Part, type Row, type State } from './chart.ts'
import { blockOf, isPausedOrNotReady, scheduleOf } from './context.ts'
import { always, answers, on } from './decide.ts'
import type { BlockName } from './events.ts'
import {
  begin,
  endAwaited,
  endRefine,
  finish,
  forgetTick,
  isAwaited,
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

/** A run that gets no answer ends by itself (SCHEDULE-5). */
const runEnds = 240 * minute
/** The pre-step is mandatory, and never holds work up for longer (SCHEDULE-6). */
const refineWait = 30 * minute

interface Work {
  readonly name: BlockName
  /** Words for people: what a run of it is. */
  readonly says: string
  /** A refreshed mirror and a refine come first (CRON-2, CRON-4). */
  readonly prepares: boolean
  /** Rows for the backlog that the run decides on; the last one finishes. */
  readonly rows: readonly Row[]
  readonly states?: Readonly<Record<string, State>>
  /** Its run is over once its Task is minted: the end of the Task is heard in every state. */
  readonly handsOver?: true
  /** Between a due tick and its run. */
  readonly gate?: { readonly state: State; readonly guard: string }
  readonly own: Pick<Part, 'actions' | 'guards' | 'delays'>
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
    [`${name}.bare`]: ({ context, event }) =>
      is(event, 'backlog.read') && answers(context, name, event.run) && event.backlog.repositories.length === 0,
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
    [`${name}.stayBare`]: always((context) => noteTrouble(context, name, 'no Repository is enrolled')),
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

export const keepRefineEnd = on('task.ended', (context, { stage }) => endRefine(context, stage))

/** The refine of a Project, one at a time: its end is heard whether a run still waits for it or not. */
export const refineRegion: State = {
  meta: meta('project', 'the refine before scans and brainstorms', 'its states name who'),
  initial: 'none',
  states: {
    none: {
      meta: meta('project', 'no refine is under way', 'a run finds issues that changed'),
      always: { guard: 'refineLives', target: 'living' },
    },
    living: {
      meta: meta('task', 'a refine is under way', 'its Task ends'),
      on: { 'task.ended': { guard: 'refineEnded', target: 'none', actions: 'keepRefineEnd' } },
    },
  },
}

export function finishing(name: BlockName): Actions {
  return { [`${name}.finish`]: always((context) => finish(context, name)) }
}

/** Read once, or again after the refine; then the work. */
function steps({ name, says, prepares, rows }: Work): Readonly<Record<string, State>> {
  const failed = {
    'effect.failed': { guard: `${name}.unreadable`, target: `#${name}.planning`, actions: `${name}.failed` },
  }
  // Its Tasks would have nothing to read and nowhere to push, for as long as they live.
  const bare = { guard: `${name}.bare`, target: `#${name}.planning`, actions: `${name}.stayBare` }
  const work = rows.map((row) => ({ guard: `${name}.read`, ...row }))
  if (!prepares)
    return {
      reading: {
        meta: meta('platform', `${says}: reads what there is`, 'the backlog is read'),
        entry: `${name}.readBacklog`,
        on: { 'backlog.read': [bare, ...work], ...failed },
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
          bare,
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
      on: { 'backlog.read': [bare, ...work], ...failed },
    },
  }
}

function awaiting(name: BlockName): Pick<Part, 'actions' | 'guards'> & Pick<State, 'on'> {
  return {
    on: { 'task.ended': { guard: `${name}.awaited`, actions: `${name}.endAwaited` } },
    actions: { [`${name}.endAwaited`]: on('task.ended', (context, ended) => endAwaited(context, name, ended)) },
    guards: {
      [`${name}.awaited`]: ({ context, event }) => is(event, 'task.ended') && isAwaited(context, name, event.task),
    },
  }
}

export function cronBlock(work: Work): Part {
  const { name, says, prepares, handsOver, states, gate, own } = work
  const awaits = handsOver ? awaiting(name) : undefined
  const restart: Row = { guard: `${name}.changed`, target: 'off' }
  const region: State = {
    id: name,
    meta: meta('project', `the schedule of ${says}`, 'its states name who'),
    initial: 'off',
    ...(awaits ? { on: awaits.on } : {}),
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
        meta: meta('human', `${says}: its schedule is invalid`, 'another schedule in the Project'),
        always: restart,
      },
      idle: {
        meta: meta('project', `${says}: waits for its next time`, 'its time'),
        always: restart,
        after: { [`${name}.tick`]: { target: 'due', actions: 'tellTime' } },
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
    actions: { ...actionsOf(name), ...(prepares ? preparingActions(name) : {}), ...awaits?.actions, ...own.actions },
    guards: { ...guardsOf(name), ...(prepares ? preparingGuards(name) : {}), ...awaits?.guards, ...own.guards },
    delays: {
      runEnds,
      ...(prepares ? { refineWait } : {}),
      [`${name}.tick`]: ({ context }) => tickIn(context, name),
      ...own.delays,
    },
  }
}
