import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { silentLogger } from '../runtime/logger.ts'
import { openMemoryStore, openTestMemory, type TestMemory } from './testing/service.ts'
import { createEmbeddedEngine } from './engine/embedded/engine.ts'
import { Foreground } from './foreground.ts'

let memory: TestMemory
let asking = 0
let asked = 0
let answer: Promise<unknown> = Promise.resolve()
let admitted: Promise<unknown> = Promise.resolve()
/** The connection of the next request, once it is asked who it is. */
let connected = Promise.withResolvers<Socket>()

beforeAll(async () => {
  const foreground = new Foreground(systemClock)
  const [began, ended] = [foreground.began.bind(foreground), foreground.ended.bind(foreground)]
  foreground.began = () => {
    ;[asking, asked] = [asking + 1, asked + 1]
    began()
  }
  foreground.ended = () => {
    asking -= 1
    ended()
  }
  const sql = await openMemoryStore()
  const engine = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
  const slow = {
    ...engine,
    async retrieve(...given: Parameters<typeof engine.retrieve>) {
      await answer
      return engine.retrieve(...given)
    },
  }
  memory = await openTestMemory({
    sql,
    foreground,
    engine: () => slow,
    async authenticate({ socket }) {
      connected.resolve(socket)
      await admitted
      return { subject: 'tester', issuer: 'test', claims: {} }
    },
  })
})
afterAll(() => memory.close())
beforeEach(() => void (asked = 0))

function reach(count: number): Promise<void> {
  return expect.poll(() => asking, { timeout: 5_000, interval: 10 }).toBe(count)
}

/** A question of somebody who may leave. */
function ask(signal: AbortSignal): Promise<Response> {
  return fetch(`${memory.url}/queries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'harbour', mode: 'naive' }),
    signal,
  })
}

describe('an ingest stands back', () => {
  test('for questions, until each is answered', async () => {
    const answers = [
      await memory.ask('POST', '/queries', { text: 'harbour', mode: 'naive' }),
      await memory.ask('GET', '/code-graph/communities?repo=lib'),
      await memory.ask('GET', '/entities'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200])
    expect(asked).toBe(3)
    await reach(0)
  })

  test('for nobody who left before the answer', async () => {
    const held = Promise.withResolvers<void>()
    answer = held.promise
    const leaving = new AbortController()
    const gone = ask(leaving.signal)
    await reach(1)
    leaving.abort()
    await expect(gone).rejects.toThrow('abort')
    await reach(0)
    held.resolve()
  })

  test('for nobody who left before it was known who asks', async () => {
    const held = Promise.withResolvers<void>()
    admitted = held.promise
    connected = Promise.withResolvers()
    const leaving = new AbortController()
    const gone = ask(leaving.signal)
    const left = once(await connected.promise, 'close')
    leaving.abort()
    await expect(gone).rejects.toThrow('abort')
    await left
    held.resolve()
    expect((await memory.ask('POST', '/queries', { text: 'harbour', mode: 'naive' })).status).toBe(200)
    await reach(0)
  })

  test('for nothing that it asks itself, and for no probe', async () => {
    await memory.ask('POST', '/memories', { text: 'The Harbour opens at six.' })
    await memory.ask('GET', '/ingest-record?repo=lib')
    await memory.ask('GET', '/ingest-jobs')
    await memory.ask('POST', '/code-graph/semantic-misses', {})
    await memory.ask('GET', '/readyz')
    await memory.ask('GET', '/metrics')
    expect(asked).toBe(0)
  })
})
