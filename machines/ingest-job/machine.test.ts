import { describe, expect, test } from 'vitest'
import { drive, types, type Drive } from '../drive.ts'
import { ingestJobMachine, maxTries } from './machine.ts'

const group = (file: string | null, items: number, purges = file !== null) => ({ file, items, purges })

function created(...groups: readonly object[]): Drive {
  const job = drive(ingestJobMachine, 'job-1')
  job.send({ type: 'job.created', repo: 'lib', groups })
  return job
}

function running(...groups: readonly object[]): Drive {
  const job = created(...groups)
  job.send({ type: 'job.admitted' })
  return job
}

const stored = (job: Drive, index: number, outcome = 'stored') => job.send({ type: 'item.stored', index, outcome })
const failed = (job: Drive, index: number, attempt: number) =>
  job.send({ type: 'item.failed', index, attempt, message: 'engine error' })
const purged = (job: Drive, file: string) => job.send({ type: 'file.purged', file, memories: 2 })
const paramsOf = (effects: ReturnType<Drive['send']>, type: string) =>
  effects.filter((effect) => effect.type === type).map(({ params }) => params)

describe('queued', () => {
  test('IngestJob queued/lane: waits for the earlier jobs of its repository before it touches anything', () => {
    const job = drive(ingestJobMachine, 'job-1')
    const asked = job.send({ type: 'job.created', repo: 'lib', groups: [group('a.ts', 1)] })
    expect(asked.map(({ type, params }) => [type, params])).toEqual([['awaitLane', { job: 'job-1', repo: 'lib' }]])
    expect([job.value, job.context.total]).toEqual(['queued', 1])
    expect(paramsOf(job.send({ type: 'job.admitted' }), 'purgeFile')).toHaveLength(1)
  })

  test('INGEST-RULE-3: cancelled while it waits, it has failed and stored nothing', () => {
    const job = created(group(null, 3))
    const effects = job.send({ type: 'job.cancelled' })
    expect([job.value, job.context.reason, job.context.stored]).toEqual(['failed', 'cancelled', 0])
    expect(paramsOf(effects, 'withdrawEffects')).toEqual([{ types: ['awaitLane'] }])
  })

  test('a job without items and files is done at once', () => {
    expect(running().value).toBe('succeeded')
  })
})

describe('order', () => {
  test('IngestJob purge/file: INGEST-RULE-1: files without items are purged first, each other file right before its own items (INGEST-11)', () => {
    const job = created(group('a.ts', 1), group(null, 1), group('gone.ts', 0), group('b.ts', 1))
    const seen: string[] = []
    const note = (effects: ReturnType<Drive['send']>) =>
      effects.forEach(({ type, params }) => {
        if (type === 'purgeFile') seen.push(`purge ${params.file}`)
        if (type === 'storeItem') seen.push(`store ${params.index}`)
      })
    note(job.send({ type: 'job.admitted' }))
    note(purged(job, 'gone.ts'))
    note(purged(job, 'a.ts'))
    note(stored(job, 0))
    note(stored(job, 1))
    note(purged(job, 'b.ts'))
    note(stored(job, 2))
    expect(seen).toEqual(['purge gone.ts', 'purge a.ts', 'store 0', 'store 1', 'purge b.ts', 'store 2'])
    expect([job.value, job.context.stored, job.context.purged]).toEqual(['succeeded', 3, 6])
  })

  test('an answer about another file or item moves nothing', () => {
    const job = running(group('a.ts', 2))
    purged(job, 'b.ts')
    expect(job.value).toEqual({ running: 'purging' })
    purged(job, 'a.ts')
    expect(types(stored(job, 1))).toEqual([])
    expect(job.context.index).toBe(0)
  })
})

