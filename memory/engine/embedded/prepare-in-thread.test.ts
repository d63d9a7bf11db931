import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { aMemory } from '../contract/engine-contract.ts'
import { createEmbeddedEngine } from './engine.ts'
import { mostHere, PrepareThreads } from './prepare-in-thread.ts'
import { prepare } from './prepare.ts'

const deadThread = (): Worker => new Worker('process.exit(3)', { eval: true })
const goodThread = (): Worker => new Worker(new URL('./prepare-worker.ts', import.meta.url))

/** More of everything than one slice has. */
function aLargeMemory(topic: string): ReturnType<typeof aMemory> {
  const lines = Array.from(
    { length: 1_500 },
    (_, at) => `The ${topic}Store${at} asks the ${topic}Table${at} for [it](docs/${at}.md).`,
  )
  return aMemory(lines.join('\n'), { file: `${topic}.md` })
}

test('large memories are prepared in threads as they are here, in their order among small ones', async () => {
  let starts = 0
  const threads = new PrepareThreads(systemClock, () => ((starts += 1), goodThread()))
  const small = ['The Harbour opens.', 'x'.repeat(mostHere)].map((text) => aMemory(text))
  expect(await threads.prepare(small)).toEqual(small.map((memory) => prepare(memory)))
  expect(starts).toBe(0)
  const memories = [aLargeMemory('Session'), small[0]!, aLargeMemory('Ledger'), small[1]!, aLargeMemory('Queue')]
  expect(await threads.prepare(memories)).toEqual(memories.map((memory) => prepare(memory)))
  expect(starts).toBe(2)
  await threads.close()
})

test('a memory of whose preparation one thread dies is prepared by the next', async () => {
  let starts = 0
  const threads = new PrepareThreads(systemClock, () => ((starts += 1) === 1 ? deadThread() : goodThread()))
  const memory = aLargeMemory('Session')
  expect(await threads.prepare([memory])).toEqual([prepare(memory)])
  expect(starts).toBe(2)
  await threads.close()
})

test('a memory of which two threads die fails for now, and those beside it are stored', async () => {
  const sql = await openMemoryStore()
  const threads = new PrepareThreads(systemClock, deadThread)
  const engine = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger, threads })
  const [large, small] = [aLargeMemory('Session'), aMemory('The Harbour opens at six.')]
  expect(await engine.upsert([large, small])).toMatchObject([
    { id: large.id, status: 'failed', message: 'the thread of a memory ended without an answer', retryable: true },
    { id: small.id, status: 'stored' },
  ])
  expect([...(await engine.holds([large.id, small.id]))]).toEqual([small.id])
  await engine.stop()
  await sql.close()
}, 120_000)
