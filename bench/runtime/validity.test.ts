import { describe, expect, it } from 'vitest'
import type { ContenderName } from './contenders.ts'
import type { Measured } from './throughput.ts'
import { checkPeers, invalidity } from './validity.ts'

function cell(contender: ContenderName, perSecond: number, foreignCores = 0): Measured {
  const result = { operations: 1, seconds: 1, perSecond, cpuUs: 1, logBytes: 1, foreignCores }
  return { contender, clients: 128, round: 0, result }
}

describe('a run', () => {
  it('is valid when each peer is near the figure it is known for', () => {
    expect(invalidity([cell('raw-group-commit', 40_000), cell('dbos-steps', 1200)])).toEqual([])
  })
  it('is invalid when a peer is more than 30 % under it, and says which', () => {
    const found = invalidity([cell('raw-group-commit', 40_000), cell('dbos-steps', 1000)])
    expect(found).toHaveLength(1)
    expect(found[0]).toContain('dbos-steps at 128 clients did 1000/s')
  })
  it('allows a peer what the machine is slower by', () => {
    expect(invalidity([cell('raw-group-commit', 20_000), cell('dbos-steps', 600)])).toEqual([])
  })
  it('asks no more of a peer on a faster machine', () => {
    expect(checkPeers([cell('raw-group-commit', 80_000), cell('dbos-steps', 1200)])[0]?.machine).toBe(1)
  })
  it('is invalid when other programs had a large part of the machine', () => {
    expect(invalidity([cell('own-postgres', 1, 0.9)])[0]).toContain('other programs')
  })
  it('judges no peer without the yardstick of the same run', () => {
    expect(checkPeers([cell('dbos-steps', 1)])).toEqual([])
  })
})
