/** Parts of tests about ingest jobs: asking, waiting, and an engine that fails or waits where a test says so. */
import { expect } from 'vitest'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import type { EngineMemory, RetrievalEngine } from '../../engine/port.ts'
import type { TestMemory } from '../../testing/service.ts'
import type { JobBody } from '../job-view.ts'

export async function ingest(memory: TestMemory, body: unknown): Promise<JobBody> {
  const answer = await memory.ask('POST', '/memories:bulk', body)
  expect(answer.status).toBe(202)
  return (await answer.json()) as JobBody
}

export async function jobNow(memory: TestMemory, id: string): Promise<JobBody> {
  const answer = await memory.ask('GET', `/ingest-jobs/${id}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as JobBody
}

export async function jobEnded(memory: TestMemory, id: string): Promise<JobBody> {
  await expect
    .poll(async () => (await jobNow(memory, id)).status, { timeout: 60_000, interval: 50 })
    .toMatch(/succeeded|failed/)
  return jobNow(memory, id)
}

/** What callers can find, by file. */
export async function contentsOf(memory: TestMemory, repo: string): Promise<Record<string, string[]>> {
  const { rows } = await memory.sql.query<{ file: string | null; content: string }>(
    'select file, content from memory where repo = $1 order by file, content',
    [repo],
  )
  const found: Record<string, string[]> = {}
  for (const { file, content } of rows) (found[file ?? ''] ??= []).push(content)
  return found
}

/** What happens to a memory before the engine sees it: nothing, a failure, or a wait that its signal may end. */
export type Interference = (memory: EngineMemory, signal?: AbortSignal) => Promise<void> | void

/** The engine given, with something before each of its upserts. */
export function interfered(engine: RetrievalEngine, before: () => Interference): RetrievalEngine {
  return {
    ...engine,
    async upsert(memories, signal) {
      for (const memory of memories) await before()(memory, signal)
      return engine.upsert(memories, signal)
    },
  }
}

/** The system's clock, so many times as fast: waits of a job's tries are then no wait for a test. */
export function fastClock(times: number): Clock {
  const begun = { now: systemClock.now(), elapsed: systemClock.elapsed() }
  return {
    now: () => Math.floor(begun.now + (systemClock.now() - begun.now) * times),
    elapsed: () => begun.elapsed + (systemClock.elapsed() - begun.elapsed) * times,
    setTimer: (delayMs, callback) => systemClock.setTimer(delayMs / times, callback),
  }
}
