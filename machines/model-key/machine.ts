/**
 * One key of the model's provider (MODEL-KEY, docs/rules.md): a circuit breaker over every Project whose pods use it. Upheld
 * here: while the provider withholds the model, nothing is admitted but one Task at a time, at the reset or after a pause;
 * only a turn of that Task that ended well opens the key again, and only one that the provider refuses makes the pause longer.
 */
import { not, setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { newModelKey, type ModelKeyContext } from './context.ts'
import { isLater, modelKeyActions } from './decisions.ts'
import type { ModelKeyEvent } from './events.ts'

interface Guarded {
  readonly context: ModelKeyContext
  readonly event: ModelKeyEvent
}

function isAsked({ context, event }: Guarded): boolean {
  return 'project' in event && event.project === context.toAsk[0]
}

export const modelKeyMachine = setup({
  types: { context: {} as ModelKeyContext, events: {} as ModelKeyEvent, input: {} as MachineInput },
  actions: modelKeyActions,
  delays: { pause: ({ context }) => Math.max(0, (context.hold?.until ?? context.at) - context.at) },
  guards: {
    later: ({ context, event }) => isLater(context, event),
    asked: isAsked,
    nobodyToAsk: ({ context }) => context.toAsk.length === 0,
    ofProbe: ({ context, event }) => 'task' in event && event.task === context.probe,
  },
}).createMachine({
  id: 'model-key',
  context: ({ input }) => newModelKey(input.id),
  initial: 'serving',
  on: {
    'key.joined': { actions: 'join' },
    'key.left': { actions: 'leave' },
  },
  states: {
    serving: {
      meta: { owner: 'platform', reason: 'the provider answers', unblocks: 'nothing: it holds nobody back' },
      on: { 'key.withheld': { target: 'withheld', actions: 'hold' } },
    },
    withheld: {
      meta: {
        owner: 'operator',
        reason: 'the provider withholds the model from this key',
        unblocks: 'the reset of its window, money, or another key; one Task is tried after the pause',
      },
      after: { pause: { target: 'asking', actions: 'beginRound' } },
      on: {
        'key.withheld': { guard: 'later', target: 'withheld', reenter: true, actions: 'hold' },
        'key.probing': { actions: 'takeBack' },
      },
    },
    asking: {
      meta: { owner: 'queue', reason: 'asks a queue for one Task to try', unblocks: 'the queue answers' },
      entry: 'ask',
      always: { guard: 'nobodyToAsk', target: 'vacant' },
      on: {
        'key.idle': { guard: 'asked', target: 'asking', reenter: true, actions: 'passOver' },
        'key.left': { guard: 'asked', target: 'asking', reenter: true, actions: 'leave' },
        'key.probing': [{ guard: 'asked', target: 'trying', actions: 'keepProbe' }, { actions: 'takeBack' }],
        // It was passed over in this round, and would wait for the next one.
        'key.wanted': { actions: 'askLater' },
      },
    },
    vacant: {
      meta: { owner: 'queue', reason: 'no Task waits that could try the model', unblocks: 'the next Task that waits' },
      on: { 'key.wanted': { target: 'asking', actions: 'askOne' }, 'key.probing': { actions: 'takeBack' } },
    },
    trying: {
      meta: { owner: 'task', reason: 'one Task tries the model', unblocks: 'its turn ends' },
      on: {
        'key.served': { guard: 'ofProbe', target: 'serving', actions: 'serve' },
        'key.withheld': { guard: 'ofProbe', target: 'withheld', actions: 'holdLonger' },
        'key.probeEnded': { guard: 'ofProbe', target: 'withheld', actions: 'holdBriefly' },
        'key.probing': { guard: not('ofProbe'), actions: 'takeBack' },
      },
    },
  },
})

export const modelKeyDefinition: MachineDefinition = {
  kind: 'model-key',
  version: 3,
  machine: modelKeyMachine,
  createdBy: ['key.joined'],
  upgrades: {
    // Answers a join otherwise; what it knows has the same form.
    1: (snapshot) => snapshot,
    // Answers a try otherwise that it did not ask for.
    2: (snapshot) => snapshot,
  },
}
