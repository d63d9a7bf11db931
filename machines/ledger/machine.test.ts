import { describe, expect, test } from 'vitest'
import { drive, type Drive, type DrivenEffect } from '../drive.ts'
import type { LedgerContext } from './context.ts'
import type { SpendingLimits } from './events.ts'
import { ledgerMachine } from './machine.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 0, 2, 12)

class ALedger {
  readonly #drive: Drive = drive(ledgerMachine, 'default/demo', noon)
  #last: readonly DrivenEffect[] = []

  constructor(limits: Partial<SpendingLimits> = {}) {
    const none = { tokensPerTask: 0, tokensPerDay: 0, tokensPerProject: 0, maxRaisePerDay: 0 }
    this.send('ledger.configured', { limits: { tokensPerTurn: 10, ...none, ...limits } })
  }

  send(type: string, fields: object = {}): this {
    this.#last = this.#drive.send({ type, ...fields })
    return this
  }

  ask(turn: string, task = turn.slice(0, 1)): this {
    return this.send('reservation.asked', { turn, task })
  }

  settle(turn: string, tokens: number | null): this {
    return this.send('reservation.settled', { turn, tokens })
  }

  raise(task: string, amount: number): this {
    return this.send('raise.asked', { task, by: 'maya', amount })
  }

  pass(milliseconds: number): this {
    this.#drive.pass(milliseconds)
    return this
  }

  midnight(): this {
    this.#last = this.#drive.fire('nextDay')
    return this
  }

  /** Who was told what by the last step. */
  get said(): readonly string[] {
    return this.#last.map(({ params }) => `${params.to} ${params.event.type}`)
  }

  get effects(): readonly DrivenEffect[] {
    return this.#last
  }

  get context(): LedgerContext {
    return this.#drive.context as LedgerContext
  }

  get state(): unknown {
    return this.#drive.value
  }

  get timers(): Readonly<Record<string, number>> {
    return this.#drive.timers()
  }
}

describe('reserving and settling', () => {
  test('a turn that fits is granted, and what it did not use is free again', () => {
    const ledger = new ALedger({ tokensPerTask: 20 }).ask('a1')
    expect(ledger.said).toEqual(['turn:a1 reservation.granted'])
    ledger.settle('a1', 4)
    expect([ledger.context.tasks['a'], ledger.context.reservations]).toEqual([{ spent: 4, raised: 0 }, []])
    expect(ledger.ask('a2').said).toEqual(['turn:a2 reservation.granted'])
  })

  test('a settlement counts once, and one of nobody not at all', () => {
    const ledger = new ALedger().ask('a1').settle('a1', 4).settle('a1', 4).settle('z9', 100)
    expect([ledger.context.total.spent, ledger.context.today.spent]).toEqual([4, 4])
  })

  test('asked twice, a turn reserves once', () => {
    const ledger = new ALedger().ask('a1').ask('a1')
    expect([ledger.context.reservations.length, ledger.said]).toEqual([1, []])
  })

  test('of a turn that nobody heard the end of, all that it was allowed counts (LEDGER-2)', () => {
    expect(new ALedger().ask('a1').settle('a1', null).context.total.spent).toBe(10)
  })

  test('a turn that used more than was reserved counts as it was', () => {
    expect(new ALedger({ tokensPerTask: 20 }).ask('a1').settle('a1', 25).context.total.spent).toBe(25)
  })

  test('nothing is limited by 0', () => {
    const ledger = new ALedger()
    for (let turn = 0; turn < 5; turn += 1) ledger.ask(`a${turn}`).settle(`a${turn}`, 10_000)
    expect([ledger.context.total.spent, ledger.ask('a9').said]).toEqual([50_000, ['turn:a9 reservation.granted']])
  })
})

