/**
 * Slots of one Project (QUEUE, docs/rules.md). No admission above the slots of a class, and none while paused, held or not
 * ready (LAW-1); a lowered cap evicts nothing, and a grant in flight stands [QUEUE-4, QUEUE-5]. Repeats change nothing.
 * Pause and budget are regions of their own, so that neither forgets the other [QUEUE-6].
 */
import { setup } from 'xstate'
import { decideBy, later, type EventOf } from '../decide.ts'
import { withContext, type MachineDefinition, type MachineInput } from '../definition.ts'
import { tellIssue, tellMergeRequest, tellTask, type Decision, type EffectAction } from '../emit.ts'
import { admit, isPaused } from './admission.ts'
import { begin, filed, join } from './incidents.ts'
import { keyed, leave, probe, served, withheld, wordsOfHold } from './key.ts'
import { newQueue, type FinishedEntry, type QueueContext, type WaitingEntry } from './context.ts'
import type { QueueEvent } from './events.ts'

/** A duplicate comes within hours; the ring is only kept small. */
const maxFinished = 500

function grantOf({ sort, task, entry, seed }: WaitingEntry): EffectAction {
  if (sort === 'mint' && seed) return tellTask(task, { type: 'task.minted', seed, entry })
  return tellTask(task, { type: 'slot.granted', entry })
}

/** Behind the mint: before it there was nobody to tell. */
function grantsOf(entry: WaitingEntry): readonly EffectAction[] {
  return [grantOf(entry), ...(entry.firesAgain ? [tellTask(entry.task, { type: 'alert.joined' })] : [])]
}

/** Every event may make room: after its own change whatever fits is admitted, in the same step. */
const { on } = decideBy<QueueContext, QueueEvent>((context, event, decide) => {
  const now = { ...context, at: later(context.at, event.at) }
  const { context: patch, effects = [] } = decide(now)
  const { context: after, admitted } = admit({ ...now, ...patch })
  return { context: after, effects: [...effects, ...wordsOfHold(context, after), ...admitted.flatMap(grantsOf)] }
})

function isKnown(context: QueueContext, entry: string): boolean {
  return [...context.entries, ...context.finished].some((one) => one.entry === entry)
}

function add(
  context: QueueContext,
  { type: _type, at, alert, ...entry }: EventOf<QueueEvent, 'queue.enqueue'>,
): Decision<QueueContext> {
  const joined = alert && join(context, alert)
  if (joined !== undefined) return joined
  if (isKnown(context, entry.entry)) return {}
  const sequence = context.sequence + 1
  const entries = [...context.entries, { ...entry, sequence, enqueuedAt: at, admittedAt: null }]
  const begun = alert ? begin(context, alert, entry.task) : {}
  return { ...begun, context: { ...begun.context, sequence, entries } }
}

function finish({ entry, admittedAt }: WaitingEntry, reason: string): FinishedEntry {
  return { entry, state: admittedAt === null ? 'Dropped' : 'Done', reason }
}

function remove(
  context: QueueContext,
  reason: string,
  isMeant: (entry: WaitingEntry) => boolean,
): Partial<QueueContext> {
  const left = context.entries.filter(isMeant)
  if (left.length === 0) return {}
  const finished = [...context.finished, ...left.map((entry) => finish(entry, reason))].slice(-maxFinished)
  const entries = context.entries.filter((entry) => !isMeant(entry))
  return { entries, finished, probe: left.some(({ entry }) => entry === context.probe) ? '' : context.probe }
}

/**
 * Frees a waiting entry, and an admitted one whose grant is still in flight. Not an admitted `mint`: its Task exists by
 * then and uses the slot, or gives it back itself; freeing it on the word of an Issue would admit one pod too many.
 */
function mayWithdraw({ entry, sort, admittedAt }: WaitingEntry, event: EventOf<QueueEvent, 'queue.withdraw'>): boolean {
  return entry === event.entry && !(sort === 'mint' && admittedAt !== null)
}

/**
 * Nobody may wait for what never comes (ADMISSION-8): issues and merge requests learn that their mint is gone. A Task that
 * is on its way is closed by the word behind the one that mints it.
 */
function endOf({ task, sort, seed, admittedAt }: WaitingEntry): readonly EffectAction[] {
  if (sort !== 'mint' || !seed) return []
  // The issues of a Task that a person made have asked for nothing.
  const asked = seed.origin.kind === 'human' ? [] : seed.issues
  const released = asked.map(({ issue }) => tellIssue(issue, { type: 'issue.projectDeleted' }))
  const ended =
    admittedAt === null
      ? seed.mergeRequests.map(({ mergeRequest }) =>
          tellMergeRequest(mergeRequest, { type: 'mr.released', task, reason: 'project-deleted' }),
        )
      : [tellTask(task, { type: 'task.close', by: 'the platform', reason: 'the Project was deleted' })]
  return [...released, ...ended]
}

