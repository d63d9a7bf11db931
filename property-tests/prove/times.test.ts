/** A timer that no state arms, or that only deep states arm, is one that a short search never meets: here each is asked for. */
import { expect, it, test } from 'vitest'
import type { AnyStateNode } from 'xstate'
import { allMachines } from '../../machines/registry.ts'
import { misarmed } from './times.ts'

function delaysIn({ after, states }: AnyStateNode): readonly string[] {
  return [...after.map(({ delay }) => String(delay)), ...Object.values(states).flatMap(delaysIn)]
}

/** Delays without a length, and lengths that no state waits for. */
function unmatched(waited: readonly string[], named: readonly string[]): readonly string[] {
  return [...waited.filter((name) => !named.includes(name)), ...named.filter((name) => !waited.includes(name))]
}

/** Armed for no time at all: what the tables know is too short, what they do not know is said so. */
function unknownTo(address: `${(typeof allMachines)[number]['kind']}:x`, name: string): boolean {
  return misarmed(address, [{ id: `xstate.after.${name}.x`, delayMs: 0 }]).some((what) =>
    what.includes('know no timer'),
  )
}

it.each(allMachines)('$kind: each delay has a length, and a state that waits for it', ({ machine }) => {
  expect(unmatched(delaysIn(machine.root), Object.keys(machine.implementations.delays))).toEqual([])
})

it.each(allMachines)('$kind: the tables know each timer (LAW-14)', ({ kind, machine }) => {
  expect(delaysIn(machine.root).filter((name) => unknownTo(`${kind}:x`, name))).toEqual([])
})

test('a delay without a length, a length without a state and an unknown timer are named', () => {
  expect(unmatched(['nap', 'poll'], ['poll', 'ttl'])).toEqual(['nap', 'ttl'])
  expect([unknownTo('task:x', 'nap'), unknownTo('task:x', 'foldWait')]).toEqual([true, false])
})
