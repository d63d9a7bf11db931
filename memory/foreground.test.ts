import { beforeEach, describe, expect, test } from 'vitest'
import { simulatedClock, type SimulatedClock } from '../runtime/simulated-clock.ts'
import type { Queryable, Sql } from '../runtime/store/sql.ts'
import { Foreground } from './foreground.ts'

let clock: SimulatedClock
let foreground: Foreground
/** When each transaction began, in milliseconds of the clock. */
let began: number[]
let tx: <T>(run: (tx: Queryable) => Promise<T>) => Promise<T>

beforeEach(() => {
  clock = simulatedClock(0)
  foreground = new Foreground(clock)
  began = []
  const sql: Pick<Sql, 'tx'> = {
    async tx(run) {
      began.push(clock.now())
      return run({} as Queryable)
    },
  }
  ;({ tx } = foreground.behind(sql as Sql))
})

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1) {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    clock.advance(1)
  }
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

/** A transaction that takes so long. */
function write(ms: number): Promise<void> {
  return tx(() => new Promise((end) => void clock.setTimer(ms, end)))
}

describe('work behind those who ask', () => {
  test('begins at once when nobody asks', async () => {
    void write(40)
    void write(40)
    await pass(90)
    expect(began).toEqual([0, 40])
  })

  test('waits for the answer and a moment more, for who asked may ask again', async () => {
    void write(40)
    await pass(50)
    foreground.began()
    void write(40)
    await pass(10)
    foreground.ended()
    await pass(60)
    expect(began).toHaveLength(2)
    expect(began[1]).toBeGreaterThanOrEqual(60 + 25)
  })

  test('waits for questions without an end twice the time of the transaction before, and 150 ms at most', async () => {
    void write(40)
    await pass(50)
    foreground.began()
    void write(300)
    void write(40)
    await pass(700)
    const [, second, third] = began
    expect(second! - 50).toBeGreaterThanOrEqual(80)
    expect(second! - 50).toBeLessThan(90)
    expect(third! - second! - 300).toBeGreaterThanOrEqual(150)
    expect(third! - second! - 300).toBeLessThan(160)
  })

  test('goes on behind a transaction that fails', async () => {
    const failing = tx(() => Promise.reject(new Error('no')))
    const next = tx(async () => 'next')
    await expect(failing).rejects.toThrow('no')
    await expect(next).resolves.toBe('next')
  })
})
