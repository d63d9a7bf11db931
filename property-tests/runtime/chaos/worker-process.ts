/** One of the processes that are killed and paused: a runtime over the shared Postgres, spoken to by its parent. */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createRuntime } from '../../../runtime/create-runtime.ts'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Delivery, EffectContext, EffectHandler } from '../../../runtime/runtime.ts'
import { openPgHints } from '../../../runtime/store/postgres/pg-hints.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { chaosDefinitions } from './messages.ts'
import type { EffectLine, FromWorker, ToWorker, WorkerSettings, WorkerState } from './messages.ts'

const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings
const receipts = openSync(settings.receipts, 'a')
const state = { waiting: 0, performing: 0 }
const longestTickMs = 300
const pauseMs = 700

function say(message: FromWorker): void {
  if (process.connected) process.send!(message)
}

function handler(type: 'call' | 'callInOrder'): EffectHandler {
  return {
    ordered: type === 'callInOrder',
    async perform(params, context) {
      writeReceipt(type, JSON.stringify(params), context)
      state.performing += 1
      try {
        await delay(Math.random() * 20)
        const luck = Math.random()
        // Effects that wait for their time are what a process that was paused would begin first.
        if (luck < 0.25) throw new RetryableError('asked to wait', { retryAfterMs: 200 })
        if (luck < 0.3) throw new Error('out of luck')
        const event = { type: 'call.done', at: Date.now(), note: context.key }
        return [{ to: context.actor, key: `${context.key}/done`, event }]
      } finally {
        state.performing -= 1
      }
    },
  }
}

/** One write per line: what a kill leaves is whole lines. */
function writeReceipt(type: string, params: string, { key, actor, attempt }: EffectContext): void {
  const line: EffectLine = { key, type, params, actor, attempt, owner: settings.owner, at: Date.now() }
  writeSync(receipts, `${JSON.stringify(line)}\n`)
}

/** The fence and the sequence check let everything pass, and after a pause the word of its loss comes late. */
function withoutFence(sql: Sql): Sql {
  let seen = Date.now()
  let lateUntil = 0
  const look = (): void => {
    const now = Date.now()
    if (now - seen > pauseMs) lateUntil = now + pauseMs
    seen = now
  }
  setInterval(look, 50)
  async function query(text: string, params?: readonly unknown[]): Promise<unknown> {
    look()
    if (/\bprocess\b/.test(text)) await delay(Math.max(0, lateUntil - Date.now()))
    return sql.query(text.replaceAll('statewright_require(', 'statewright_require(true or '), params)
  }
  return { ...sql, query: query as Queryable['query'] }
}

/** A clock that stands still while its process does: it never learns that it was away. */
function blindClock(): Clock {
  const startedAt = Date.now()
  let last = performance.now()
  let elapsed = 0
  function tick(): number {
    const seen = performance.now()
    elapsed += Math.min(seen - last, longestTickMs)
    last = seen
    return elapsed
  }
  return { ...systemClock, elapsed: tick, now: () => Math.floor(startedAt + tick()) }
}

async function deliver(id: number, delivery: Delivery): Promise<void> {
  const early = { key: delivery.key, applied: true, seq: 0 }
  if (settings.plants.includes('early-ack')) say({ type: 'receipt', id, receipt: early })
  state.waiting += 1
  try {
    say({ type: 'receipt', id, receipt: await runtime.deliver(delivery) })
  } catch (error) {
    say({ type: 'refused', id, error: String(error) })
  } finally {
    state.waiting -= 1
  }
}

function heard(message: ToWorker): void {
  if (message.type === 'deliver') return void deliver(message.id, message.delivery)
  say({ type: 'state', id: message.id, state: { ...state } satisfies WorkerState })
}

/** The server may be away when a process starts. */
async function opened(): Promise<Sql> {
  for (;;) {
    try {
      return await openPgSql({ url: settings.url })
    } catch {
      await delay(50)
    }
  }
}

async function started(): Promise<void> {
  for (;;) {
    try {
      return await runtime.start({ call: handler('call'), callInOrder: handler('callInOrder') })
    } catch {
      await delay(50)
    }
  }
}

process.on('disconnect', () => process.exit(0))
const store = await opened()
const hints = openPgHints({
  url: settings.url,
  owner: settings.owner,
  clock: systemClock,
  random: Math.random,
  logger: silentLogger,
})
const runtime = createRuntime({
  sql: settings.plants.includes('no-fence') ? withoutFence(store) : store,
  definitions: chaosDefinitions,
  clock: settings.plants.includes('blind-to-pauses') ? blindClock() : systemClock,
  random: Math.random,
  logger: silentLogger,
  owner: settings.owner,
  leaseMs: settings.leaseMs,
  shards: settings.shards,
  stopGraceMs: 2000,
  hint: hints.hint,
})
process.on('message', (message) => heard(message as ToWorker))
process.once('SIGTERM', () => {
  void runtime.stop().finally(() => process.exit(0))
})
await started()
hints.listen(() => runtime.wake())
say({ type: 'ready' })
