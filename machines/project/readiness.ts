/** Whether the Project may work at all: the same rows, with anything scheduled beside them or not (SCHEDULE-1). */
import { effect, tellQueue } from '../emit.ts'
import { newScheduled, type ProjectContext, type Scheduled } from './context.ts'
import { always, on, type Guarded } from './decide.ts'
import { meta, type Actions, type Guards, type State } from './chart.ts'
import type { ScheduleSettings } from './events.ts'

/** What ran stays known when settings change, and when they go and come back. Without any, everything is off. */
function withSettings(
  { scheduled }: ProjectContext,
  settings: ScheduleSettings | undefined,
): ProjectContext['scheduled'] {
  if (scheduled === null) return settings ? newScheduled(settings) : null
  return { ...scheduled, settings: settings ?? switchedOff(scheduled.settings) }
}

/** Its Tasks are closed or never minted, and their ends are heard by nobody: a later life waits for none of them. */
function withoutTasks(scheduled: Scheduled): Scheduled {
  const blocks = Object.fromEntries(
    Object.entries(scheduled.blocks).map(([name, block]) => [name, { ...block, task: '' }]),
  ) as Scheduled['blocks']
  return { ...scheduled, blocks, refine: { ...scheduled.refine, task: '' }, offered: [] }
}

function switchedOff({ budget: _budget, ...settings }: ScheduleSettings): ScheduleSettings {
  const off = { schedule: '' }
  return {
    ...settings,
    issueScan: { ...settings.issueScan, ...off },
    brainstorm: { ...settings.brainstorm, ...off },
    documentation: { ...settings.documentation, ...off },
    upgrade: { ...settings.upgrade, ...off },
  }
}

/** A check of an older generation says nothing about this one. */
function isChecked(ready: boolean): (args: Guarded) => boolean {
  return ({ context, event }) =>
    event.type === 'project.checked' && event.generation === context.generation && event.ready === ready
}

export const readinessGuards: Guards = {
  ready: isChecked(true),
  notReady: isChecked(false),
  changed: ({ context, event }) =>
    isChecked(true)({ context, event }) && context.generation !== context.checkedGeneration,
  checkFailed: ({ event }) => event.type === 'effect.failed' && event.effect === 'checkProject',
}

export const readinessActions: Actions = {
  /** What is judged next is judged by the time of this event. */
  tellTime: always(() => ({})),
  configure: on(
    'project.applied',
    (context, { generation, maxConcurrentAgents, capacity, alertCapacity, settings }) => ({
      context: {
        generation,
        isPaused: maxConcurrentAgents === 0,
        scheduled: withSettings(context, settings),
      },
      effects: [tellQueue(context.id, { type: 'queue.configured', maxConcurrentAgents, capacity, alertCapacity })],
    }),
  ),
  check: always(({ id }) => ({ effects: [effect('checkProject', { project: id })] })),
  open: on('project.checked', ({ id }, { message, generation, faults = [] }) => ({
    context: { reason: '', message, checkedGeneration: generation, faults },
    effects: [tellQueue(id, { type: 'queue.opened' })],
  })),
  close: on('project.checked', ({ id }, { reason, message, faults = [] }) => ({
    context: { reason, message, faults },
    effects: [tellQueue(id, { type: 'queue.closed', reason })],
  })),
  keepChecked: on('project.checked', (_context, { message, generation, faults = [] }) => ({
    context: { message, checkedGeneration: generation, faults },
  })),
  keepReason: on('project.checked', (_context, { reason, message, faults = [] }) => ({
    context: { reason, message, faults },
  })),
  keepFailure: on('effect.failed', (_context, { reason }) => ({
    context: { reason: 'CheckFailed', message: reason },
  })),
  closeDeleted: always(({ id, scheduled }) => ({
    context: {
      reason: 'Deleted',
      message: '',
      faults: [],
      scheduled: scheduled === null ? null : withoutTasks(scheduled),
    },
    effects: [tellQueue(id, { type: 'queue.closed', reason: 'Deleted' })],
  })),
  resync: always(({ id }) => ({ effects: [effect('resyncMirror', { project: id })] })),
  keepResync: on('project.resynced', (_context, { at }) => ({ context: { resyncedAt: at } })),
}

/** `applied`: rows for a Project that is applied again. */
export function readinessStates(applied: readonly { readonly guard?: string; readonly target?: string }[]): {
  readonly notReady: State
  readonly ready: State
} {
  const onApplied = applied.map((row) => ({ ...row, actions: ['configure', 'check'] }))
  return {
    notReady: {
      meta: meta(
        'human',
        'is not ready: context.reason names the cause',
        'what the reason names; checked again every 5 minutes',
      ),
      after: { recheck: { target: 'notReady', reenter: true, actions: 'check' } },
      on: {
        'project.applied': onApplied,
        'project.checked': [
          { guard: 'ready', target: 'ready', actions: 'open' },
          { guard: 'notReady', actions: 'keepReason' },
        ],
        'project.resynced': { actions: 'keepResync' },
        'project.restarted': { actions: 'check' },
        'project.deleted': { target: '#project.deleted' },
        'effect.failed': { guard: 'checkFailed', actions: 'keepFailure' },
      },
    },
    ready: {
      meta: meta('project', 'is ready', 'read back every 30 minutes'),
      entry: 'resync',
      after: { resync: { target: 'ready', reenter: true, actions: 'check' } },
      on: {
        'project.applied': onApplied,
        'project.checked': [
          { guard: 'notReady', target: 'notReady', actions: 'close' },
          // A repository that was enrolled meanwhile may hold issues that nobody told us of.
          { guard: 'changed', actions: ['keepChecked', 'resync'] },
        ],
        'project.resynced': { actions: 'keepResync' },
        // A webhook that found nobody is asked for again now, not at the next resync (MIRROR-6).
        'project.restarted': { target: 'ready', reenter: true, actions: 'check' },
        'project.deleted': { target: '#project.deleted' },
      },
    },
  }
}
