/**
 * One merge request of the forge (HEAD and MERGE, docs/rules.md).
 * Upheld here: exactly one owner [LAW-7, LAW-23]; a new head, base, draft or state voids the verdict; a merge is believed
 * when the forge says so; `merged` absorbs but tells a late owner how it ended [OWNERSHIP-3].
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { newMergeRequest, type MergeRequestContext } from './context.ts'
import { mergeRequestActions, voidsVerdict } from './decisions.ts'
import type { MergeRequestEvent } from './events.ts'
import { newest } from '../rules/revisions.ts'

interface Guarded {
  readonly context: MergeRequestContext
  readonly event: MergeRequestEvent
}

function shows(state: 'open' | 'merged' | 'closed'): (args: Guarded) => boolean {
  return ({ event }) => event.type === 'mr.observed' && event.facts.state === state
}

/** Only the owner's word counts, and only on the head that stands. */
function fromOwnerOnHead({ context, event }: Guarded): boolean {
  if (event.type !== 'verdict.posted' && event.type !== 'merge.asked') return false
  return (
    event.task === context.owner &&
    (context.facts === null || (event.sha === context.facts.headSha && !context.facts.draft))
  )
}

const whileOpen = {
  'verdict.posted': { guard: 'fromOwnerOnHead', target: 'verdictPosted', actions: 'keepVerdict' },
  'merge.asked': [
    { guard: 'fromOwnerOnHead', target: 'merging' },
    // It judged a head that it read before the newest one was told: told again, it reviews again instead of asking in vain.
    { guard: 'fromOwner', actions: 'tellHead' },
  ],
} as const

const ends = [
  // Nothing is taken from it: what is known is newer.
  { guard: 'overtaken' },
  { guard: 'merged', target: 'merged', actions: 'observe' },
  { guard: 'closed', target: 'closed', actions: 'observe' },
] as const

export const mergeRequestMachine = setup({
  types: { context: {} as MergeRequestContext, events: {} as MergeRequestEvent, input: {} as MachineInput },
  actions: mergeRequestActions,
  guards: {
    merged: shows('merged'),
    closed: shows('closed'),
    open: shows('open'),
    overtaken: ({ context, event }) =>
      event.type === 'mr.observed' && newest(context.facts, event.facts) !== event.facts,
    voids: ({ context, event }) => event.type === 'mr.observed' && voidsVerdict(context.facts, event.facts),
    fromOwnerOnHead,
    fromOwner: ({ context, event }) => 'task' in event && event.task === context.owner,
    fromAnother: ({ context, event }) => 'task' in event && event.task !== context.owner,
  },
}).createMachine({
  id: 'merge-request',
  context: ({ input }) => newMergeRequest(input.id),
  initial: 'open',
  on: {
    'mr.owned': { actions: 'own' },
    'mr.commented': { actions: 'forwardComment' },
    'mr.event': { actions: 'forwardEvent' },
    'mr.command': { actions: 'command' },
    // An offer is for one that is open and unattended.
    'mr.offered': {},
    // What cannot be posted or merged is the Task's to know: it asked.
    'effect.failed': {},
  },
  states: {
    open: {
      meta: {
        owner: 'task',
        reason: 'is open',
        unblocks: 'a review posts its verdict; without an owner a review Task is asked for',
      },
      on: {
        ...whileOpen,
        'mr.observed': [...ends, { actions: 'observe' }],
        'mr.released': { actions: 'release' },
        'mr.offered': { actions: 'takeOffer' },
        'mr.handedOver': { actions: 'handOver' },
      },
    },
    verdictPosted: {
      meta: {
        owner: 'task',
        reason: 'has a verdict on its head',
        unblocks: 'the Task asks for the merge, or a new head voids the verdict',
      },
      on: {
        ...whileOpen,
        'mr.observed': [...ends, { guard: 'voids', target: 'open', actions: 'observe' }, { actions: 'observe' }],
        'mr.released': { guard: 'fromOwner', target: 'open', actions: 'release' },
        'mr.handedOver': { guard: 'fromOwner', target: 'open', actions: 'handOver' },
        'mr.owned': { guard: 'fromAnother', target: 'open', actions: 'own' },
        'merge.left': { guard: 'fromOwner', target: 'open', actions: 'voidVerdict' },
      },
    },
    merging: {
      meta: {
        owner: 'task',
        reason: 'is being merged',
        unblocks: 'the forge reports the merge; after 6 hours the Task stops waiting',
      },
      on: {
        'mr.observed': [...ends, { guard: 'voids', target: 'open', actions: 'observe' }, { actions: 'observeMerging' }],
        'mr.released': { guard: 'fromOwner', target: 'open', actions: 'release' },
        'mr.handedOver': { guard: 'fromOwner', target: 'open', actions: 'handOver' },
        'mr.owned': { guard: 'fromAnother', target: 'open', actions: 'own' },
        'merge.left': { guard: 'fromOwner', target: 'open', actions: 'voidVerdict' },
      },
    },
    closed: {
      meta: { owner: 'human', reason: 'was closed unmerged', unblocks: 'it is reopened' },
      on: {
        'mr.observed': [
          { guard: 'overtaken' },
          { guard: 'merged', target: 'merged', actions: 'observe' },
          { guard: 'open', target: 'open', actions: 'observe' },
          { actions: 'observe' },
        ],
        'mr.released': { actions: 'release' },
        'mr.handedOver': { actions: 'handOver' },
      },
    },
    merged: {
      meta: { owner: 'none', reason: 'is merged', unblocks: 'nothing: it is merged' },
      on: {
        'mr.observed': {},
        'mr.commented': {},
        'mr.event': {},
        'mr.command': {},
        'mr.released': { actions: 'release' },
        'mr.handedOver': { actions: 'handOver' },
      },
    },
  },
})

export const mergeRequestDefinition: MachineDefinition = {
  kind: 'merge-request',
  version: 3,
  machine: mergeRequestMachine,
  createdBy: ['mr.observed', 'mr.owned'],
  // Nothing that it knows changed: version 2 names new Tasks without the title, version 3 passes the words of a go-ahead on.
  upgrades: { 1: (snapshot) => snapshot, 2: (snapshot) => snapshot },
}
