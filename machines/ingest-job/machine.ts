/**
 * One bulk ingest (INGEST and INGEST-JOBS, docs/contract/knowledge.md; INGEST-RULE, docs/rules.md). Upheld here: jobs of one repository one after
 * another; a file's earlier memories go right before its new ones, files without new ones first; an item fails alone,
 * after three tries; a cancelled job is `failed`, and what is stored stays.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { newIngestJob, type IngestJobContext } from './context.ts'
import { groupOf, jobActions } from './decisions.ts'
import type { IngestJobEvent } from './events.ts'

const second = 1000

/** MEMORY-LIMITS-4: an item may take so long; the engine's extraction is slow, not endless. */
const itemTimeout = 60 * second
export const maxTries = 3

interface Guarded {
  readonly context: IngestJobContext
  readonly event: IngestJobEvent
}

/** An answer of an earlier try counts when it is good: the item is stored under its key whichever try did it. */
function isOfItem({ context, event }: Guarded): boolean {
  return (event.type === 'item.stored' || event.type === 'item.failed') && event.index === context.index
}

function isOfTry(args: Guarded): boolean {
  return isOfItem(args) && args.event.type === 'item.failed' && args.event.attempt === args.context.attempt
}

const isLastTry = ({ context }: { readonly context: IngestJobContext }): boolean => context.attempt >= maxTries

export const ingestJobMachine = setup({
  types: { context: {} as IngestJobContext, events: {} as IngestJobEvent, input: {} as MachineInput },
  actions: jobActions,
  delays: {
    itemTimeout: ({ context }: { readonly context: IngestJobContext }): number => context.itemTimeoutMs ?? itemTimeout,
    /** 5 s, then 10 s. */
    retry: ({ context }: { readonly context: IngestJobContext }): number => 5 * second * 2 ** (context.attempt - 1),
  },
  guards: {
    allDone: ({ context }) => groupOf(context) === undefined,
    anyFailed: ({ context }) => groupOf(context) === undefined && context.failed > 0,
    mustPurge: ({ context }) => groupOf(context)?.purges === true && !context.isPurged,
    groupDone: ({ context }) => context.item >= (groupOf(context)?.items ?? 0),
    ofFile: ({ context, event }) => event.type === 'file.purged' && event.file === groupOf(context)?.file,
    ofItem: isOfItem,
    ofTry: isOfTry,
    ofLastTry: (args) => isOfTry(args) && isLastTry(args),
    lastTry: isLastTry,
    purgeRefused: ({ event }) => event.type === 'effect.failed' && event.effect === 'purgeFile',
    storeRefused: ({ event }) => event.type === 'effect.failed' && event.effect === 'storeItem',
  },
}).createMachine({
  id: 'ingest-job',
  context: ({ input }) => newIngestJob(input.id),
  initial: 'new',
  states: {
    new: {
      meta: { owner: 'platform', reason: 'requested, not begun', unblocks: 'job.created, in the step that creates it' },
      on: { 'job.created': { target: 'queued', actions: 'create' } },
    },
    queued: {
      meta: { owner: 'platform', reason: 'waits for the earlier jobs of its repository', unblocks: 'they end' },
      entry: 'askLane',
      exit: 'leaveLane',
      on: {
        'job.admitted': { target: 'running', actions: 'start' },
        'job.cancelled': { target: 'failed', actions: 'cancel' },
      },
    },
    running: {
      meta: { owner: 'platform', reason: 'stores its items', unblocks: 'the engine; each item ends within its tries' },
      initial: 'deciding',
      on: { 'job.cancelled': { target: 'failed', actions: 'cancel' } },
      states: {
        deciding: {
          meta: { owner: 'platform', reason: 'looks at what comes next', unblocks: 'left in the same step' },
          always: [
            { guard: 'anyFailed', target: '#ingest-job.failed' },
            { guard: 'allDone', target: '#ingest-job.succeeded' },
            { guard: 'mustPurge', target: 'purging' },
            { guard: 'groupDone', target: 'deciding', reenter: true, actions: 'nextGroup' },
            { target: 'storing' },
          ],
        },
        purging: {
          meta: { owner: 'platform', reason: "deletes a file's earlier memories", unblocks: 'the store answers' },
          entry: 'askPurge',
          exit: 'leavePurge',
          on: {
            'file.purged': { guard: 'ofFile', target: 'deciding', actions: 'keepPurged' },
            'effect.failed': { guard: 'purgeRefused', target: 'deciding', actions: 'failGroup' },
          },
        },
        storing: {
          meta: { owner: 'platform', reason: 'stores an item', unblocks: 'the engine answers; 60 seconds end the try' },
          entry: 'askStore',
          exit: 'leaveStore',
          after: {
            itemTimeout: [{ guard: 'lastTry', target: 'deciding', actions: 'failLate' }, { target: 'resting' }],
          },
          on: {
            'item.stored': { guard: 'ofItem', target: 'deciding', actions: 'keepStored' },
            'item.failed': [
              { guard: 'ofLastTry', target: 'deciding', actions: 'failItem' },
              { guard: 'ofTry', target: 'resting' },
            ],
            'effect.failed': { guard: 'storeRefused', target: 'deciding', actions: 'failRefused' },
          },
        },
        resting: {
          meta: { owner: 'platform', reason: 'tries an item again in a moment', unblocks: '5 to 10 seconds' },
          after: { retry: 'storing' },
          on: { 'item.stored': { guard: 'ofItem', target: 'deciding', actions: 'keepStored' } },
        },
      },
    },
    succeeded: {
      type: 'final',
      meta: { owner: 'none', reason: 'every item is stored', unblocks: '' },
      entry: 'finish',
    },
    failed: {
      type: 'final',
      meta: { owner: 'none', reason: 'an item failed, or it was cancelled', unblocks: '' },
      entry: 'finish',
    },
  },
})

export const ingestJobDefinition: MachineDefinition = {
  kind: 'ingest-job',
  version: 1,
  machine: ingestJobMachine,
  createdBy: ['job.created'],
  upgrades: {},
}
