import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import type { RetrievalEngine } from '../engine/port.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'
import type { JobBody } from './job-view.ts'
import { ingest, interfered, jobEnded, type Interference } from './testing/jobs.ts'

let memory: TestMemory
let before: Interference = () => undefined

/** As one that asks a model, which gets each item by itself. */
function readingByModel(engine: RetrievalEngine): RetrievalEngine {
  return { ...engine, info: async () => ({ ...(await engine.info()), llm: true }) }
}

beforeAll(async () => {
  memory = await openTestMemory({
    engine: (sql) =>
      readingByModel(
        interfered(
          createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger }),
          () => before,
        ),
      ),
  })
}, 120_000)
afterAll(() => memory?.close())

const jobs = 6
const itemsOf = (repo: string): object[] =>
  Array.from({ length: 8 }, (_, index) => ({ content: `${repo} ${index}`, metadata: { file: `${index}` } }))

test('four items and four jobs run at once unless told otherwise, and no more (MEMORY-LIMITS-5)', async () => {
  const gate = Promise.withResolvers<void>()
  let active = 0
  let most = 0
  before = async () => {
    active += 1
    most = Math.max(most, active)
    await gate.promise
    // Others begin while this one still runs, where nothing holds them.
    await new Promise((resolve) => void setImmediate(resolve))
    active -= 1
  }
  const ids: string[] = []
  for (let job = 0; job < jobs; job += 1)
    ids.push((await ingest(memory, { repo: `at-once-${job}`, items: itemsOf(`r${job}`) })).id)
  const withStatus = async (status: string): Promise<number> => {
    const answer = await memory.ask('GET', `/ingest-jobs?status=${status}`)
    return ((await answer.json()) as { readonly items: readonly JobBody[] }).items.length
  }
  await expect.poll(() => active, { timeout: 30_000 }).toBe(4)
  await expect.poll(() => withStatus('running'), { timeout: 30_000 }).toBe(4)
  expect(await withStatus('queued')).toBe(jobs - 4)
  gate.resolve()
  for (const id of ids) expect(await jobEnded(memory, id)).toMatchObject({ status: 'succeeded', done: 8 })
  expect([most, active]).toEqual([4, 0])
})
