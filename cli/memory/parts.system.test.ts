/** The parts of a memory service on an embedded store: what the engine writes stands back for who asks (decisions/0058). */
import { expect, onTestFinished, test } from 'vitest'
import { captureLog } from '../../http/testing/fixture.ts'
import type { EngineMemory } from '../../memory/engine/port.ts'
import { systemClock, type Clock } from '../../runtime/clock.ts'
import { openParts } from './parts.ts'
import { settingsWith } from './testing/settings.ts'

function memoryOf(id: string): EngineMemory {
  return { id, repo: 'lib', file: `${id}.md`, content: `The harbour ${id} opens at six.`, metadata: {} }
}

test('the engine waits while somebody asks, and stores at once when nobody does', async () => {
  const delays: number[] = []
  const clock: Clock = {
    ...systemClock,
    setTimer(delayMs, callback) {
      delays.push(delayMs)
      return systemClock.setTimer(delayMs, callback)
    },
  }
  const parts = await openParts(settingsWith(), { clock, random: Math.random, fetch, logger: captureLog().logger })
  onTestFinished(() => parts.close())
  const looks = async (id: string): Promise<number> => {
    delays.length = 0
    expect(await parts.engine.upsert([memoryOf(id)])).toMatchObject([{ status: 'stored' }])
    return delays.filter((delay) => delay === 5).length
  }
  await looks('a')
  expect(await looks('b')).toBe(0)
  parts.foreground!.began()
  expect(await looks('c')).toBeGreaterThan(0)
}, 60_000)
