/** What filling a memory promises, whatever comes in whatever order (KNOWLEDGE-16): over the real table, and over tables with a hole. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import { drive, type DrivenEffect } from '../../machines/drive.ts'
import { stepOf, type MemoryContext } from '../../machines/memory/context.ts'
import { memoryMachine } from '../../machines/memory/machine.ts'
import { dropRows, setRows, state, withTable, type Part } from '../machines/rewrite.ts'

const minute = 60_000

type Act = 'apply' | 'off' | 'push' | 'answer' | 'more' | 'broken' | 'fail' | 'hold' | 'late' | 'time'

const act = fc.oneof(
  ...(
    [
      [2, 'apply'],
      [1, 'off'],
      [5, 'push'],
      [6, 'answer'],
      [2, 'more'],
      [2, 'broken'],
      [2, 'fail'],
      [1, 'hold'],
      [2, 'late'],
      [6, 'time'],
    ] as const
  ).map(([weight, one]) => ({ weight, arbitrary: fc.constant<Act>(one) })),
)

const answers = {
  answer: { lib: { commit: 'c', due: 0, trouble: '' } },
  more: { lib: { commit: 'c', due: 2, trouble: '' } },
  broken: { lib: { commit: 'c', due: 2, trouble: 'no' } },
} as const

/** What happened, apart from what the memory remembers of it. */
class Story {
  readonly #it
  readonly breaches: string[] = []
  #isOn = false
  /** A step was asked for, and neither answered nor given up. */
  #asked: string | undefined
  /** Something changed since the newest step was asked for. */
  #isOpen = false

  constructor(machine: AnyStateMachine) {
    this.#it = drive(machine, 'default/demo')
  }

  live(acts: readonly Act[]): readonly string[] {
    for (const one of acts) this.#act(one)
    // Whatever came before: told nothing more, it looks again.
    this.#act('apply')
    const { steps } = this.#context
    for (let round = 0; round < 3; round += 1) this.#act('time')
    if (this.#context.steps === steps) this.breaches.push('it never looks again')
    return this.breaches
  }

  get #context(): MemoryContext {
    return this.#it.context as MemoryContext
  }

  #act(one: Act): void {
    const run = this.#asked ?? stepOf(this.#context)
    const isOurs = this.#asked !== undefined
    if (one === 'apply' || one === 'off') {
      this.#isOn = one === 'apply'
      this.#isOpen = this.#isOn
      if (!this.#isOn) this.#asked = undefined
      return this.#send({ type: 'memory.configured', fills: this.#isOn })
    }
    if (one === 'push') {
      this.#isOpen ||= this.#isOn
      return this.#send({ type: 'memory.outdated', repository: 'lib' })
    }
    if (one === 'late') return this.#send({ type: 'memory.filled', run: 'memory/0', repositories: answers.answer })
    if (one === 'time') return this.#time()
    this.#asked = undefined
    if (one === 'fail') return this.#send({ type: 'effect.failed', effect: 'fillMemory', reason: 'no', key: 'k' })
    if (one === 'hold') return this.#send({ type: 'memory.held', run, reason: 'paused' })
    this.#send({ type: 'memory.filled', run, repositories: answers[one] })
    if (isOurs && this.#isOn) this.#judgeAnswer(one)
  }

  #judgeAnswer(one: keyof typeof answers): void {
    const wait = this.#it.timers()['look']
    if (wait === undefined) this.breaches.push('answered, it waits for nothing')
    else if (this.#isOpen && wait > 10_000) this.breaches.push('what changed during a step waits for the next look')
    else if (one === 'more' && wait > 10_000) this.breaches.push('there is more, and it rests')
    else if (wait > 32 * minute) this.breaches.push('it rests for longer than ever allowed')
  }

  #time(): void {
    const [name] = Object.keys(this.#it.timers())
    if (name === undefined) return
    if (name === 'stepEnds') this.#asked = undefined
    this.#hear(this.#it.fire(name))
  }

  #send(event: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#hear(this.#it.send(event))
  }

  #hear(effects: readonly DrivenEffect[]): void {
    for (const { params } of effects) {
      if (this.#asked !== undefined) this.breaches.push('two steps at a time')
      if (!this.#isOn) this.breaches.push('a step though nobody wants one')
      this.#asked = params.run
      this.#isOpen = false
    }
  }
}

const histories = fc.array(act, { minLength: 10, maxLength: 60, size: 'max' })

function breachOf(machine: AnyStateMachine): string {
  const seed = 20261127
  const found = fc.check(
    fc.property(histories, (acts) => {
      const [breach] = new Story(machine).live(acts)
      if (breach !== undefined) throw new Error(breach)
    }),
    { numRuns: 500, seed },
  )
  return found.failed ? (found.errorInstance as Error).message : ''
}

test('one step at a time, and what changes is never lost', () => {
  expect(breachOf(memoryMachine)).toBe('')
})

function changed(change: (table: Part) => void): AnyStateMachine {
  return withTable('memory', change).find(({ kind }) => kind === 'memory')!.machine
}

describe('the law finds a table in which', () => {
  test.each<[string, string, AnyStateMachine]>([
    [
      'a push during a step is forgotten',
      'what changed during a step waits for the next look',
      changed((table) => dropRows(state(table, 'filling'), 'memory.outdated')),
    ],
    [
      'an apply during a step is a second step',
      'two steps at a time',
      changed((table) => setRows(state(table, 'filling'), 'memory.configured', [{ target: 'filling', reenter: true }])),
    ],
    [
      'a step waits for its answer for ever',
      'it never looks again',
      changed((table) => delete state(table, 'filling')['after']),
    ],
    [
      'an answer to an earlier step counts',
      'two steps at a time',
      memoryMachine.provide({ guards: { answers: () => true } }),
    ],
    [
      'nobody can switch it off',
      'a step though nobody wants one',
      memoryMachine.provide({ guards: { isOff: () => false } }),
    ],
  ])('%s', (_name, breach, machine) => {
    expect(breachOf(machine)).toBe(breach)
  })
})