describe('a full limit', () => {
  test('waits while what is reserved may be given back, and is granted in the step that settles it (LEDGER-1)', () => {
    const ledger = new ALedger({ tokensPerDay: 15 }).ask('a1').ask('b1')
    expect([ledger.said, ledger.context.waiting.map(({ turn }) => turn)]).toEqual([[], ['b1']])
    expect(ledger.settle('a1', 2).said).toEqual(['turn:b1 reservation.granted'])
  })

  test('refuses once nothing can make room: the turn is told, and its Task is held, never ended', () => {
    const ledger = new ALedger({ tokensPerDay: 15 }).ask('a1').ask('b1').settle('a1', 9)
    expect(ledger.said).toEqual(['turn:b1 reservation.refused', 'task:b budget.exhausted'])
    expect(ledger.effects[1]?.params.event.detail).toBe('day: 9 of 15 tokens')
  })

  test("a Task's own limit holds back nobody else", () => {
    const ledger = new ALedger({ tokensPerTask: 15 }).ask('a1').settle('a1', 10).ask('a2')
    expect(ledger.said).toEqual(['turn:a2 reservation.refused', 'task:a budget.exhausted'])
    expect(ledger.ask('b1').said).toEqual(['turn:b1 reservation.granted'])
  })

  test('a turn that waits and is given up waits no more', () => {
    const ledger = new ALedger({ tokensPerDay: 15 }).ask('a1').ask('b1').settle('b1', 0)
    expect([ledger.context.waiting, ledger.settle('a1', 0).said]).toEqual([[], []])
  })

  test('a higher limit lets those go on that wait', () => {
    const ledger = new ALedger({ tokensPerDay: 15 }).ask('a1').ask('b1')
    const limits = { tokensPerTurn: 10, tokensPerTask: 0, tokensPerDay: 30, tokensPerProject: 0, maxRaisePerDay: 0 }
    expect(ledger.send('ledger.configured', { limits }).said).toEqual(['turn:b1 reservation.granted'])
  })
})

describe('the day', () => {
  const heldByDay = () => new ALedger({ tokensPerDay: 15 }).ask('a1').settle('a1', 10).ask('a2')

  test('at midnight of UTC held Tasks go on, and the day is empty', () => {
    const ledger = heldByDay()
    expect([ledger.state, ledger.timers]).toEqual(['spentToday', { nextDay: day / 2 }])
    expect(ledger.midnight().said).toEqual(['task:a budget.renewed'])
    expect([ledger.state, ledger.context.today.spent, ledger.context.total.spent]).toEqual(['open', 0, 10])
    expect(ledger.ask('a3').said).toEqual(['turn:a3 reservation.granted'])
  })

  test('an event of the next day begins it as well, before the timer does', () => {
    const ledger = heldByDay().pass(day).ask('b1')
    expect(ledger.said).toEqual(['task:a budget.renewed', 'turn:b1 reservation.granted'])
    expect(ledger.timers).toEqual({})
  })

  test('a timer of a day that is gone ends no day, and the next one is waited for', () => {
    const ledger = heldByDay().pass(day).ask('b1').settle('b1', 10).ask('b2')
    expect([ledger.state, ledger.context.held]).toEqual(['spentToday', ['b']])
    expect(ledger.timers['nextDay']).toBe(day / 2)
  })

  test("a limit that is not the day's is not renewed by it", () => {
    const ledger = new ALedger({ tokensPerTask: 15 }).ask('a1').settle('a1', 10).ask('a2')
    expect([ledger.state, ledger.pass(day).ask('b1').said]).toEqual(['open', ['turn:b1 reservation.granted']])
  })

  test('a clock that runs backwards begins no day again', () => {
    const ledger = heldByDay().pass(day).ask('b1').settle('b1', 3).pass(-day).ask('c1')
    expect(ledger.context.today.spent).toBe(3)
  })
})

describe('LEDGER-3: what a maintainer adds by comment', () => {
  test('is off unless the Project says how much a day (PROJECT-SPENDING-4)', () => {
    const ledger = new ALedger({ tokensPerTask: 15 }).raise('a', 1)
    expect(ledger.effects[0]?.params).toEqual({
      to: 'task:a',
      event: { type: 'budget.refused', by: 'maya', amount: 1, left: 0 },
    })
  })

  test('raises every limit of the Task, and tells it', () => {
    const ledger = new ALedger({ tokensPerTask: 10, tokensPerDay: 10, maxRaisePerDay: 20 }).ask('a1').settle('a1', 10)
    expect(ledger.ask('a2').said[0]).toBe('turn:a2 reservation.refused')
    expect(ledger.raise('a', 10).said).toEqual(['task:a budget.raised'])
    expect(ledger.ask('a3').said).toEqual(['turn:a3 reservation.granted'])
  })

  test('in all no more than the cap, until the next day (PROJECT-SPENDING-4)', () => {
    const ledger = new ALedger({ maxRaisePerDay: 20 }).raise('a', 15).raise('b', 6)
    expect(ledger.effects[0]?.params.event).toMatchObject({ type: 'budget.refused', left: 5 })
    expect(ledger.raise('b', 5).said).toEqual(['task:b budget.raised'])
    expect(ledger.pass(day).raise('b', 20).said).toEqual(['task:b budget.raised'])
  })
})

test('a Task that has settled is forgotten, and what it spent is not', () => {
  const ledger = new ALedger().ask('a1').settle('a1', 4).send('task.settled', { task: 'a' })
  expect([ledger.context.tasks, ledger.context.total.spent]).toEqual([{}, 4])
})
