/**
 * The memory of one Project (KNOWLEDGE-16): what stands on the default branches and on the forge is taken in, a bounded step
 * at a time. Upheld here: one step at a time, a change during a step is followed by another step, and whoever does not answer
 * is asked again later and later.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { newMemory, stepOf, type MemoryContext } from './context.ts'
import { memoryActions } from './decisions.ts'
import type { MemoryEvent } from './events.ts'

const stop = { guard: 'isOff', target: 'off', actions: 'stop' } as const

export const memoryMachine = setup({
  types: { context: {} as MemoryContext, events: {} as MemoryEvent, input: {} as MachineInput },
  actions: memoryActions,
  delays: {
    stepEnds: 60 * 60_000,
    look: ({ context: { at, nextAt } }) => Math.max(0, (nextAt ?? at) - at),
  },
  guards: {
    isOn: ({ event }) => event.type === 'memory.configured' && event.fills,
    isOff: ({ event }) => event.type === 'memory.configured' && !event.fills,
    answers: ({ context, event }) => 'run' in event && event.run === stepOf(context),
    failed: ({ event }) => event.type === 'effect.failed' && event.effect === 'fillMemory',
  },
}).createMachine({
  id: 'memory',
  context: ({ input }) => newMemory(input.id),
  initial: 'off',
  states: {
    off: {
      meta: {
        owner: 'human',
        reason: 'nobody fills the memory',
        unblocks: 'a memory service in MEMORY_URLS, and MEMORY_FILL on',
      },
      on: { 'memory.configured': { guard: 'isOn', target: 'filling' } },
    },
    filling: {
      meta: { owner: 'platform', reason: 'takes in what is new', unblocks: 'the step is done; at most an hour' },
      entry: 'begin',
      on: {
        'memory.configured': [stop, { actions: 'note' }],
        'memory.outdated': { actions: 'note' },
        'memory.filled': { guard: 'answers', target: 'resting', actions: 'keep' },
        'memory.held': { guard: 'answers', target: 'resting', actions: 'hold' },
        'effect.failed': { guard: 'failed', target: 'resting', actions: 'fail' },
      },
      after: { stepEnds: { target: 'resting', actions: 'overrun' } },
    },
    resting: {
      meta: { owner: 'project', reason: 'waits for its next look', unblocks: 'a push, or its time' },
      on: {
        'memory.configured': [stop, { target: 'filling' }],
        'memory.outdated': { target: 'resting', reenter: true, actions: 'hurry' },
      },
      after: { look: { target: 'filling' } },
    },
  },
})

export const memoryDefinition: MachineDefinition = {
  kind: 'memory',
  version: 1,
  machine: memoryMachine,
  createdBy: ['memory.configured'],
  upgrades: {},
}
