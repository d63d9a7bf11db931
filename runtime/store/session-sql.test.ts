import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { sessionSql } from './session-sql.ts'
import type { Sql } from './sql.ts'

describe('the store of one session', () => {
  let sql: Sql
  /** What the session was given, in its order. */
  let given: string[]

  beforeEach(() => {
    given = []
    const take = async (text: string): Promise<void> => {
      given.push(text)
      await turnOfLoop()
      if (text === 'bad') throw new Error('bad')
    }
    sql = sessionSql(
      {
        query: async (text) => {
          await take(text)
          return { rows: [], rowCount: 0 }
        },
        exec: take,
        close: () => take('close'),
      },
      'none',
    )
  })

  const transaction = (name: string): Promise<unknown> => sql.tx((tx) => tx.query(name))
  /** As the session has it. */
  const whole = (name: string): string[] => ['begin', name, 'commit']

  it('has statements go before transactions that wait, never into the one that runs', async () => {
    await Promise.all([transaction('tx 1'), transaction('tx 2'), sql.query('a'), sql.query('b')])
    expect(given).toEqual([...whole('tx 1'), 'a', 'b', ...whole('tx 2')])
  })

  it('gives who has an answer the next statement before a transaction that waits', async () => {
    const question = async (): Promise<void> => {
      for (const part of ['a', 'b', 'c']) await sql.query(part)
    }
    await Promise.all([transaction('tx 1'), question(), transaction('tx 2'), transaction('tx 3')])
    expect(given).toEqual([...whole('tx 1'), 'a', 'b', 'c', ...whole('tx 2'), ...whole('tx 3')])
  })

  it('lets at most eight statements go between two transactions, however many come', async () => {
    const asked: Promise<unknown>[] = [transaction('tx 1'), transaction('tx 2'), transaction('tx 3')]
    for (let n = 0; n < 30; n += 1) asked.push(sql.query('a'))
    await Promise.all(asked)
    const between = given.join(' ').split(/begin tx \d commit/)
    expect(between.map((part) => part.split('a').length - 1)).toEqual([0, 8, 8, 14])
  })

  it('lets a transaction in beside a caller that asks one statement after the other for ever', async () => {
    const state = { isIn: false, asked: 0 }
    const stream = async (): Promise<void> => {
      for (; !state.isIn && state.asked < 100; state.asked += 1) await sql.query('a')
    }
    await Promise.all([stream(), sql.tx(async () => void (state.isIn = true))])
    expect(state.asked).toBeLessThan(12)
  })

  it('keeps the order of statements, and that of transactions', async () => {
    await Promise.all([
      transaction('tx 1'),
      sql.query('a'),
      transaction('tx 2'),
      sql.query('b'),
      transaction('tx 3'),
      sql.query('c'),
    ])
    expect(given).toEqual([...whole('tx 1'), 'a', 'b', 'c', ...whole('tx 2'), ...whole('tx 3')])
  })

  it('has several statements as one wait in the line of transactions', async () => {
    await Promise.all([transaction('tx 1'), transaction('tx 2'), sql.exec('x; y'), sql.query('a'), transaction('tx 3')])
    expect(given).toEqual([...whole('tx 1'), 'a', ...whole('tx 2'), 'x; y', ...whole('tx 3')])
  })

  it('is closed when everyone before has had a turn', async () => {
    await Promise.all([transaction('tx 1'), sql.query('a'), transaction('tx 2'), sql.close(), sql.query('late')])
    expect(given).toEqual([...whole('tx 1'), 'a', ...whole('tx 2'), 'close', 'late'])
  })

  it('goes on after a statement and a transaction that failed', async () => {
    const settled = await Promise.allSettled([sql.query('bad'), transaction('bad'), transaction('tx'), sql.query('a')])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
    expect(given).toEqual(['bad', 'a', 'begin', 'bad', 'rollback', ...whole('tx')])
  })

  it('runs what waited in the context of who asked, which a trace goes by', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen = (name: string): Promise<unknown> => context.run(name, () => sql.tx(async () => context.getStore()))
    expect(await Promise.all([seen('one'), seen('two')])).toEqual(['one', 'two'])
  })
})

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
