/** Two small machines that ask for everything the runtime does, and note whatever reaches them, in order. */
import { cancel, setup } from 'xstate'
import type { MachineDefinition, MachineEvent, MachineInput } from '../../../machines/definition.ts'

interface Asked {
  readonly context: Noted
  readonly event: MachineEvent
}

interface Noted {
  readonly id: string
  readonly count: number
  readonly log: readonly string[]
}

function nothing(): void {}

const kit = setup({
  types: { context: {} as Noted, input: {} as MachineInput, events: {} as MachineEvent },
  actions: {
    deliver: nothing,
    answer: nothing,
    withdrawEffects: nothing,
    call: nothing,
    callInOrder: nothing,
    fileNote: nothing,
    merge: nothing,
  },
  guards: {
    throwing: () => {
      throw new Error('this guard throws')
    },
    goesOn: ({ event }) => Number(event['hops']) > 0,
  },
})

const note = kit.assign({
  count: ({ context }) => context.count + 1,
  log: ({ context, event }) => [...context.log, `${event.type} ${String(event['note'])}`],
})

const answerCount = {
  type: 'answer' as const,
  params: ({ context }: Asked) => ({ status: 200, body: { count: context.count } }),
}

interface Order<Type extends string> {
  readonly type: Type
  readonly params: (asked: Asked) => object
}

function wanted<Type extends 'call' | 'callInOrder' | 'fileNote' | 'merge'>(type: Type): Order<Type> {
  return { type, params: ({ event }: Asked) => ({ note: String(event['note']), how: String(event['how'] ?? 'fine') }) }
}

/** A ball on its way to the other one. */
function ball(kind: 'task' | 'pod', part: string, spent: number): Order<'deliver'> {
  const params = ({ context, event }: Asked): object => ({
    to: `${kind}:${context.id}`,
    event: {
      type: kind === 'pod' ? 'pod.told' : 'pod.answered',
      note: `${String(event['note'])}${part}`,
      hops: Number(event['hops'] ?? 0) - spent,
    },
  })
  return { type: 'deliver', params }
}

const bell = kit.raise(({ event }) => ({ type: 'rang', at: event.at, note: event['note'] }), {
  delay: ({ event }) => Number(event['ms']),
  id: 'bell',
})

export const dozeMs = 3000

/**
 * `noted` counts and answers; `asked*` ask for effects; `told` starts two balls to the pod; `armed` and `disarmed` are
 * about a timer; `dozed` waits for one of a state; `merged` and `parked` ask for an effect and withdraw it.
 */
const taskMachine = kit.createMachine({
  id: 'task',
  context: ({ input }) => ({ id: input.id, count: 0, log: [] }),
  initial: 'idle',
  states: {
    idle: {
      initial: 'awake',
      on: {
        opened: { actions: note },
        noted: { actions: [note, answerCount] },
        asked: { actions: [note, wanted('call')] },
        askedTwice: { actions: [note, wanted('call'), wanted('call')] },
        askedInOrder: { actions: [note, wanted('callInOrder'), wanted('callInOrder')] },
        filed: { actions: [note, wanted('fileNote')] },
        told: { actions: [note, ball('pod', '.1', 0), ball('pod', '.2', 0)] },
        'pod.answered': [{ guard: 'goesOn', actions: [note, ball('pod', '', 1)] }, { actions: note }],
        'effect.done': { actions: note },
        'effect.failed': { actions: note },
        armed: { actions: [note, bell] },
        disarmed: { actions: [note, cancel('bell')] },
        rang: { actions: note },
        fused: { guard: 'throwing', target: '.awake' },
        misaddressed: { actions: [note, { type: 'deliver', params: { to: 'nowhere' } }] },
        closed: { target: 'end', actions: note },
      },
      states: {
        awake: { on: { dozed: { target: 'dozing', actions: note }, merged: { target: 'merging', actions: note } } },
        dozing: {
          after: { [dozeMs]: { target: 'awake', actions: note } },
          on: {
            woken: { target: 'awake', actions: note },
            dozed: { target: 'dozing', reenter: true, actions: note },
          },
        },
        merging: {
          entry: wanted('merge'),
          exit: { type: 'withdrawEffects', params: { types: ['merge'] } },
          on: {
            parked: { target: 'awake', actions: note },
            merged: { target: 'merging', reenter: true, actions: note },
          },
        },
      },
    },
    end: { type: 'final' },
  },
})

const podMachine = kit.createMachine({
  id: 'pod',
  context: ({ input }) => ({ id: input.id, count: 0, log: [] }),
  initial: 'on',
  states: { on: { on: { 'pod.told': { actions: [note, ball('task', '', 0)] } } } },
})

export const definitions: readonly MachineDefinition[] = [
  { kind: 'task', version: 1, machine: taskMachine, createdBy: ['opened'], upgrades: {} },
  { kind: 'pod', version: 1, machine: podMachine, createdBy: ['pod.told'], upgrades: {} },
]
