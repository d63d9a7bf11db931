/**
 * The memory stack of one Project (PROJECT-MEMORY-1). Upheld here: it is looked at for as long as it is wanted and until it is
 * gone, whatever fails; it is never pending again once it ran; every part that is waited for is late after its bound.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { lookOf, newMemoryStack, type MemoryStackContext } from './context.ts'
import { memoryStackActions } from './decisions.ts'
import type { MemoryStackEvent, StackSight } from './events.ts'

const end = { guard: 'isUnwanted', target: 'ending', actions: 'want' } as const

/** What each state that is looked at shares: it waits for an answer, or for its next look. */
function lookedAt<Name extends string>(name: Name) {
  const again = { target: name, reenter: true } as const
  return {
    failed: { guard: 'failed', ...again, actions: 'fail' },
    after: { look: { ...again, actions: 'ask' } },
    configured: { ...again, actions: 'want' },
    seen: { guard: 'answers', ...again, actions: 'keep' },
  } as const
}

interface Asked {
  readonly context: MemoryStackContext
  readonly event: MemoryStackEvent
}

function answers({ context, event }: Asked): boolean {
  return event.type === 'stack.seen' && event.run === lookOf(context)
}

function isFound({ event }: Pick<Asked, 'event'>, phase: StackSight['phase']): boolean {
  return event.type === 'stack.seen' && event.phase === phase
}

const pending = lookedAt('pending')
const running = lookedAt('running')
const degraded = lookedAt('degraded')
const ending = lookedAt('ending')

export const memoryStackMachine = setup({
  types: { context: {} as MemoryStackContext, events: {} as MemoryStackEvent, input: {} as MachineInput },
  actions: memoryStackActions,
  delays: { look: ({ context: { at, nextAt } }) => Math.max(0, (nextAt ?? at) - at) },
  guards: {
    isWanted: ({ event }) => event.type === 'stack.configured' && event.wanted !== null,
    isUnwanted: ({ event }) => event.type === 'stack.configured' && event.wanted === null,
    answers,
    serves: (args) => answers(args) && isFound(args, 'running'),
    limps: (args) => answers(args) && isFound(args, 'degraded'),
    isGone: (args) => answers(args) && isFound(args, 'gone'),
    failed: ({ event }) => event.type === 'effect.failed' && event.effect === 'reconcileMemoryStack',
  },
}).createMachine({
  id: 'memoryStack',
  context: ({ input }) => newMemoryStack(input.id),
  initial: 'absent',
  states: {
    absent: {
      meta: { owner: 'human', reason: 'no memory stack is wanted', unblocks: 'spec.memory of the Project' },
      on: { 'stack.configured': { guard: 'isWanted', target: 'pending', actions: 'begin' } },
    },
    pending: {
      meta: {
        owner: 'platform',
        reason: 'the memory stack starts for the first time',
        unblocks: 'its memory service answers; the Project’s condition MemoryStack says what is waited for',
      },
      on: {
        'stack.configured': [end, pending.configured],
        'stack.seen': [
          { guard: 'serves', target: 'running', actions: 'open' },
          { guard: 'limps', target: 'degraded', actions: 'open' },
          pending.seen,
        ],
        'effect.failed': pending.failed,
      },
      after: pending.after,
    },
    running: {
      meta: { owner: 'project', reason: 'the memory stack serves', unblocks: 'its next look, within a minute' },
      on: {
        'stack.configured': [end, running.configured],
        'stack.seen': [
          { ...running.seen, guard: 'serves' },
          { ...running.seen, target: 'degraded' },
        ],
        'effect.failed': running.failed,
      },
      after: running.after,
    },
    degraded: {
      meta: {
        owner: 'platform',
        reason: 'a part of the memory stack is not as it should be',
        unblocks: 'the part that the Project’s condition MemoryStack names',
      },
      on: {
        'stack.configured': [end, degraded.configured],
        'stack.seen': [{ guard: 'serves', target: 'running', actions: 'keep' }, degraded.seen],
        'effect.failed': degraded.failed,
      },
      after: degraded.after,
    },
    ending: {
      meta: { owner: 'platform', reason: 'the memory stack ends', unblocks: 'nothing of it runs any more' },
      on: {
        'stack.configured': { guard: 'isWanted', target: 'pending', actions: 'begin' },
        'stack.seen': [{ guard: 'isGone', target: 'absent', actions: 'forget' }, ending.seen],
        'effect.failed': ending.failed,
      },
      after: ending.after,
    },
  },
})

export const memoryStackDefinition: MachineDefinition = {
  kind: 'memory-stack',
  version: 1,
  machine: memoryStackMachine,
  createdBy: ['stack.configured'],
  upgrades: {},
}
