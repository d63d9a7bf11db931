/**
 * One Project (lifecycles.md, Project; rulings 3.13, 5.17): not ready, it mints and spawns nothing while running turns
 * go on; ready, its mirror is read back every 30 minutes whatever the schedules say.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { effect, perform, tellQueue, type Decision } from '../emit.ts'
import type { ProjectEvent } from './events.ts'

export interface ProjectContext {
  /** Also the id of the Project's queue. */
  readonly id: string
  readonly generation: number
  /** Newest generation whose checks held: behind `generation` while they run. */
  readonly checkedGeneration: number
  /** Why it is not ready; empty when it is. */
  readonly reason: string
  readonly message: string
  readonly resyncedAt: number | null
}

type EventOf<T extends ProjectEvent['type']> = Extract<ProjectEvent, { type: T }>

const minute = 60_000

const projectDelays = {
  /** A mirror is at most an hour stale, with one resync lost (rulings 3.13). */
  resync: 30 * minute,
  /** A Secret may come or a forge return without anything being applied. */
  recheck: 5 * minute,
}

function on<T extends ProjectEvent['type']>(
  _type: T,
  decide: (context: ProjectContext, event: EventOf<T>) => Decision<ProjectContext>,
) {
  return perform<ProjectContext, ProjectEvent>((context, event) => decide(context, event as EventOf<T>))
}

function always(decide: (context: ProjectContext) => Decision<ProjectContext>) {
  return perform<ProjectContext, ProjectEvent>(decide)
}

interface Guarded {
  readonly context: ProjectContext
  readonly event: ProjectEvent
}

/** A check of an older generation says nothing about this one. */
function isChecked(ready: boolean): (args: Guarded) => boolean {
  return ({ context, event }) =>
    event.type === 'project.checked' && event.generation === context.generation && event.ready === ready
}

export const projectMachine = setup({
  types: { context: {} as ProjectContext, events: {} as ProjectEvent, input: {} as MachineInput },
  delays: projectDelays,
  actions: {
    configure: on('project.applied', ({ id }, { generation, maxConcurrentAgents, capacity, alertCapacity }) => ({
      context: { generation },
      effects: [tellQueue(id, { type: 'queue.configured', maxConcurrentAgents, capacity, alertCapacity })],
    })),
    check: always(({ id }) => ({ effects: [effect('checkProject', { project: id })] })),
    open: on('project.checked', ({ id }, { message, generation }) => ({
      context: { reason: '', message, checkedGeneration: generation },
      effects: [tellQueue(id, { type: 'queue.opened' })],
    })),
    close: on('project.checked', ({ id }, { reason, message }) => ({
      context: { reason, message },
      effects: [tellQueue(id, { type: 'queue.closed', reason })],
    })),
    keepChecked: on('project.checked', (_context, { message, generation }) => ({
      context: { message, checkedGeneration: generation },
    })),
    keepReason: on('project.checked', (_context, { reason, message }) => ({ context: { reason, message } })),
    keepFailure: on('effect.failed', (_context, { reason }) => ({
      context: { reason: 'CheckFailed', message: reason },
    })),
    closeDeleted: always(({ id }) => ({ effects: [tellQueue(id, { type: 'queue.closed', reason: 'Deleted' })] })),
    resync: always(({ id }) => ({ effects: [effect('resyncMirror', { project: id })] })),
    keepResync: on('project.resynced', (_context, { at }) => ({ context: { resyncedAt: at } })),
  },
  guards: {
    ready: isChecked(true),
    notReady: isChecked(false),
    changed: ({ context, event }) =>
      isChecked(true)({ context, event }) && context.generation !== context.checkedGeneration,
    checkFailed: ({ event }) => event.type === 'effect.failed' && event.effect === 'checkProject',
  },
}).createMachine({
  // Nothing at the root: XState would still run it on a machine that is done.
  id: 'project',
  context: ({ input }) => ({
    id: input.id,
    generation: 0,
    checkedGeneration: 0,
    reason: 'NotChecked',
    message: '',
    resyncedAt: null,
  }),
  initial: 'notReady',
  states: {
    notReady: {
      meta: {
        owner: 'human',
        reason: 'is not ready: context.reason says why',
        unblocks: 'what the reason names; checked again every 5 minutes',
      },
      after: { recheck: { target: 'notReady', reenter: true, actions: 'check' } },
      on: {
        'project.applied': { actions: ['configure', 'check'] },
        'project.checked': [
          { guard: 'ready', target: 'ready', actions: 'open' },
          { guard: 'notReady', actions: 'keepReason' },
        ],
        'project.resynced': { actions: 'keepResync' },
        'project.deleted': 'deleted',
        'effect.failed': { guard: 'checkFailed', actions: 'keepFailure' },
      },
    },
    ready: {
      meta: { owner: 'project', reason: 'is ready', unblocks: 'read back every 30 minutes' },
      entry: 'resync',
      after: { resync: { target: 'ready', reenter: true, actions: 'check' } },
      on: {
        'project.applied': { actions: ['configure', 'check'] },
        'project.checked': [
          { guard: 'notReady', target: 'notReady', actions: 'close' },
          // A repository that was enrolled meanwhile may hold issues that nobody told us of.
          { guard: 'changed', actions: ['keepChecked', 'resync'] },
        ],
        'project.resynced': { actions: 'keepResync' },
        'project.deleted': 'deleted',
      },
    },
    deleted: { type: 'final', meta: { owner: 'none', reason: 'was deleted', unblocks: '' }, entry: 'closeDeleted' },
  },
})

export const projectDefinition: MachineDefinition = {
  kind: 'project',
  version: 1,
  machine: projectMachine,
  createdBy: ['project.applied'],
  upgrades: {},
}
