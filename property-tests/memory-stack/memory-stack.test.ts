/** What a memory stack promises, whatever comes in whatever order (PROJECT-MEMORY-1): over the real table, and over tables with a hole. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import { drive, type DrivenEffect } from '../../machines/drive.ts'
import { lookOf, type MemoryStackContext } from '../../machines/memory-stack/context.ts'
import type { StackSight, StackWanted } from '../../machines/memory-stack/events.ts'
import { memoryStackMachine } from '../../machines/memory-stack/machine.ts'
import { dropRows, setRows, state, withTable, type Part } from '../machines/rewrite.ts'

const minute = 60_000
const small: StackWanted = {
  profile: 'light',
  pgInstances: 1,
  pgStorage: '10Gi',
  pgWalStorage: '8Gi',
  neo4jStorage: '10Gi',
  fills: true,
}
const wishes = { small, large: { ...small, pgStorage: '20Gi' }, none: null }
const sights = {
  serves: { phase: 'running', part: 'service' },
  limps: { phase: 'degraded', part: 'postgres' },
  waits: { phase: 'pending', part: 'postgres' },
  starts: { phase: 'pending', part: 'service' },
  gone: { phase: 'gone', part: 'cluster' },
} as const

const others = ['fail', 'late', 'time'] as const
type Act = keyof typeof wishes | keyof typeof sights | (typeof others)[number]
const acts: readonly Act[] = ['small', 'large', 'none', 'serves', 'limps', 'waits', 'starts', 'gone', ...others, 'time']

function isOf<Table extends object>(table: Table, one: PropertyKey): one is keyof Table {
  return one in table
}

/** What happened, apart from what the stack remembers of it. */
class Story {
  readonly #it
  readonly breaches: string[] = []
  #wanted: StackWanted | null = null
  /** Of the stack that is wanted now, or that still ends. */
  #lives = false
  #served = false
  /** The newest look that was asked for. */
  #asked = ''

  constructor(machine: AnyStateMachine) {
    this.#it = drive(machine, 'default/demo')
  }

  live(all: readonly Act[]): readonly string[] {
    for (const one of all) this.#act(one)
    if (this.#lives) {
      const { looks } = this.#context
      this.#act('time')
      if (this.#context.looks === looks) this.breaches.push('it never looks again')
    }
    return this.breaches
  }

  get #context(): MemoryStackContext {
    return this.#it.context as MemoryStackContext
  }

  #act(one: Act): void {
    if (isOf(wishes, one)) this.#want(wishes[one])
    else if (isOf(sights, one)) this.#see(one)
    else if (one === 'fail')
      this.#send({ type: 'effect.failed', effect: 'reconcileMemoryStack', reason: 'no', key: 'k' })
    else if (one === 'late') this.#late()
    else if (this.#it.timers()['look'] !== undefined) this.#hear(this.#it.fire('look'))
    this.#judge()
  }

  #want(wanted: StackWanted | null): void {
    const before = this.#asked
    if (wanted !== null && this.#wanted === null) this.#served = false
    this.#wanted = wanted
    this.#lives ||= wanted !== null
    this.#send({ type: 'stack.configured', wanted })
    if (wanted !== null && this.#asked === before) this.breaches.push('what is wanted now waits for the next look')
  }

  #see(one: keyof typeof sights): void {
    if (!this.#lives) return
    const ends = one === 'gone' && this.#wanted === null
    if (this.#wanted !== null && (one === 'serves' || one === 'limps')) this.#served = true
    this.#send({ type: 'stack.seen', run: this.#asked, ...sightOf(one) })
    if (ends) this.#lives = false
  }

  /** An answer to a look before the newest. */
  #late(): void {
    const before = JSON.stringify([this.#it.value, this.#context.phase])
    this.#send({ type: 'stack.seen', run: `stack/${this.#context.looks - 1}`, ...sightOf('serves') })
    this.#send({ type: 'stack.seen', run: `stack/${this.#context.looks - 1}`, ...sightOf('gone') })
    if (JSON.stringify([this.#it.value, this.#context.phase]) !== before)
      this.breaches.push('an answer to an earlier look counts')
  }

  #send(event: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#hear(this.#it.send(event))
  }

  #hear(effects: readonly DrivenEffect[]): void {
    for (const { type, params } of effects) {
      if (type !== 'reconcileMemoryStack') continue
      this.#asked = params['run'] as string
      if (JSON.stringify(params['wanted']) !== JSON.stringify(this.#wanted))
        this.breaches.push('it looks for what nobody wants')
    }
  }

  #judge(): void {
    const { value } = this.#it
    const wait = this.#it.timers()['look']
    if (!this.#lives) {
      if (value !== 'absent') this.breaches.push('nothing of it runs, and it is looked at')
      return
    }
    if (wait === undefined) this.breaches.push('it waits for nothing')
    else if (wait > 5 * minute) this.breaches.push('it rests for longer than ever allowed')
    if (this.#asked !== lookOf(this.#context)) this.breaches.push('a look that nobody asked for')
    if (this.#wanted !== null && this.#served && value === 'pending') this.breaches.push('it is pending again')
    if (this.#wanted !== null && this.#served && this.#context.endpoint === '')
      this.breaches.push('its address is lost')
  }
}

function sightOf(one: keyof typeof sights): StackSight {
  const isThere = one !== 'gone' && one !== 'waits'
  return { ...sights[one], words: 'so', endpoint: isThere ? 'http://m' : '', externalEndpoint: '' }
}

const histories = fc.array(fc.constantFrom(...acts), { minLength: 5, maxLength: 40, size: 'max' })

function breachOf(machine: AnyStateMachine): string {
  const found = fc.check(
    fc.property(histories, (all) => {
      const [breach] = new Story(machine).live(all)
      if (breach !== undefined) throw new Error(breach)
    }),
    { numRuns: 500, seed: 20261130 },
  )
  return found.failed ? (found.errorInstance as Error).message : ''
}

test('it is looked at for as long as it is wanted and until it is gone, and is never pending again', () => {
  expect(breachOf(memoryStackMachine)).toBe('')
})

function changed(change: (table: Part) => void): AnyStateMachine {
  return withTable('memory-stack', change).find(({ kind }) => kind === 'memory-stack')!.machine
}

describe('the law finds a table in which', () => {
  test.each<[string, string, AnyStateMachine]>([
    [
      'a look is waited for without an end',
      'it waits for nothing',
      changed((table) => delete state(table, 'degraded')['after']),
    ],
    [
      'a size that is applied while it runs is forgotten',
      'what is wanted now waits for the next look',
      changed((table) => dropRows(state(table, 'running'), 'stack.configured')),
    ],
    [
      'a service that is away is as one that never was there',
      'it is pending again',
      changed((table) => setRows(state(table, 'degraded'), 'stack.seen', [{ target: 'pending', actions: ['keep'] }])),
    ],
    [
      'an answer to an earlier look counts',
      'an answer to an earlier look counts',
      memoryStackMachine.provide({ guards: { answers: () => true, isGone: () => true } }),
    ],
    [
      'a Project that goes leaves it running',
      'it looks for what nobody wants',
      changed((table) =>
        setRows(state(table, 'running'), 'stack.configured', [{ target: 'running', actions: ['ask'] }]),
      ),
    ],
    [
      'one that returns is looked at no more',
      'what is wanted now waits for the next look',
      changed((table) => dropRows(state(table, 'ending'), 'stack.configured')),
    ],
  ])('%s', (_name, breach, machine) => {
    expect(breachOf(machine)).toBe(breach)
  })
})
