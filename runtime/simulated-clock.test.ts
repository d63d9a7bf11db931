import { describe, expect, it } from 'vitest'
import { sleep, systemClock } from './clock.ts'
import { simulatedClock } from './simulated-clock.ts'

describe('a simulated clock', () => {
  it('fires what falls due in due order, each at its own time, also what is set meanwhile', () => {
    const clock = simulatedClock(100)
    const fired: string[] = []
    const note = (name: string) => (): void => void fired.push(`${name}@${clock.now()}`)
    clock.setTimer(20, note('late'))
    clock.setTimer(10, () => {
      note('early')()
      clock.setTimer(5, note('between'))
    })
    clock.setTimer(30, note('not yet'))
    clock.advance(25)
    expect(fired).toEqual(['early@110', 'between@115', 'late@120'])
    expect(clock.now()).toBe(125)
    expect(clock.waiting()).toBe(1)
  })

  it('does not fire what was cancelled', () => {
    const clock = simulatedClock(0)
    let isFired = false
    clock.setTimer(1, () => (isFired = true)).cancel()
    clock.advance(10)
    expect(isFired).toBe(false)
    expect(clock.advanceToNext()).toBe(false)
  })

  it('ends a sleep at its time, or when it is told to', async () => {
    const clock = simulatedClock(0)
    const abort = new AbortController()
    const slept = Promise.all([
      sleep(clock, 10),
      sleep(clock, 1000, abort.signal),
      sleep(clock, 5, AbortSignal.abort()),
    ])
    clock.advance(10)
    abort.abort()
    await slept
    expect(clock.waiting()).toBe(0)
  })
})

describe('the system clock', () => {
  it('calls back, and does not when cancelled', async () => {
    const called = await new Promise((resolve) => {
      systemClock.setTimer(1, () => resolve('cancelled')).cancel()
      systemClock.setTimer(5, () => resolve('kept'))
    })
    expect(called).toBe('kept')
  })

  it('does not fire a timer at once whose delay is longer than Node can hold', async () => {
    let isFired = false
    const timer = systemClock.setTimer(2 ** 40, () => (isFired = true))
    await new Promise((resolve) => void systemClock.setTimer(20, () => resolve(undefined)))
    timer.cancel()
    expect(isFired).toBe(false)
  })
})
