/**
 * Two small machines that ask for everything the runtime does. The runtime's contract, its simulation and its chaos run
 * them, so a law of one harness means the same in the others.
 */
import { assign, cancel, setup } from 'xstate'
import type { MachineDefinition, MachineEvent, MachineInput } from '../../machines/definition.ts'

interface Asked {
  readonly context: ToyContext
  readonly event: MachineEvent
}

interface ToyContext {
  readonly id: string
  /** How many events it noted. */
  readonly count: number
  /** The newest notes. */
  readonly log: readonly string[]
  /** Over the types and notes of all events so far: two orders of the same events differ. */
  readonly chain: number
  /** How many balls it sent to each address. */
  readonly sent: Readonly<Record<string, number>>
}

const longestLog = 200
const chainStart = 0x811c9dc5

/** The timer that `later` starts and `recalled` cancels, and the one of the state `waiting`. */
export const laterTimer = 'later'
export const waitMs = 5000
export const waitTimer = `xstate.after.${waitMs}.toy.waiting`

type ToyEffect = 'call' | 'callInOrder' | 'fileNote' | 'merge'

function nothing(): void {}

const toySetup = setup({
  types: { context: {} as ToyContext, input: {} as MachineInput, events: {} as MachineEvent },
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
    isOpen: ({ context }: { context: ToyContext }) => context.count < 1_000_000,
    goesOn: ({ event }) => Number(event['hops'] ?? 0) > 0,
  },
})

function chained({ context, event }: Asked): number {
  let hash = context.chain
  for (const unit of `${event.type} ${String(event['note'] ?? '')}`)
    hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193) >>> 0
  return hash
}

const see = toySetup.assign({ chain: chained })

const note = toySetup.assign({
  count: ({ context }) => context.count + 1,
  log: ({ context, event }) => [...context.log, String(event['note'] ?? event.type)].slice(-longestLog),
  chain: chained,
})

const answerCount = {
  type: 'answer' as const,
  params: ({ context }: Asked) => ({ status: 200, body: { count: context.count } }),
}

interface Order<Type extends string> {
  readonly type: Type
  readonly params: (asked: Asked) => object
}

/** `name` says which it is, `how` what the handler does. */
function ask<Type extends ToyEffect>(type: Type): Order<Type> {
  const params = ({ event }: Asked): object => ({
    name: String(event['name'] ?? type),
    note: String(event['note']),
    how: String(event['how'] ?? 'fine'),
  })
  return { type, params }
}

const countBall = toySetup.assign({
  sent: ({ context, event }) => {
    const to = partnerOf(context, event)
    return { ...context.sent, [to]: (context.sent[to] ?? 0) + 1 }
  },
})

function partnerOf({ id }: ToyContext, event: MachineEvent): string {
  return String(event['partner'] ?? `pod:${id}`)
}

/** A ball for a pod, which throws it back; `hops` says how often it is thrown again. */
function ball(part: string, spent: number): Order<'deliver'> {
  const params = ({ context, event }: Asked): object => ({
    to: partnerOf(context, event),
    event: {
      type: 'pod.told',
      note: `${String(event['note'])}${part}`,
      from: `task:${context.id}`,
      n: context.sent[partnerOf(context, event)],
      hops: Number(event['hops'] ?? 0) - spent,
    },
  })
  return { type: 'deliver', params }
}

const ballBack: Order<'deliver'> = {
  type: 'deliver',
  params: ({ event }: Asked) => ({
    to: String(event['from']),
    event: { type: 'pod.answered', note: `re ${String(event['note'])}`, hops: Number(event['hops']) },
  }),
}

const startLater = toySetup.raise(
  ({ event }) => ({ type: 'later.came', at: event.at, note: String(event['note'] ?? 'later') }),
  { delay: ({ event }) => Number(event['ms'] ?? 1000), id: laterTimer },
)

function blank({ input }: { input: MachineInput }): ToyContext {
  return { id: input.id, count: 0, log: [], chain: chainStart, sent: {} }
}

/**
 * `noted` counts and answers; `asked*` and `filed` ask for effects; `told*` throw balls to a pod; `later` and `recalled`
 * are about a timer, `armed` and `disarmed` about that of a state; `merged` asks for an effect, `parked` withdraws it;
 * `closed` ends it. Results of effects are noted too. The chain follows every event that a state takes.
 */
export const toyMachine = toySetup.createMachine({
  id: 'toy',
  context: blank,
  initial: 'idle',
  on: {
    noted: { guard: 'isOpen', actions: [note, answerCount] },
    'effect.failed': { actions: note },
    'call.done': { actions: note },
    'pod.answered': [{ guard: 'goesOn', actions: [note, countBall, ball('', 1)] }, { actions: note }],
    'later.came': { actions: note },
    asked: { actions: [see, ask('call')] },
    askedTwice: { actions: [see, ask('call'), ask('call')] },
    askedInOrder: { actions: [see, ask('callInOrder')] },
    askedInOrderTwice: { actions: [see, ask('callInOrder'), ask('callInOrder')] },
    filed: { actions: [see, ask('fileNote')] },
    told: { actions: [see, countBall, ball('', 0)] },
    toldTwice: { actions: [see, countBall, ball('.1', 0), countBall, ball('.2', 0)] },
    misaddressed: { actions: [see, { type: 'deliver', params: { to: 'nowhere' } }] },
    poisonGuard: { guard: 'throwing', target: '.idle' },
    poisonAction: {
      actions: assign(() => {
        throw new Error('this action throws')
      }),
    },
    later: { actions: [see, startLater] },
    recalled: { actions: [see, cancel(laterTimer)] },
    closed: { target: '.end', actions: see },
  },
  states: {
    idle: { on: { armed: { target: 'waiting', actions: see }, merged: { target: 'merging', actions: see } } },
    waiting: {
      after: { [waitMs]: { target: 'rung', actions: note } },
      on: {
        disarmed: { target: 'idle', actions: see },
        armed: { target: 'waiting', reenter: true, actions: see },
      },
    },
    rung: {
      on: {
        armed: { target: 'waiting', actions: see },
        disarmed: { target: 'idle', actions: see },
        merged: { target: 'merging', actions: see },
      },
    },
    merging: {
      entry: ask('merge'),
      exit: { type: 'withdrawEffects', params: { types: ['merge'] } },
      on: {
        parked: { target: 'idle', actions: see },
        merged: { target: 'merging', reenter: true, actions: see },
      },
    },
    end: { type: 'final' },
  },
})

/** Notes what the toy tells it and throws it back. */
const podMachine = toySetup.createMachine({
  id: 'pod',
  context: blank,
  initial: 'on',
  states: { on: { on: { 'pod.told': { actions: [note, ballBack] } } } },
})

export const toyDefinition: MachineDefinition = {
  kind: 'task',
  version: 1,
  machine: toyMachine,
  createdBy: ['opened', 'noted'],
  upgrades: {},
  listed: {
    version: 1,
    of: (context) => {
      const { log, count } = context as { readonly log?: unknown; readonly count?: unknown }
      return { note: String(log).slice(-100), count: `all ${String(count)}` }
    },
  },
}
export const podDefinition: MachineDefinition = {
  kind: 'pod',
  version: 1,
  machine: podMachine,
  createdBy: ['pod.told'],
  upgrades: {},
}

/** Both, with what brings the toy into being: a harness's choice. */
export function toyDefinitions(createdBy: readonly string[] = toyDefinition.createdBy): readonly MachineDefinition[] {
  return [{ ...toyDefinition, createdBy }, podDefinition]
}