/** Nothing is admitted while it is closed. Of a deleted Project what waits is dropped, what runs keeps its slot to the end. */
function close(context: QueueContext, { reason }: EventOf<QueueEvent, 'queue.closed'>): Decision<QueueContext> {
  if (reason !== 'Deleted') return { context: { closedReason: reason } }
  const dropped = remove(context, 'project deleted', ({ admittedAt }) => admittedAt === null)
  const forgotten = context.incidents === undefined ? {} : { incidents: [] }
  return {
    // One of the same name that is applied later is another Project: nobody paused that, and no incident there is open.
    context: { closedReason: reason, ...dropped, ...forgotten, pausedBy: null, key: '', hold: null, probe: '' },
    effects: [...context.entries.flatMap(endOf), ...leave(context)],
  }
}

function meta(
  reason: string,
  unblocks: string,
): { readonly owner: string; readonly reason: string; readonly unblocks: string } {
  return { owner: 'human', reason, unblocks }
}

interface Now {
  readonly context: QueueContext
}

const budgetIs = (budget: QueueContext['budget']) => ({
  guard: ({ context }: Now) => context.budget === budget,
  target: budget,
})

export const queueMachine = setup({
  types: { context: {} as QueueContext, events: {} as QueueEvent, input: {} as MachineInput },
}).createMachine({
  id: 'queue',
  type: 'parallel',
  meta: meta('the queue of a Project', 'its regions name who'),
  context: ({ input }) => newQueue(input.id),
  on: {
    'queue.configured': {
      actions: on('queue.configured', (_context, { maxConcurrentAgents, capacity, alertCapacity }) => ({
        context: { maxConcurrentAgents, capacity, alertCapacity },
      })),
    },
    'queue.enqueue': { actions: on('queue.enqueue', add) },
    'queue.filed': { actions: on('queue.filed', filed) },
    'queue.withdraw': {
      actions: on('queue.withdraw', (context, event) => ({
        context: remove(context, 'withdrawn', (one) => mayWithdraw(one, event)),
      })),
    },
    'queue.release': {
      actions: on('queue.release', (context, { entry }) => ({
        context: remove(context, 'released', (one) => one.entry === entry),
      })),
    },
    'queue.budgeted': { actions: on('queue.budgeted', (_context, { state }) => ({ context: { budget: state } })) },
    'queue.opened': { actions: on('queue.opened', () => ({ context: { closedReason: null } })) },
    'queue.closed': { actions: on('queue.closed', close) },
    'queue.paused': {
      actions: on('queue.paused', (context, { by, reason }) => ({
        context: { pausedBy: context.pausedBy ?? { by, reason, at: context.at } },
      })),
    },
    'queue.resumed': { actions: on('queue.resumed', () => ({ context: { pausedBy: null } })) },
    'queue.keyed': { actions: on('queue.keyed', keyed) },
    'queue.withheld': { actions: on('queue.withheld', withheld) },
    'queue.served': { actions: on('queue.served', served) },
    'queue.probe': { actions: on('queue.probe', probe) },
  },
  states: {
    readiness: {
      meta: meta('whether the Project is ready', 'its checks'),
      initial: 'notReady',
      states: {
        notReady: {
          meta: meta('the Project is not ready', 'the check that fails is repaired'),
          always: { guard: ({ context }) => context.closedReason === null, target: 'ready' },
        },
        ready: {
          meta: meta('the Project is ready', 'nothing'),
          always: { guard: ({ context }) => context.closedReason !== null, target: 'notReady' },
        },
      },
    },
    pause: {
      meta: meta('whether the Project is paused', 'maxConcurrentAgents, or an operator'),
      initial: 'paused',
      states: {
        running: {
          meta: meta('the queue gives out slots', 'nothing'),
          always: { guard: ({ context }) => isPaused(context), target: 'paused' },
        },
        paused: {
          meta: meta(
            'maxConcurrentAgents is 0, or an operator paused it',
            'a maxConcurrentAgents above 0, and statewright resume',
          ),
          always: { guard: ({ context }) => !isPaused(context), target: 'running' },
        },
      },
    },
    budget: {
      meta: meta('what the token budget lets through', 'the reset of its window'),
      initial: 'open',
      states: {
        open: {
          meta: meta('the token budget limits nothing', 'nothing'),
          always: [budgetIs('normalHeld'), budgetIs('allHeld')],
        },
        normalHeld: {
          meta: meta(
            'the queue admits only alerts: the proactive share is used up',
            'the reset of its window, or a higher budget',
          ),
          always: [budgetIs('open'), budgetIs('allHeld')],
        },
        allHeld: {
          meta: meta(
            'the queue admits nothing: the emergency share is used up',
            'the reset of its window, or a higher budget',
          ),
          always: [budgetIs('open'), budgetIs('normalHeld')],
        },
      },
    },
  },
})

export const queueDefinition: MachineDefinition = {
  kind: 'queue',
  version: 5,
  machine: queueMachine,
  createdBy: ['queue.configured', 'queue.enqueue', 'queue.keyed'],
  upgrades: {
    1: (snapshot) => withContext(snapshot, { key: '', hold: null, probe: '' }),
    // Decides otherwise about a join and another key during a try; what it knows has the same form.
    2: (snapshot) => snapshot,
    // Answers an ask during a try otherwise.
    3: (snapshot) => snapshot,
    4: (snapshot) => withContext(snapshot, { pausedBy: null }),
  },
}
