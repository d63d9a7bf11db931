/**
 * The machine that every contender steps which steps one at all: twenty states in a ring, a guard, two assignments and
 * one effect per step, and a context of about 2 KB, as a Task's is.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineEvent } from '../../../machines/definition.ts'

interface RingContext {
  readonly visits: number
  readonly last: string
  readonly title: string
  readonly items: readonly { readonly id: number; readonly name: string; readonly text: string }[]
}

export interface RingEvent extends MachineEvent {
  readonly id: string
}

const ringSize = 20
const fillerLength = 60
const alphabet = 'abcdefghijklmnopqrstuvwxyz      0123456789-_/.'

/** The same text in every process: a context is part of the machine, and the machine has a hash. */
function fillers(count: number): string[] {
  let seed = 12_345
  const next = (): number => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff) / 0x80000000
  const letter = (): string => alphabet[Math.floor(next() * alphabet.length)]!
  return Array.from({ length: count }, () => Array.from({ length: fillerLength }, letter).join(''))
}

/** Made once: XState asks for the initial context at every `transition`, and what a bench fills it with is no cost of anybody's. */
const initialContext: RingContext = {
  visits: 0,
  last: '',
  title: 'T',
  items: fillers(ringSize).map((text, id) => ({ id, name: `item-${id}`, text })),
}

function nothing(): void {}

const ring = setup({
  types: { context: {} as RingContext, events: {} as RingEvent },
  actions: { perform: nothing },
  guards: { isWanted: ({ event }) => event['unwanted'] !== true },
})
const visited = ring.assign({ visits: ({ context }) => context.visits + 1 })
const noted = ring.assign({ last: ({ event }) => event.id })
const alarm = ring.raise(({ event }) => ({ type: 'alarm.rang', at: event.at, id: event.id }), {
  id: 'alarm',
  delay: ({ event }) => Number(event['delayMs']),
})

const states = Object.fromEntries(
  Array.from({ length: ringSize }, (_, index) => [
    `s${index}`,
    {
      entry: visited,
      on: {
        'ring.moved': {
          target: `s${(index + 1) % ringSize}`,
          guard: 'isWanted' as const,
          actions: [
            noted,
            { type: 'perform' as const, params: ({ event }: { event: RingEvent }) => ({ id: event.id }) },
          ],
        },
      },
    },
  ]),
)

export const ringMachine = ring.createMachine({
  id: 'ring',
  context: initialContext,
  initial: 's0',
  states,
  on: { 'ring.opened': {}, 'alarm.armed': { actions: alarm }, 'alarm.rang': { actions: noted } },
})

export const ringDefinition: MachineDefinition = {
  kind: 'task',
  version: 1,
  machine: ringMachine,
  createdBy: ['ring.opened'],
  upgrades: {},
}

/** As a Task is listed. Of 200 steps of the demo 51 changed what is listed; here one of four does. */
export const listedRing: MachineDefinition = {
  ...ringDefinition,
  listed: {
    version: 1,
    of: (_, path) => ({ title: 'Title', project: 'default/bench', reason: `${Number(path.slice(1)) >> 2}` }),
  },
}
