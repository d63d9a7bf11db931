import { createMachine } from 'xstate'
import { expect, test } from 'vitest'
import { chartOf } from '../charts/layout.ts'
import { activeOn, takenRows } from './taken.ts'

const machine = createMachine({
  id: 'm',
  type: 'parallel',
  states: {
    left: {
      initial: 'a',
      states: {
        a: { on: { go: [{ guard: 'first', target: 'b' }, { target: 'c' }], hop: 'd' } },
        b: { on: { go: 'a' }, after: { later: 'c' } },
        c: { initial: 'one', on: { again: '.one' }, states: { one: { on: { go: 'two' } }, two: {} } },
        d: { initial: 'check', states: { check: { always: { target: '#m.left.b' } } } },
      },
    },
    right: {
      initial: 'off',
      states: { off: { always: { guard: 'wanted', target: 'on' } }, on: { on: { go: 'off' } } },
    },
  },
})
const chart = await chartOf({ kind: 'task', version: 1, machine, createdBy: [], upgrades: {} })

function taken(before: string, after: string, event: string): string[] {
  return takenRows(chart, before, after, event).map(({ source, target }) => `${source} -> ${target}`)
}

test('of several rows for one event the one that leads to where the actor stands was taken', () => {
  expect(taken('left.a right.off', 'left.b right.off', 'go')).toEqual(['left.a -> left.b'])
  expect(taken('left.a right.off', 'left.c.one right.off', 'go')).toEqual(['left.a -> left.c'])
})

test('a region that followed by an eventless row is shown too', () => {
  expect(taken('left.a right.off', 'left.b right.on', 'go')).toEqual(['left.a -> left.b', 'right.off -> right.on'])
})

test('a state that was passed through within the step is shown as passed', () => {
  expect(taken('left.a right.off', 'left.b right.off', 'hop')).toEqual(['left.a -> left.d', 'left.d.check -> left.b'])
})

test('a timer is found by its delay', () => {
  expect(taken('left.b right.off', 'left.c.one right.off', 'xstate.after.later.m.left.b')).toEqual(['left.b -> left.c'])
})

test('a row into the own state is found', () => {
  expect(taken('left.c.two right.off', 'left.c.one right.off', 'again')).toEqual(['left.c -> left.c.one'])
})

test('an event that moved nothing took no row', () => {
  expect(taken('left.a right.on', 'left.a right.on', 'noted')).toEqual([])
})

test('the states around a leaf are active with it', () => {
  expect([...activeOn('left.c.one right.off')]).toEqual(['left', 'left.c', 'left.c.one', 'right', 'right.off'])
  expect([...activeOn('')]).toEqual([])
})
