import { describe, expect, test } from 'vitest'
import { drive, type Drive, type DrivenEffect } from '../drive.ts'
import { lookOf, type MemoryStackContext } from './context.ts'
import type { StackSight, StackWanted } from './events.ts'
import { memoryStackMachine } from './machine.ts'

const second = 1000
const minute = 60 * second
const light: StackWanted = {
  profile: 'light',
  pgInstances: 1,
  pgStorage: '10Gi',
  pgWalStorage: '8Gi',
  neo4jStorage: '10Gi',
  fills: true,
}
const serves: StackSight = { phase: 'running', part: 'service', words: '', endpoint: 'http://m', externalEndpoint: '' }
const waits: StackSight = { ...serves, phase: 'pending', part: 'postgres', words: 'Setting up primary' }
const limps: StackSight = { ...serves, phase: 'degraded', part: 'postgres', words: 'a claim grows' }

class AStack {
  readonly it: Drive = drive(memoryStackMachine, 'default/demo')

  constructor(wanted: StackWanted | null = light) {
    this.want(wanted)
  }

  want(wanted: StackWanted | null): readonly DrivenEffect[] {
    return this.it.send({ type: 'stack.configured', wanted })
  }

  see(sight: StackSight, run = lookOf(this.context)): readonly DrivenEffect[] {
    return this.it.send({ type: 'stack.seen', run, ...sight })
  }

  fail(effect = 'reconcileMemoryStack'): void {
    this.it.send({ type: 'effect.failed', effect, reason: 'no route', key: 'k' })
  }

  look(): readonly DrivenEffect[] {
    return this.it.fire('look')
  }

  get context(): MemoryStackContext {
    return this.it.context as MemoryStackContext
  }

  get rests(): number | undefined {
    return this.it.timers()['look']
  }
}

const looks = (n: number, wanted: StackWanted | null = light): object => ({
  type: 'reconcileMemoryStack',
  params: { project: 'default/demo', run: `stack/${n}`, wanted },
})

test('MemoryStack absent/configured: a Project that wants one is looked at until it serves', () => {
  expect(new AStack(null).it.value).toBe('absent')
  const stack = new AStack(null)
  expect(stack.want(light)).toEqual([looks(1)])
  expect([stack.it.value, stack.rests]).toEqual(['pending', 5 * minute])
  stack.see(waits)
  expect([stack.it.value, stack.rests, stack.context.words]).toEqual(['pending', 5 * second, 'Setting up primary'])
  expect(stack.look()).toEqual([looks(2)])
})

describe('it serves', () => {
  test('and its memory is filled from then on, once', () => {
    const stack = new AStack()
    const filled = {
      type: 'deliver',
      params: { to: 'memory:default/demo', event: { type: 'memory.configured', fills: true } },
    }
    expect(stack.see(serves)).toEqual([filled])
    expect([stack.it.value, stack.rests, stack.context.endpoint]).toEqual(['running', minute, 'http://m'])
    stack.look()
    expect(stack.see(serves)).toEqual([])
    expect(new AStack({ ...light, fills: false }).see(serves)).toEqual([])
    expect(new AStack().see(limps)).toEqual([filled])
  })

  test('MemoryStack pending/seen: it is never pending again, and its address stays while it is away', () => {
    const stack = new AStack()
    stack.see(limps)
    expect(stack.it.value).toBe('degraded')
    for (const sight of [serves, waits, { ...waits, endpoint: '' }, { ...waits, part: 'service' as const }]) {
      stack.look()
      stack.see(sight)
    }
    expect([stack.it.value, stack.context.endpoint]).toEqual(['degraded', 'http://m'])
  })

  test('MemoryStack running/seen: what is not as it is wanted is looked at every five seconds', () => {
    const stack = new AStack()
    stack.see(serves)
    stack.look()
    stack.see(limps)
    expect([stack.it.value, stack.rests, stack.context.words]).toEqual(['degraded', 5 * second, 'a claim grows'])
    stack.look()
    stack.see(serves)
    expect([stack.it.value, stack.rests, stack.context.since]).toEqual(['running', minute, stack.context.at])
  })

  test('another size is looked at at once, and an answer to the look before changes nothing', () => {
    const stack = new AStack()
    stack.see(serves)
    const larger = { ...light, pgStorage: '20Gi' }
    const before = lookOf(stack.context)
    expect(stack.want(larger)).toEqual([looks(2, larger)])
    stack.see(limps, before)
    expect(stack.it.value).toBe('running')
  })
})

