import { describe, expect, it } from 'vitest'
import { benchArguments } from './arguments.ts'
import type { BenchArguments } from './arguments.ts'

const known = ['throughput', 'timers']

function asked(...given: readonly string[]): BenchArguments {
  const found = benchArguments(given, known)
  if (typeof found === 'string') throw new Error(found)
  return found
}

describe('the arguments of a bench', () => {
  it('run everything when nothing is picked', () => {
    const { only, quick, write, json } = asked()
    expect([only.size, quick, write, json]).toEqual([0, false, false, false])
  })
  it('take several names in one word or in several', () => {
    const { only, json } = asked('--only', 'throughput,timers', '--only', 'timers', '--json')
    expect([...only, json]).toEqual(['throughput', 'timers', true])
  })
  it('refuse a name that nothing has, and say which there are', () => {
    expect(benchArguments(['--only', 'timer'], known)).toBe('--only knows throughput, timers; not timer')
  })
  it('publish no part and no quick run', () => {
    expect(benchArguments(['--write', '--quick'], known)).toContain('a whole run')
    expect(benchArguments(['--write', '--only', 'timers'], known)).toContain('a whole run')
  })
  it('take an option that one bench alone has, which others refuse, and any name where none is listed', () => {
    expect(benchArguments(['--repos', 'dir', '--only', 'x'], undefined, ['repos'])).toMatchObject({
      more: { repos: 'dir' },
      only: new Set(['x']),
    })
    expect(benchArguments(['--repos', 'dir'], known)).toContain('--repos')
  })
  it('refuse an option that there is not', () => {
    expect(benchArguments(['--fast'], known)).toContain('--fast')
  })
})
