import { expect, it } from 'vitest'
import { createActor, setup } from 'xstate'
import { alone, decideBy, inTime, later, type Around } from './decide.ts'
import type { Decision } from './emit.ts'

interface Counter {
  readonly at: number
  readonly heard: readonly string[]
}
type Said = { readonly type: 'one.said'; readonly at?: number } | { readonly type: 'other.said'; readonly at?: number }

function counted(around: Around<Counter, Said, Decision<Counter>>, ...said: readonly Said[]): Counter {
  const { on, always } = decideBy<Counter, Said>(around)
  const machine = setup({ types: { context: {} as Counter, events: {} as Said } }).createMachine({
    context: { at: 5, heard: [] },
    on: {
      'one.said': { actions: on('one.said', ({ heard }, { type }) => ({ context: { heard: [...heard, type] } })) },
      'other.said': { actions: always(({ heard, at }) => ({ context: { heard: [...heard, `at ${at}`] } })) },
    },
  })
  const actor = createActor(machine).start()
  for (const event of said) actor.send(event)
  return actor.getSnapshot().context
}

it('hands a decision the event of its own row', () => {
  expect(counted(alone, { type: 'one.said', at: 9 })).toEqual({ at: 5, heard: ['one.said'] })
})

it('keeps the newest known time, whatever the clock of an edge does', () => {
  expect(counted(inTime, { type: 'other.said', at: 9 }, { type: 'other.said', at: 7 })).toEqual({
    at: 9,
    heard: ['at 9', 'at 9'],
  })
  expect([later(9, 7), later(7, 9)]).toEqual([9, 9])
})

it('takes the newest known time where a cause has none', () => {
  expect(counted(inTime, { type: 'other.said' })).toEqual({ at: 5, heard: ['at 5'] })
  expect(later(5, undefined)).toBe(5)
})
