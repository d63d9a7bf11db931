/** A small search; each law's negative control is in `holes/`, and the whole of it is `npm run prove`. */
import { describe, expect, it } from 'vitest'
import { dropRows, state, withTable, type Part } from '../machines/rewrite.ts'
import type { Changed } from '../machines/world/world.ts'
import type { Explored } from './explore.ts'
import { anyOrder } from './moves.ts'
import { prove } from './prove.ts'
import { hashOf, StateSet } from './state-set.ts'
import { worlds } from './worlds.ts'

const bounds = { deviations: 1, states: 20_000, milliseconds: 60_000 }

/** A search is bounded by states here, never by time: it must be the same on every machine. */
function explored(name: string, deviations: number, changed: Changed = {}, stopsAtFirst = true): Explored {
  const world = worlds.find((one) => one.name === name)!
  return prove(world, { ...bounds, deviations }, { now: () => 0, stopsAtFirst }, changed)
}

function task(change: (table: Part) => void): Changed {
  return { definitions: withTable('task', change) }
}

describe('the prover', () => {
  it.each(worlds.map(({ name }) => name))('finds no law broken on the straight way of the world %s', (name) => {
    expect(explored(name, 0)).toMatchObject({ breaches: [], isComplete: true })
  })

  it('meets the same states in the same order again', () => {
    expect(explored('refine', 1)).toEqual(explored('refine', 1))
  })

  it('finds a park that no retry leaves (LAW-13), and tells its story', () => {
    const changed = task((table) => dropRows(state(table, 'stage.live.parked.awaiting-human'), 'task.retry'))
    const { breaches } = explored('review', 1, changed)
    expect(breaches).toMatchObject([{ law: 13 }])
    expect(breaches[0]?.path.length).toBeGreaterThan(10)
  })

  it('lets a Task end that named an issue of which its own actor was not yet told: the owner came first (LAW-9)', () => {
    const pair = worlds.find(({ name }) => name === 'pair')!
    const world = { ...pair, moves: [anyOrder(1)] }
    const { breaches } = prove(world, { ...bounds, deviations: 7, states: 12_000 }, { now: () => 0 })
    expect(breaches).toEqual([])
  })

  it('knows a state that it saw, however many others there are', () => {
    const seen = new StateSet()
    for (let one = 0; one < 30_000; one++)
      expect(seen.add(hashOf(`state ${one}`))).toEqual({ number: one, isNew: true })
    expect(seen.add(hashOf('state 7'))).toEqual({ number: 7, isNew: false })
    expect(seen.size).toBe(30_000)
  })
})
