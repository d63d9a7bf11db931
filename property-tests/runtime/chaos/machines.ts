/** What the chaos runs: tasks that count, ask for effects, write to pods and set timers; pods that answer. */
import { raise, setup } from 'xstate'
import type { MachineDefinition, MachineEvent, MachineInput } from '../../../machines/definition.ts'

interface Counted {
  readonly count: number
  /** Over the types and notes of all events so far: two orders of the same events differ. */
  readonly chain: number
  /** Pings sent to, and heard from, each partner. */
  readonly pings: Readonly<Record<string, number>>
}

interface Asked {
  readonly context: Counted
  readonly event: MachineEvent
}

export const timerId = 'later'
const effectTypes = { call: 'call', callInOrder: 'callInOrder' } as const
export type ChaosEffect = keyof typeof effectTypes

function nothing(): void {}

const chaosSetup = setup({
  types: { context: {} as Counted, input: {} as MachineInput, events: {} as MachineEvent },
  actions: { deliver: nothing, call: nothing, callInOrder: nothing },
})

function chained(chain: number, text: string): number {
  let hash = chain
  for (const unit of text) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193) >>> 0
  return hash
}

const note = chaosSetup.assign({
  count: ({ context }) => context.count + 1,
  chain: ({ context, event }) => chained(context.chain, `${event.type} ${String(event['note'] ?? '')}`),
})

const countPing = chaosSetup.assign({
  pings: ({ context, event }) => {
    const partner = String(event['partner'])
    return { ...context.pings, [partner]: (context.pings[partner] ?? 0) + 1 }
  },
})

const empty: Counted = { count: 0, chain: 0x811c9dc5, pings: {} }

const taskMachine = chaosSetup.createMachine({
  id: 'task',
  context: empty,
  initial: 'on',
  states: {
    on: {
      on: {
        counted: { actions: note },
        asked: { actions: [note, { type: 'call', params: ({ event }: Asked) => ({ note: String(event['note']) }) }] },
        askedInOrder: {
          actions: [note, { type: 'callInOrder', params: ({ event }: Asked) => ({ note: String(event['note']) }) }],
        },
        told: {
          actions: [
            note,
            countPing,
            {
              type: 'deliver',
              params: ({ context, event }: Asked) => ({
                to: String(event['partner']),
                event: { type: 'ping', partner: String(event['self']), n: context.pings[String(event['partner'])]! },
              }),
            },
          ],
        },
        armed: {
          actions: [
            note,
            raise(({ event }) => ({ type: 'later.came', at: event.at, note: String(event['note']) }), {
              id: timerId,
              delay: ({ event }) => Number(event['delayMs']),
            }),
          ],
        },
        pong: { actions: note },
        'later.came': { actions: note },
        'call.done': { actions: note },
        'effect.failed': { actions: note },
      },
    },
  },
})

const podMachine = chaosSetup.createMachine({
  id: 'pod',
  context: empty,
  initial: 'on',
  states: {
    on: {
      on: {
        ping: {
          actions: [
            note,
            countPing,
            {
              type: 'deliver',
              params: ({ event }: Asked) => ({
                to: String(event['partner']),
                event: { type: 'pong', note: `${String(event['n'])}` },
              }),
            },
          ],
        },
      },
    },
  },
})

export const chaosDefinitions: readonly MachineDefinition[] = [
  {
    kind: 'task',
    version: 1,
    machine: taskMachine,
    createdBy: ['counted', 'asked', 'askedInOrder', 'told', 'armed'],
    upgrades: {},
  },
  { kind: 'pod', version: 1, machine: podMachine, createdBy: ['ping'], upgrades: {} },
]
