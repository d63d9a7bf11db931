import { expect, test } from 'vitest'
import { silentLogger } from '../../runtime/logger.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import { openTestMemory } from '../testing/service.ts'

test('a memory is answered as `processing` after 250 ms while the engine has the only session of the store for it (MEMORIES-19)', async () => {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const clock = simulatedClock(Date.now())
  const memory = await openTestMemory({
    clock,
    engine: (sql) => ({
      ...createEmbeddedEngine({ sql, clock, random: Math.random, logger: silentLogger }),
      upsert: (memories) =>
        sql.tx(async () => {
          asked.resolve()
          await released.promise
          return memories.map(({ id }) => ({ id, status: 'stored' }))
        }),
    }),
  })
  try {
    let isAnswered = false
    const answering = memory.ask('POST', '/memories', { text: 'The Harbour opens at six.' })
    void answering.finally(() => (isAnswered = true)).catch(() => undefined)
    await asked.promise
    clock.advance(249)
    expect((await memory.ask('GET', '/healthz')).status).toBe(200)
    expect(isAnswered).toBe(false)
    clock.advance(1)
    const answer = await answering
    expect(answer.status).toBe(201)
    const { id, status } = (await answer.json()) as { readonly id: string; readonly status: string }
    expect(status).toBe('processing')
    released.resolve()
    const shown = async (): Promise<unknown> => (await memory.ask('GET', `/memories/${id}`)).json()
    await expect.poll(shown, { timeout: 30_000 }).toMatchObject({ status: 'ready' })
  } finally {
    released.resolve()
    await memory.close()
  }
}, 60_000)
