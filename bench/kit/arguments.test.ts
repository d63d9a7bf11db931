import { describe, expect, it } from 'vitest'
import { benchArguments } from './arguments.ts'

const known = ['throughput', 'timers']

describe('the arguments of a bench', () => {
  it('run everything when nothing is picked', () => {
    const { only, quick, write, json } = benchArguments([], known)
    expect([only.size, quick, write, json]).toEqual([0, false, false, false])
  })
  it('take several names in one word or in several', () => {
    const { only } = benchArguments(['--only', 'throughput,timers', '--only', 'timers', '--json'], known)
    expect([...only]).toEqual(['throughput', 'timers'])
  })
  it('refuse a name that nothing has, and say which there are', () => {
    expect(() => benchArguments(['--only', 'timer'], known)).toThrow('throughput, timers; not timer')
  })
  it('publish no part and no quick run', () => {
    expect(() => benchArguments(['--write', '--quick'], known)).toThrow('a whole run')
    expect(() => benchArguments(['--write', '--only', 'timers'], known)).toThrow('a whole run')
  })
})
