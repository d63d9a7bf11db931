/** The network to the database swallows what is sent, and no connection ends. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { until } from '../../runtime/contract/harness.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { silentObserver } from '../../runtime/observer.ts'
import type { Delivery } from '../../runtime/runtime.ts'
import { openPgHints, type PgHints } from '../../runtime/store/postgres/pg-hints.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { startDatabase, urlFor, type Database } from './chaos/database.ts'
import { toyDefinitions } from '../../runtime/contract/toy-machine.ts'
import { tcpProxy, type TcpProxy } from './chaos/tcp-proxy.ts'

const answerMs = 400

describeRequiring('postgres', 'a database that falls silent', () => {
  let database: Database
  let network: TcpProxy
  let sql: Sql
  beforeAll(async () => void (database = await startDatabase()))
  afterAll(() => database.stop())
  beforeEach(async () => {
    network = await tcpProxy(database.port)
    sql = await openPgSql({ url: urlFor(network.port, 'one'), connections: 2, answerMs })
  })
  afterEach(async () => {
    await sql.close()
    await network.close()
  })

  it('fails what waits for it, and is asked on new connections from then on', async () => {
    await Promise.all([1, 2].map(() => sql.query('select pg_sleep(0.05)')))
    network.swallow()
    for (const outcome of await Promise.allSettled([1, 2].map(() => sql.query('select 1 as one'))))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'SqlError', code: 'unreachable' } })
    expect((await sql.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('fails also who waits for a connection', async () => {
    const resume = network.stall()
    const asked = [1, 2, 3, 4].map(() => sql.query('select 1 as one'))
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'SqlError', code: 'unreachable' } })
    resume()
    expect((await sql.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('lets go of what a transaction locked that fell silent, and keeps nothing of it', async () => {
    await database.sql.exec('create table kept (n int); insert into kept values (1)')
    const silent = sql.tx(async (tx) => {
      await tx.query('update kept set n = 2')
      network.swallow()
      await tx.query('update kept set n = 3')
    })
    await expect(silent).rejects.toMatchObject({ code: 'unreachable' })
    // Waits for the lock until the server has noticed.
    await database.sql.query('update kept set n = n + 10')
    expect((await database.sql.query('select n from kept')).rows).toEqual([{ n: 11 }])
  })

  it('hears hints on a new connection, in place of the silent one', async () => {
    const heard = { one: 0, two: 0 }
    const line = (owner: 'one' | 'two', port: number): PgHints => {
      const hints = openPgHints({
        url: urlFor(port, owner),
        owner,
        clock: systemClock,
        random: Math.random,
        logger: silentLogger,
        answerMs,
      })
      hints.listen(() => void heard[owner]++)
      return hints
    }
    const lines = [line('one', network.port), line('two', database.port)]
    try {
      await until(() => heard.one === 1 && heard.two === 1)
      network.swallow()
      lines[0]?.hint('two')
      // Once for each connection.
      await until(() => heard.one === 2)
      lines[0]?.hint('two')
      await until(() => heard.two === 2)
    } finally {
      await Promise.all(lines.map((one) => one.close()))
    }
  })

  it('costs a runtime no event and no order: what was cut short is asked for again', async () => {
    const failures: string[] = []
    const runtime = createRuntime({
      sql,
      definitions: toyDefinitions(),
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      observer: { ...silentObserver, commitFailed: (reason) => void failures.push(reason) },
      owner: 'one',
      shards: 4,
    })
    await runtime.start({ call: { perform: async () => [] }, callInOrder: { perform: async () => [] } })
    try {
      const sent = Array.from({ length: 40 }, (_, n) => noted(n))
      await runtime.deliver(sent[0]!)
      network.swallow()
      await Promise.all(sent.map((delivery) => runtime.deliver(delivery)))
      expect(failures).toContain('store-unavailable')
      expect((await runtime.history('task:t')).map(({ key }) => key)).toEqual(sent.map(({ key }) => key))
      expect(await runtime.replay('task:t')).toMatchObject({ equal: true, steps: sent.length })
    } finally {
      await runtime.stop()
    }
  })
})

function noted(n: number): Delivery {
  return { to: 'task:t', key: `k${n}`, event: { type: 'noted', at: 1, note: String(n) } }
}
