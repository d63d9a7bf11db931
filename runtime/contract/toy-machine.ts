/** Two small machines that ask for everything the runtime does: the subject of its contract suite. */
import { assign, raise, setup } from 'xstate'
import type { MachineDefinition, MachineEvent, MachineInput } from '../../machines/definition.ts'

interface Asked {
  readonly context: ToyContext
  readonly event: MachineEvent
}

interface ToyContext {
  readonly id: string
  readonly count: number
  readonly log: readonly string[]
}

function nothing(): void {}

const toySetup = setup({
  types: { context: {} as ToyContext, input: {} as MachineInput, events: {} as MachineEvent },
  actions: { deliver: nothing, answer: nothing, withdrawEffects: nothing, call: nothing, ordered: nothing },
  guards: {
    throwing: () => {
      throw new Error('this guard throws')
    },
    isOpen: ({ context }: { context: ToyContext }) => context.count < 1_000_000,
  },
})

const note = toySetup.assign({
  count: ({ context }) => context.count + 1,
  log: ({ context, event }) => [...context.log, String(event['note'] ?? event.type)].slice(-200),
})

/**
 * `opened` brings it into being; `noted` counts and answers; `asked` asks for an effect; `told` writes to a pod;
 * `armed` starts a timer that `disarmed` stops; `closed` ends it. Results of effects are noted too.
 */
export const toyMachine = toySetup.createMachine({
  id: 'toy',
  context: ({ input }) => ({ id: input.id, count: 0, log: [] }),
  initial: 'idle',
  on: {
    noted: {
      guard: 'isOpen',
      actions: [
        note,
        { type: 'answer', params: ({ context }: Asked) => ({ status: 200, body: { count: context.count } }) },
      ],
    },
    'effect.failed': { actions: note },
    'call.done': { actions: note },
    'pod.answered': { actions: note },
    'later.came': { actions: note },
    asked: { actions: { type: 'call', params: ({ event }: Asked) => ({ name: String(event['name'] ?? 'call') }) } },
    askedInOrder: { actions: { type: 'ordered', params: ({ event }: Asked) => ({ name: String(event['name']) }) } },
    told: {
      actions: {
        type: 'deliver',
        params: ({ context, event }: Asked) => ({
          to: `pod:${context.id}`,
          event: { type: 'pod.told', note: String(event['note']) },
        }),
      },
    },
    misaddressed: { actions: { type: 'deliver', params: { to: 'nowhere' } } },
    poisonGuard: { guard: 'throwing', target: '.idle' },
    poisonAction: {
      actions: assign(() => {
        throw new Error('this action throws')
      }),
    },
    later: {
      actions: raise(({ event }) => ({ type: 'later.came', at: event.at, note: 'later' }), {
        delay: 1000,
        id: 'later',
      }),
    },
    closed: '.end',
  },
  states: {
    idle: { on: { armed: 'waiting', merged: 'merging' } },
    waiting: {
      after: { 5000: { target: 'rung', actions: note } },
      on: { disarmed: 'idle', armed: { target: 'waiting', reenter: true } },
    },
    rung: { on: { armed: 'waiting', disarmed: 'idle' } },
    merging: {
      entry: { type: 'call', params: { name: 'merge' } },
      exit: { type: 'withdrawEffects', params: { types: ['call'] } },
      on: { parked: 'idle', merged: { target: 'merging', reenter: true } },
    },
    end: { type: 'final' },
  },
})

/** Notes what the toy tells it and answers it. */
const podMachine = toySetup.createMachine({
  id: 'pod',
  context: ({ input }) => ({ id: input.id, count: 0, log: [] }),
  initial: 'on',
  states: {
    on: {
      on: {
        'pod.told': {
          actions: [
            note,
            {
              type: 'deliver',
              params: ({ context, event }: Asked) => ({
                to: `task:${context.id}`,
                event: { type: 'pod.answered', note: `re ${String(event['note'])}` },
              }),
            },
          ],
        },
      },
    },
  },
})

export const toyDefinition: MachineDefinition = {
  kind: 'task',
  version: 1,
  machine: toyMachine,
  createdBy: ['opened', 'noted'],
  upgrades: {},
}
export const podDefinition: MachineDefinition = {
  kind: 'pod',
  version: 1,
  machine: podMachine,
  createdBy: ['pod.told'],
  upgrades: {},
}
