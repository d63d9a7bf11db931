import { describe, expect, it } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { RestingSettlements } from './deferred-settlements.ts'
import { simulatedClock } from '../simulated-clock.ts'
import type { SimulatedClock } from '../simulated-clock.ts'
import { nobodyWaits } from '../work.ts'
import type { SettleWork } from '../work.ts'

function settlement(actor: ActorAddress, seq: number, shard = 0): SettleWork {
  const effect = { actor, seq, idx: 0, shard } as SettleWork['effect']
  return {
    kind: 'settle',
    effect,
    shard,
    outcome: { kind: 'performed', deliveries: [] },
    mayRest: true,
    done: nobodyWaits,
  }
}

interface Rest {
  readonly resting: RestingSettlements
  readonly clock: SimulatedClock
  /** What was due, one list each time. */
  readonly due: string[][]
}

function rest(most = 100): Rest {
  const clock = simulatedClock(1_700_000_000_000)
  const due: string[][] = []
  const resting = new RestingSettlements({ clock, restMs: 400, most, due: (works) => void due.push(names(works)) })
  return { resting, clock, due }
}

function names(works: readonly SettleWork[]): string[] {
  return works.map(({ effect }) => `${effect.actor} ${effect.seq}`)
}

describe('a settlement that brings nothing back', () => {
  it('rests until its actor is written', () => {
    const { resting, due } = rest()
    resting.add(settlement('task:a', 1))
    resting.add(settlement('task:b', 1))
    resting.add(settlement('task:a', 2))
    expect(names(resting.take('task:a'))).toEqual(['task:a 1', 'task:a 2'])
    expect(resting.take('task:a')).toEqual([])
    expect(resting.size).toBe(1)
    expect(due).toEqual([])
  })

  it('is due after its time, together with those that rest for half of it already', async () => {
    const { resting, clock, due } = rest()
    resting.add(settlement('task:a', 1))
    await clock.advance(150)
    resting.add(settlement('task:b', 1))
    await clock.advance(150)
    resting.add(settlement('task:c', 1))
    await clock.advance(99)
    expect(due).toEqual([])
    await clock.advance(1)
    expect(due).toEqual([['task:a 1', 'task:b 1']])
    await clock.advance(300)
    expect(due).toEqual([['task:a 1', 'task:b 1'], ['task:c 1']])
    expect(resting.size).toBe(0)
  })

  it('is due at once when as many rest as may', () => {
    const { resting, due } = rest(3)
    for (const seq of [1, 2, 3, 4]) resting.add(settlement(`task:${seq}`, seq))
    expect(due).toEqual([['task:1 1', 'task:2 2', 'task:3 3']])
    expect(resting.size).toBe(1)
  })

  it('is given back when its shard is lost', async () => {
    const { resting, clock, due } = rest()
    resting.add(settlement('task:a', 1, 0))
    resting.add(settlement('task:b', 1, 1))
    expect(names(resting.remove(({ shard }) => shard === 1))).toEqual(['task:b 1'])
    await clock.advance(1000)
    expect(due).toEqual([['task:a 1']])
  })
})