describe('items', () => {
  test.each(['stored', 'duplicated', 'partial_success', 'skipped'])(
    'IngestJob item/success: %s is success (KNOWLEDGE-23, INGEST-JOBS-6)',
    (outcome) => {
      const job = running(group(null, 1))
      stored(job, 0, outcome)
      expect([job.value, job.context.failed]).toEqual(['succeeded', 0])
      expect([job.context.stored, job.context.skipped]).toEqual(outcome === 'skipped' ? [0, 1] : [1, 0])
    },
  )

  test('IngestJob item/failed: an item has three tries and fails alone; the job is failed at the end (INGEST-JOBS-7, INGEST-JOBS-8)', () => {
    const job = running(group(null, 2))
    for (let attempt = 1; attempt <= maxTries; attempt += 1) {
      failed(job, 0, attempt)
      if (attempt < maxTries)
        expect(paramsOf(job.fire('retry'), 'storeItem')).toEqual([expect.objectContaining({ attempt: attempt + 1 })])
    }
    expect([job.value, job.context.index]).toEqual([{ running: 'storing' }, 1])
    stored(job, 1)
    expect([job.value, job.context.reason]).toEqual(['failed', 'items-failed'])
    expect(job.context.errors).toEqual([{ index: 0, message: 'engine error', attempts: 3 }])
  })

  test('IngestJob item/timeout: a try ends after 60 seconds; the third fails the item', () => {
    const job = running(group(null, 1))
    expect(Object.values(job.timers())).toEqual([60_000])
    job.fire('itemTimeout')
    job.fire('retry')
    job.fire('itemTimeout')
    job.fire('retry')
    job.fire('itemTimeout')
    expect([job.value, job.context.errors[0]?.message]).toEqual(['failed', 'timed out'])
  })

  test("how long a try may take is the job's to say, and what a stored item purged is counted", () => {
    const job = drive(ingestJobMachine, 'job-1')
    job.send({ type: 'job.created', repo: 'lib', groups: [group(null, 2)], itemTimeoutMs: 5000 })
    job.send({ type: 'job.admitted' })
    expect(Object.values(job.timers())).toEqual([5000])
    job.send({ type: 'item.stored', index: 0, outcome: 'stored', purged: 3 })
    stored(job, 1)
    expect([job.value, job.context.purged]).toEqual(['succeeded', 3])
  })

  test('the failure of an earlier try moves nothing; that it was stored after all does', () => {
    const job = running(group(null, 1))
    job.fire('itemTimeout')
    job.fire('retry')
    failed(job, 0, 1)
    expect(job.value).toEqual({ running: 'storing' })
    job.fire('itemTimeout')
    stored(job, 0)
    expect(job.value).toBe('succeeded')
  })

  test('a terminal answer of the store fails the item at once', () => {
    const job = running(group(null, 1))
    job.send({ type: 'effect.failed', effect: 'storeItem', reason: 'too large', key: 'k' })
    expect([job.value, job.context.errors[0]]).toEqual(['failed', { index: 0, message: 'too large', attempts: 1 }])
  })

  test('a purge that is refused fails the items of that file and no others', () => {
    const job = running(group('a.ts', 2), group(null, 1))
    job.send({ type: 'effect.failed', effect: 'purgeFile', reason: 'denied', key: 'k' })
    expect([job.value, job.context.index, job.context.failed]).toEqual([{ running: 'storing' }, 2, 2])
    stored(job, 2)
    expect(job.value).toBe('failed')
  })

  test('IngestJob any/cancelled: INGEST-RULE-3: cancelled under way, what is stored stays, and what was asked is taken back (INGEST-JOBS-15, INGEST-JOBS-16)', () => {
    const job = running(group(null, 2))
    stored(job, 0)
    const effects = job.send({ type: 'job.cancelled' })
    expect([job.value, job.context.reason, job.context.stored]).toEqual(['failed', 'cancelled', 1])
    expect(paramsOf(effects, 'withdrawEffects')).toEqual([{ types: ['storeItem'] }])
    expect(job.timers()).toEqual({})
  })

  test('only the first hundred faults are kept, and all are counted', () => {
    const job = running(group('a.ts', 150))
    job.send({ type: 'effect.failed', effect: 'purgeFile', reason: 'denied', key: 'k' })
    expect([job.context.errors.length, job.context.failed]).toEqual([100, 150])
  })
})