describe('a part that is waited for', () => {
  test.each([
    ['cluster', 10],
    ['postgres', 10],
    ['neo4j', 5],
    ['lightrag', 5],
    ['service', 5],
  ] as const)('MemoryStack any/late: %s is late after %i minutes, and the looks go on', (part, minutes) => {
    const stack = new AStack()
    stack.see({ ...waits, part: part === 'cluster' ? 'service' : 'cluster' })
    stack.look()
    stack.see({ ...waits, part })
    const { since } = stack.context
    while (stack.context.at + 10 * second < since + minutes * minute) {
      stack.look()
      stack.see({ ...waits, part, words: `${stack.context.looks}` })
      expect(stack.context.isLate).toBe(false)
    }
    stack.it.pass(10 * second)
    stack.see({ ...waits, part })
    expect([stack.context.isLate, stack.context.since, stack.rests]).toEqual([true, since, minute])
    stack.look()
    stack.see({ ...waits, part: part === 'neo4j' ? 'service' : 'neo4j' })
    expect([stack.context.isLate, stack.rests]).toEqual([false, 5 * second])
  })
})

describe('a look that sees nothing', () => {
  test('MemoryStack any/failed: what was seen stays, and it is asked again after 5 s to 5 min', () => {
    const stack = new AStack()
    stack.see(serves)
    const rests = Array.from({ length: 8 }, () => {
      stack.look()
      stack.fail()
      return Number(stack.rests) / second
    })
    expect(rests).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
    expect([stack.it.value, stack.context.trouble, stack.context.phase]).toEqual(['running', 'no route', 'running'])
    stack.look()
    stack.see(serves)
    expect(stack.context).toMatchObject({ failures: 0, trouble: '' })
  })

  test('one that is never answered is followed by another after five minutes', () => {
    const stack = new AStack()
    expect([stack.rests, stack.look()]).toEqual([5 * minute, [looks(2)]])
  })

  test('the failure of another effect is none of it', () => {
    const stack = new AStack()
    stack.fail('fillMemory')
    expect(stack.context.failures).toBe(0)
  })
})

describe('nobody wants it any more', () => {
  const gone: StackSight = { phase: 'gone', part: 'cluster', words: 'two claims', endpoint: '', externalEndpoint: '' }

  test.each([[waits], [serves], [limps]])(
    'MemoryStack any/unwanted: it ends until nothing of it runs, from %o',
    (sight) => {
      const stack = new AStack()
      stack.see(sight)
      expect(stack.want(null)).toEqual([looks(2, null)])
      expect([stack.it.value, stack.context.endpoint]).toEqual(['ending', ''])
      stack.see({ ...waits, words: 'one pod ends' })
      expect([stack.it.value, stack.rests]).toEqual(['ending', 5 * second])
      stack.fail()
      stack.look()
      stack.see(gone)
      expect([stack.it.value, stack.it.timers()]).toEqual(['absent', {}])
      expect(stack.context).toMatchObject({ wanted: null, phase: 'gone', words: 'two claims', endpoint: '' })
    },
  )

  test('wanted again meanwhile it begins anew, and the end of before changes nothing', () => {
    const stack = new AStack()
    stack.see(serves)
    stack.want(null)
    const ended = lookOf(stack.context)
    expect(stack.want(light)).toEqual([looks(3)])
    stack.see(gone, ended)
    expect([stack.it.value, stack.context.endpoint]).toEqual(['pending', ''])
  })
})
