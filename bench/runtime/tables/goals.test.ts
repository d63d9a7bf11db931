import { describe, expect, it } from 'vitest'
import type { CellResult } from '../../kit/measure/cell.ts'
import { isMeasured, verdictOf } from '../../kit/measure/goals.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { goalsOf } from './goals.ts'
import type { Results } from '../results.ts'
import type { Measured } from '../measured.ts'

function cell(contender: ContenderName, clients: number, figures: Partial<CellResult>): Measured {
  const result = { operations: 1, seconds: 1, perSecond: 1, cpuUs: 1, logBytes: 1, foreignCores: 0, ...figures }
  return { contender, clients, round: 0, result }
}

const nothing: Results = { throughput: [], scale: [], recovery: [], forwarding: [], timers: [] }

function named(results: Results, name: string): ReturnType<typeof goalsOf>[number] {
  const goal = goalsOf(results).find((one) => one.name === name)
  if (!goal) throw new Error(`no goal is named ${name}`)
  return goal
}

describe('the goals of the runtime', () => {
  it('name each thing once and ask for more than the gate, or as much', () => {
    const goals = goalsOf(nothing)
    expect(new Set(goals.map(({ name }) => name)).size).toBe(goals.length)
    for (const { better, gate, goal } of goals) expect(better === 'higher' ? goal >= gate : goal <= gate).toBe(true)
  })
  it('are not met by a run that measured nothing', () => {
    expect(goalsOf(nothing).filter(isMeasured)).toEqual([])
  })
  it('compare throughput as ours to theirs', () => {
    const throughput = [cell('own-postgres', 128, { perSecond: 20 }), cell('dbos-steps', 128, { perSecond: 2 })]
    const goal = named({ ...nothing, throughput }, 'throughput against DBOS steps, c=128')
    expect(goal.value).toBe(10)
    expect(verdictOf(goal)).toBe('missed')
  })
  it('compare times as theirs to ours', () => {
    const throughput = [cell('own-postgres', 1, { effectP50Ms: 0.2 }), cell('dbos-messages', 1, { effectP50Ms: 10 })]
    const goal = named({ ...nothing, throughput }, 'event to effect p50, sooner than DBOS send to recv, c=1')
    expect(goal.value).toBeCloseTo(50)
    expect(verdictOf(goal)).toBe('goal')
  })
  it.each([
    ['CPU per transition, Node and Postgres, c=128', 128, 'cpuUs'],
    ['ack p50, c=1', 1, 'ackP50Ms'],
    ['ack p99, c=1', 1, 'ackP99Ms'],
  ] as const)('compare %s with the limit of the same round, however fast the machine', (name, clients, metric) => {
    const at = (speed: number, own: number): string => {
      const throughput = [
        cell('own-postgres', clients, { [metric]: own * speed }),
        cell('raw-group-commit', clients, { [metric]: speed }),
      ]
      return verdictOf(named({ ...nothing, throughput }, `${name}, against the raw group commit`))
    }
    for (const speed of [0.1, 100]) expect([at(speed, 0.99), at(speed, 2)]).toEqual(['goal', 'missed'])
  })
  const kept = {
    ...{ fired: 10_000, p50Ms: 4, p99Ms: 12, maxMs: 20, earliestMs: 0 },
    limit: { p50Ms: 2, p99Ms: 6 },
  }
  it('miss their gate when one timer fires before it is due (R8)', () => {
    const earliest = (results: Results): string =>
      verdictOf(named(results, 'earliest firing of a timer, after it was due'))
    expect(earliest({ ...nothing, timers: [kept, kept] })).toBe('goal')
    expect(earliest({ ...nothing, timers: [kept, { ...kept, earliestMs: -0.1 }] })).toBe('missed')
  })
  it('compare the lateness of timers with bare timeouts of the same round, and take the median', () => {
    const timers = [
      [12, 6],
      [90, 6],
      [30, 10],
    ].map(([p99Ms, limitMs]) => ({ ...kept, p99Ms: p99Ms!, limit: { p50Ms: 2, p99Ms: limitMs! } }))
    const value = (which: string): number | undefined =>
      named({ ...nothing, timers }, `lateness of timers ${which}, 1,000 due a second, against bare timeouts`).value
    expect([value('p50'), value('p99')]).toEqual([2, 3])
  })
  it('compare recovery with its limit of the same round, however fast the machine', () => {
    const at = (speed: number, times: number): string => {
      const recovery = [{ startMs: 1, performedMs: 2, settledMs: times * speed, processMs: 3, limitMs: speed }]
      return verdictOf(
        named({ ...nothing, recovery }, 'recovery of 10,000 actors, against reading and settling their rows'),
      )
    }
    for (const speed of [10, 10_000]) expect([at(speed, 1), at(speed, 50)]).toEqual(['goal', 'missed'])
  })
  it('gate no time and no CPU but against another of the same run', () => {
    const absolute = goalsOf(nothing).filter(({ unit }) => !['x', '%'].includes(unit))
    expect(absolute.map(({ name }) => name)).toEqual([
      'earliest firing of a timer, after it was due',
      'write-ahead log per transition, c=128',
    ])
  })
  it('take the share of the limit in percent', () => {
    const throughput = [cell('own-postgres', 128, { perSecond: 70 }), cell('raw-group-commit', 128, { perSecond: 100 })]
    expect(named({ ...nothing, throughput }, 'share of the raw group commit, c=128').value).toBeCloseTo(70)
  })
})
