import { expect, test } from 'vitest'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { sleep, systemClock } from '../../runtime/clock.ts'
import { openTestMemory } from '../testing/service.ts'

test('a memory is answered as `processing` while the engine has the only session of the store for it (MEMORIES-19)', async () => {
  const released = Promise.withResolvers<void>()
  const memory = await openTestMemory({
    engine: (sql) => ({
      ...createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger }),
      upsert: (memories) =>
        sql.tx(async () => {
          await released.promise
          return memories.map(({ id }) => ({ id, status: 'stored' }))
        }),
    }),
  })
  try {
    const asked = memory.ask('POST', '/memories', { text: 'The Harbour opens at six.' })
    const answer = await Promise.race([asked, sleep(systemClock, 10_000)])
    expect(answer).toMatchObject({ status: 201 })
    const { id, status } = (await (await asked).json()) as { readonly id: string; readonly status: string }
    expect(status).toBe('processing')
    released.resolve()
    const statusNow = async (): Promise<unknown> => (await memory.ask('GET', `/memories/${id}`)).json()
    await expect.poll(statusNow, { timeout: 30_000 }).toMatchObject({ status: 'ready' })
  } finally {
    released.resolve()
    await memory.close()
  }
}, 120_000)
