import { expect, test } from 'vitest'
import { openSharedSql } from '../store/testing/shared-store.ts'
import { event, harness, task } from '../contract/harness.ts'
import { silentObserver } from '../observer.ts'
import type { CommittedBatch, RuntimeObserver } from '../observer.ts'

/** Every call but those of leases and effects, in words. */
function listening(): {
  readonly observer: RuntimeObserver
  readonly told: string[]
  readonly batches: CommittedBatch[]
} {
  const told: string[] = []
  const batches: CommittedBatch[] = []
  const observer: RuntimeObserver = {
    ...silentObserver,
    batchCommitted: (batch) => void batches.push(batch),
    stepFault: (kind) => void told.push(`fault of ${kind}`),
    snapshotWritten: (kind, bytes) => void told.push(`snapshot of ${kind}${bytes > 0 ? '' : ', empty'}`),
    deadLetter: (kind) => void told.push(`dead letter for ${kind}`),
    overloaded: (queued) => void told.push(`overloaded at ${queued}`),
    commitFailed: (reason) => void told.push(`commit failed: ${reason}`),
  }
  return { observer, told, batches }
}

test('an observer hears of commits, faults, snapshots, dead letters, refusals and commits that failed', async () => {
  const sql = await openSharedSql()
  const world = harness(sql)
  const { observer, told, batches } = listening()
  const { runtime } = await world.start({ observer, snapshotEvery: 3, maxQueued: 2 })
  const deliver = (key: string, type: string): Promise<unknown> =>
    runtime.deliver({ to: task('a'), key, event: event(type) })
  await deliver('k1', 'noted')
  await deliver('k2', 'poisonGuard')
  await deliver('k3', 'noted')
  await deliver('k1', 'noted')
  await Promise.allSettled(['k4', 'k5', 'k6'].map((key) => deliver(key, 'unheard')))
  expect(told).toEqual([
    'fault of task',
    'dead letter for task',
    'snapshot of task',
    'commit failed: duplicate-key',
    'overloaded at 2',
  ])
  expect(batches.map(({ steps, items }) => [steps, items])).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
    [0, 1],
    [2, 2],
  ])
  expect(batches.every(({ durationMs, waitedMs }) => durationMs >= 0 && waitedMs >= 0)).toBe(true)
  expect(batches[0]?.bytes).toBeGreaterThan(JSON.stringify(event('noted')).length)
  await world.end()
  await sql.close()
})
