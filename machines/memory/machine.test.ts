import { describe, expect, test } from 'vitest'
import { drive, type Drive, type DrivenEffect } from '../drive.ts'
import { stepOf, type MemoryContext } from './context.ts'
import type { Indexed } from './events.ts'
import { memoryMachine } from './machine.ts'

const second = 1000
const minute = 60 * second
const whole: Indexed = { commit: 'c1', due: 0, trouble: '' }

class AMemory {
  readonly it: Drive = drive(memoryMachine, 'default/demo')

  constructor(fills = true) {
    this.apply(fills)
  }

  apply(fills = true): readonly DrivenEffect[] {
    return this.it.send({ type: 'memory.configured', fills })
  }

  outdate(): readonly DrivenEffect[] {
    return this.it.send({ type: 'memory.outdated', repository: 'lib' })
  }

  filled(repositories: Readonly<Record<string, Indexed>>, run = stepOf(this.context)): this {
    this.it.send({ type: 'memory.filled', run, repositories })
    return this
  }

  hold(): this {
    this.it.send({ type: 'memory.held', run: stepOf(this.context), reason: 'paused' })
    return this
  }

  fail(effect = 'fillMemory'): this {
    this.it.send({ type: 'effect.failed', effect, reason: 'no', key: 'k' })
    return this
  }

  /** The next step, once its time has come. */
  look(): this {
    this.it.fire('look')
    return this
  }

  get context(): MemoryContext {
    return this.it.context as MemoryContext
  }

  /** Until the next step begins. */
  get rests(): number | undefined {
    return this.it.timers()['look']
  }
}

test('Memory off/configured: it fills once the Project has a memory service', () => {
  expect(new AMemory(false).it.value).toBe('off')
  const memory = new AMemory(false)
  expect(memory.apply()).toEqual([{ type: 'fillMemory', params: { project: 'default/demo', run: 'memory/1' } }])
  expect(memory.it.value).toBe('filling')
})

describe('a step is over', () => {
  test('Memory filling/filled: nothing is due, and the next look comes in half an hour', () => {
    const memory = new AMemory().filled({ lib: whole })
    expect([memory.it.value, memory.rests, memory.context.behindSince]).toEqual(['resting', 30 * minute, null])
    expect(memory.look().it.value).toBe('filling')
    expect(memory.context.steps).toBe(2)
  })

  test('there is more: it goes on, and is behind since the first step that found it', () => {
    const memory = new AMemory().filled({ lib: { ...whole, due: 3 } })
    const since = memory.context.at
    expect([memory.rests, memory.context.behindSince]).toEqual([10 * second, since])
    memory.look().filled({ lib: { ...whole, due: 1 } })
    expect(memory.context.behindSince).toBe(since)
    memory.look().filled({ lib: whole })
    expect(memory.context.behindSince).toBeNull()
  })

  test('it is known since when it has all of a Repository, or lacks some', () => {
    const memory = new AMemory().filled({ lib: { ...whole, due: 3 } })
    const first = memory.context.at
    memory.look().filled({ lib: { ...whole, due: 1 } })
    expect(memory.context.repositories['lib']?.since).toBe(first)
    const second = memory.look().filled({ lib: whole }).context
    expect(second.repositories['lib']?.since).toBe(second.at)
    expect(memory.look().filled({ lib: whole }).context.repositories['lib']?.since).toBe(second.at)
  })

  test('an answer to an earlier step changes nothing', () => {
    expect(new AMemory().filled({ lib: whole }, 'memory/0').it.value).toBe('filling')
  })

  test('a Repository that cannot be taken in holds up no other one', () => {
    const broken = { commit: '', due: 5, trouble: 'it has no branch main' }
    const memory = new AMemory().filled({ lib: broken, app: { ...whole, due: 1 } })
    expect([memory.rests, memory.context.trouble]).toEqual([10 * second, 'lib: it has no branch main'])
    expect(memory.look().filled({ lib: broken, app: whole }).rests).toBe(2 * minute)
    expect(memory.context.behindSince).not.toBeNull()
  })
})

describe('a failure', () => {
  test('Memory filling/failed: it is asked again after 1, 2, 4 and at most 32 minutes', () => {
    const memory = new AMemory()
    const rests = Array.from({ length: 8 }, () => {
      const { rests: pause } = memory.fail()
      memory.look()
      return Number(pause) / minute
    })
    expect(rests).toEqual([1, 2, 4, 8, 16, 32, 32, 32])
    expect(memory.filled({ lib: whole }).context).toMatchObject({ failures: 0, trouble: '' })
  })

  test('a step that gets no answer fails after an hour', () => {
    const memory = new AMemory()
    expect(memory.it.timers()).toEqual({ stepEnds: 60 * minute })
    memory.it.fire('stepEnds')
    expect([memory.it.value, memory.context.trouble]).toEqual(['resting', 'no answer in an hour'])
  })

  test('the failure of another effect is none of it', () => {
    expect(new AMemory().fail('checkProject').it.value).toBe('filling')
  })
})

test('Memory filling/held: while the Project is paused or not ready it is asked again after 2 s to 5 min', () => {
  const memory = new AMemory()
  const rests = Array.from({ length: 10 }, () => {
    const { rests: pause } = memory.hold()
    memory.look()
    return Number(pause) / second
  })
  expect(rests).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  expect(memory.context).toMatchObject({ heldBy: 'paused', failures: 0 })
  expect(memory.filled({ lib: whole }).context).toMatchObject({ holds: 0, heldBy: '' })
})

describe('what changes is looked at', () => {
  test('Memory any/outdated: soon, where it rests; many changes are one step', () => {
    const memory = new AMemory().filled({ lib: whole })
    memory.outdate()
    expect(memory.rests).toBe(10 * second)
    memory.it.pass(4 * second)
    memory.outdate()
    expect([memory.rests, memory.it.value]).toEqual([6 * second, 'resting'])
    expect(memory.context.behindSince).not.toBeNull()
  })

  test('in another step, where one is under way', () => {
    const memory = new AMemory()
    memory.outdate()
    memory.filled({ lib: whole })
    expect([memory.rests, memory.context.behindSince === null]).toEqual([10 * second, false])
    expect(memory.look().filled({ lib: whole }).rests).toBe(30 * minute)
  })

  test('an apply is a change: a Repository may have been enrolled', () => {
    const memory = new AMemory()
    memory.apply()
    expect(memory.filled({ lib: whole }).rests).toBe(10 * second)
    expect(memory.apply().map(({ type }) => type)).toEqual(['fillMemory'])
  })
})

test('Memory any/off: no longer filled, what it holds stays known, and late answers change nothing', () => {
  const memory = new AMemory().filled({ lib: whole }).look()
  memory.apply(false)
  expect([memory.it.value, memory.it.timers()]).toEqual(['off', {}])
  memory.filled({ lib: { ...whole, commit: 'c2' } })
  memory.outdate()
  expect(memory.context.repositories).toMatchObject({ lib: whole })
  const resting = new AMemory().filled({ lib: whole })
  resting.apply(false)
  expect(resting.it.value).toBe('off')
})
