import { describe, expect, it } from 'vitest'
import type { ContenderName } from '../contenders/contenders.ts'
import type { Measured } from '../measured.ts'
import { checkPeers, invalidity } from './validity.ts'

function cell(contender: ContenderName, perSecond: number, foreignCores = 0, round = 0): Measured {
  const result = { operations: 1, seconds: 1, perSecond, cpuUs: 1, logBytes: 1, foreignCores }
  return { contender, clients: 128, round, result }
}

function faultsOf(...throughput: readonly Measured[]): string[] {
  return invalidity({ throughput, scale: [] })
}

describe('a run', () => {
  it('is valid when each peer is near the figure it is known for', () => {
    expect(faultsOf(cell('raw-group-commit', 40_000), cell('dbos-steps', 1200))).toEqual([])
  })
  it('is invalid when a peer is more than 30 % under it, and says which', () => {
    const found = faultsOf(cell('raw-group-commit', 40_000), cell('dbos-steps', 1000))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain('dbos-steps at 128 clients did 1000/s')
  })
  it('allows a peer what the machine is slower by', () => {
    expect(faultsOf(cell('raw-group-commit', 20_000), cell('dbos-steps', 600))).toEqual([])
  })
  it('asks no more of a peer on a faster machine', () => {
    expect(checkPeers([cell('raw-group-commit', 80_000), cell('dbos-steps', 1200)])[0]?.machine).toBe(1)
  })
  it('is invalid when other programs took much from a single cell, and says which', () => {
    const quiet = [0, 1, 2, 3].map((round) => cell('own-postgres', 1, 0.3, round))
    expect(faultsOf(...quiet)).toEqual([])
    expect(faultsOf(...quiet, cell('own-postgres', 1, 0.9, 4))).toEqual([
      'own-postgres at 128 clients, round 5: other programs used 0.90 cores meanwhile (at most 0.3), measured 3 times',
    ])
  })
  it('leaves a peer what the kernel does for its sockets', () => {
    expect(faultsOf(cell('restate-runs', 1, 0.93))).toEqual([])
    expect(faultsOf(cell('restate-runs', 1, 1.2))).toHaveLength(1)
  })
  it('is judged by its cells over many actors as well', () => {
    const scale = [{ population: 10_000, pick: 'any' as const, round: 1, result: cell('own-postgres', 1, 0.5).result }]
    expect(invalidity({ throughput: [], scale })[0]).toContain('any of 10000 actors, round 2: other programs')
  })
  it('judges no peer without the yardstick of the same run', () => {
    expect(checkPeers([cell('dbos-steps', 1)])).toEqual([])
  })
})
