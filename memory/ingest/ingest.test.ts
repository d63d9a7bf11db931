import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import { openMemoryStore, openTestMemory, type TestMemory } from '../testing/service.ts'
import { contentsOf, fastClock, ingest, interfered, jobEnded, jobNow, type Interference } from './testing/jobs.ts'
import type { JobBody } from './job-view.ts'

let sql: Sql
let memory: TestMemory
let before: Interference = () => undefined
let repos = 0
let repo = ''

beforeAll(async () => {
  sql = await openMemoryStore()
  memory = await openTestMemory({
    sql,
    clock: fastClock(10),
    pace: { leaseMs: 600_000 },
    itemTimeoutMs: 30_000,
    poolSize: 2,
    engine: (store) =>
      interfered(
        createEmbeddedEngine({ sql: store, clock: systemClock, random: Math.random, logger: silentLogger }),
        () => before,
      ),
  })
}, 120_000)
afterAll(async () => {
  await memory?.close()
  await sql?.close()
})
beforeEach(() => {
  before = () => undefined
  repo = `repo-${++repos}`
})

const item = (file: string, content: string, key?: string): object => ({
  content,
  metadata: { file },
  ...(key === undefined ? {} : { idempotency_key: key }),
})
const texts = (count: number, of = 'text'): object[] =>
  Array.from({ length: count }, (_, index) => item(`f${index}.ts`, `${of} number ${index}`))
const counts = ({ status, total, done, skipped, failed, purged }: JobBody): object => ({
  status,
  total,
  done,
  skipped,
  failed,
  purged,
})

describe('a bulk ingest', () => {
  test('answers with the job, stores every item under the repository, and ends succeeded (INGEST-1, INGEST-5, INGEST-8, INGEST-JOBS-2)', async () => {
    const job = await ingest(memory, { repo, items: texts(40) })
    expect(job).toMatchObject({ repo, total: 40, errors: [] })
    const ended = await jobEnded(memory, job.id)
    expect(counts(ended)).toEqual({ status: 'succeeded', total: 40, done: 40, skipped: 0, failed: 0, purged: 0 })
    expect([ended.created_at, ended.started_at, ended.finished_at].every((at) => Date.parse(at ?? '') > 0)).toBe(true)
    const { rows } = await sql.query(
      `select count(*)::int as count, bool_and(status = 'ready') as ready, bool_and(metadata->>'repo' = $1) as repo
      from memory where repo = $1`,
      [repo],
    )
    expect(rows).toEqual([{ count: 40, ready: true, repo: true }])
    expect((await sql.query('select 1 from ingest_item where job = $1', [job.id])).rows).toEqual([])
  })

  test('of a bare array has no repository, and one of nothing is done (INGEST-2)', async () => {
    const job = await ingest(memory, [{ content: `bare ${repo}` }, { content: `own ${repo}`, metadata: { repo } }])
    expect(job.repo).toBe('')
    expect(await jobEnded(memory, job.id)).toMatchObject({ status: 'succeeded', done: 2 })
    expect(await contentsOf(memory, repo)).toEqual({ '': [`own ${repo}`] })
    expect(await jobEnded(memory, (await ingest(memory, [])).id)).toMatchObject({ status: 'succeeded', total: 0 })
  })

  test('MEMORY-RULE-1: the same text of one file is one memory, of two files two (INGEST-16, INGEST-17)', async () => {
    const job = await ingest(memory, { repo, items: [item('a', 'same'), item('a', 'same'), item('b', 'same')] })
    expect(await jobEnded(memory, job.id)).toMatchObject({ status: 'succeeded', done: 3 })
    expect(await contentsOf(memory, repo)).toEqual({ a: ['same'], b: ['same'] })
  })

  test('the same key with the same content is skipped, with another one the older memory is replaced (INGEST-15)', async () => {
    await jobEnded(memory, (await ingest(memory, { repo, items: [item('a', 'one', 'k1'), item('b', 'two', 'k2')] })).id)
    const again = await ingest(memory, { repo, items: [item('a', 'one', 'k1'), item('b', 'three', 'k2')] })
    expect(await jobEnded(memory, again.id)).toMatchObject({ done: 1, skipped: 1 })
    expect(await contentsOf(memory, repo)).toEqual({ a: ['one'], b: ['three'] })
  })

  test('metadata that a duplicate brings is merged, for readers and for the engine (INGEST-18)', async () => {
    const of = (metadata: object, key?: string): object => ({
      content: `text of ${repo}`,
      metadata,
      ...(key === undefined ? {} : { idempotency_key: key }),
    })
    const metadata = async (): Promise<unknown> => {
      const { rows } = await sql.query<{ row: object; engine: object }>(
        `select m.metadata as row, e.metadata as engine from memory m join engine_memory e on e.memory_id = m.id
        where m.repo = $1 and m.status = 'ready'`,
        [repo],
      )
      return rows
    }
    const both = (more: object): object[] => [{ row: { repo, ...more }, engine: { repo, ...more } }]
    const one = await ingest(memory, { repo, items: [of({ team: 'blue', by: 'ann' }, 'k'), of({ by: 'bob' })] })
    expect(await jobEnded(memory, one.id)).toMatchObject({ status: 'succeeded', done: 2 })
    expect(await metadata()).toEqual(both({ team: 'blue', by: 'bob' }))
    expect(await jobNow(memory, one.id)).toMatchObject({ overwritten: [{ index: 0, keys: ['by'] }] })
    const two = await ingest(memory, { repo, items: [of({ room: '7' })] })
    expect(await jobEnded(memory, two.id)).toMatchObject({ status: 'succeeded', done: 1 })
    expect(await metadata()).toEqual(both({ team: 'blue', by: 'bob', room: '7' }))
    const three = await ingest(memory, { repo, items: [of({ team: 'red' }, 'k')] })
    expect(await jobEnded(memory, three.id)).toMatchObject({ status: 'succeeded', skipped: 1 })
    await expect.poll(metadata, { timeout: 20_000 }).toEqual(both({ team: 'red', by: 'bob', room: '7' }))
  })

  test('a duplicate with too much metadata fails and says so (INGEST-18)', async () => {
    const keys = (prefix: string): object =>
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${prefix}${at}`, 'x']))
    const content = `text of ${repo}`
    await jobEnded(memory, (await ingest(memory, { repo, items: [{ content, metadata: keys('a') }] })).id)
    const job = await ingest(memory, { repo, items: [{ content, metadata: keys('b') }] })
    expect(await jobEnded(memory, job.id)).toMatchObject({
      status: 'failed',
      done: 0,
      failed: 1,
      errors: [{ index: 0, message: expect.stringContaining('more than 64 keys') }],
    })
    const { rows } = await sql.query('select metadata from memory where repo = $1', [repo])
    expect(rows).toEqual([{ metadata: { repo, ...keys('a') } }])
  })

  test('two equal chunks of one file have two keys: one that changes leaves the other its text (MEMORIES-17)', async () => {
    const first = [item('a', 'same', 'c1'), item('a', 'same', 'c2')]
    await jobEnded(memory, (await ingest(memory, { repo, items: first })).id)
    await jobEnded(memory, (await ingest(memory, { repo, items: [item('a', 'other', 'c2')] })).id)
    expect(await contentsOf(memory, repo)).toEqual({ a: ['other', 'same'] })
    await jobEnded(memory, (await ingest(memory, { repo, items: [item('a', 'other', 'c1')] })).id)
    expect(await contentsOf(memory, repo)).toEqual({ a: ['other'] })
  })
})

describe('reconcile_files', () => {
  test('replaces what was of those files, deletes what came of files without items, leaves the others (INGEST-4, INGEST-10)', async () => {
    const first = [item('a', 'a1', 'a1'), item('a', 'a2', 'a2'), item('b', 'b1', 'b1'), item('c', 'c1', 'c1')]
    await jobEnded(memory, (await ingest(memory, { repo, items: first })).id)
    const job = await ingest(memory, { repo, reconcile_files: ['a', 'b'], items: [item('a', 'a1', 'a1')] })
    expect(counts(await jobEnded(memory, job.id))).toMatchObject({
      status: 'succeeded',
      done: 1,
      skipped: 0,
      purged: 3,
    })
    expect(await contentsOf(memory, repo)).toEqual({ a: ['a1'], c: ['c1'] })
  })

  test('INGEST-RULE-2: keys die with what is purged: a job that is asked for again stores its items again (INGEST-14, INGEST-19)', async () => {
    const body = { repo, reconcile_files: ['a'], items: [item('a', 'again', 'key')] }
    for (const purged of [0, 1, 1]) {
      const job = await ingest(memory, body)
      expect(counts(await jobEnded(memory, job.id))).toMatchObject({ done: 1, skipped: 0, purged })
    }
    expect(await contentsOf(memory, repo)).toEqual({ a: ['again'] })
  })

  test('INGEST-RULE-1: with no items at all it deletes files (INGEST-7)', async () => {
    await jobEnded(memory, (await ingest(memory, { repo, items: texts(3) })).id)
    const job = await ingest(memory, { repo, reconcile_files: ['f0.ts', 'f2.ts', 'never.ts'], items: [] })
    expect(counts(await jobEnded(memory, job.id))).toMatchObject({ status: 'succeeded', total: 0, purged: 2 })
    expect(Object.keys(await contentsOf(memory, repo))).toEqual(['f1.ts'])
  })

  test('another repository with files of the same names keeps its own (INGEST-13)', async () => {
    await jobEnded(memory, (await ingest(memory, { repo: `${repo}-other`, items: [item('a', 'theirs')] })).id)
    await jobEnded(memory, (await ingest(memory, { repo, reconcile_files: ['a'], items: [item('a', 'ours')] })).id)
    expect(await contentsOf(memory, `${repo}-other`)).toEqual({ a: ['theirs'] })
  })

  test('INGEST-RULE-1: readers never see both versions of a file, and neither for no longer than one round trip of the engine (INGEST-12)', async () => {
    await jobEnded(memory, (await ingest(memory, { repo, items: [item('a', 'old Granite wall')] })).id)
    let trips = 0
    before = () => void (trips += 1)
    const job = await ingest(memory, { repo, reconcile_files: ['a'], items: [item('a', 'new Granite wall')] })
    const seen = new Set<string>()
    const tripsWithNeither = new Set<number>()
    while ((await jobNow(memory, job.id)).status !== 'succeeded') {
      const { chunks } = await memory.engine.retrieve({
        mode: 'naive',
        text: 'Granite wall',
        topK: 10,
        filter: { repos: [repo] },
      })
      const { rows } = await sql.query<{ content: string }>('select content from memory where id = any($1::text[])', [
        chunks.map(({ memoryId }) => memoryId),
      ])
      seen.add(rows.map(({ content }) => content).join(' + '))
      if (rows.length === 0) tripsWithNeither.add(trips)
    }
    expect([...seen].filter((one) => one.includes(' + '))).toEqual([])
    expect(tripsWithNeither.size).toBeLessThanOrEqual(2)
    expect(trips).toBe(1)
  })
})

describe('an item that fails', () => {
  test('has three tries, fails alone, is named with its key, and the job has failed (INGEST-JOBS-3, INGEST-JOBS-7, INGEST-JOBS-8)', async () => {
    let tries = 0
    before = ({ content }) => {
      if (!content.includes('number 3')) return
      tries += 1
      throw new Error('the engine coughed')
    }
    // Without a model items are stored together: this one does not take the others with it.
    const items = texts(6).map((one, index) => (index === 3 ? { ...one, idempotency_key: 'three' } : one))
    const job = await ingest(memory, { repo, items })
    const ended = await jobEnded(memory, job.id)
    expect(counts(ended)).toMatchObject({ status: 'failed', total: 6, done: 5, failed: 1 })
    expect(ended).toMatchObject({
      reason: 'items-failed',
      errors: [{ index: 3, idempotency_key: 'three', message: 'the engine coughed', attempts: 3 }],
    })
    expect(tries).toBeGreaterThanOrEqual(3)
    const { rows } = await sql.query('select status, fault from memory where repo = $1 and content like $2', [
      repo,
      '%number 3',
    ])
    expect(rows).toEqual([{ status: 'failed', fault: 'the engine coughed' }])
  }, 120_000)

  test('`ingestItemTimeout`: a try that takes longer is given up', async () => {
    before = (_memory, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('timed out'))))
    const job = await ingest(memory, { repo, items: [item('a', 'never done')] })
    expect(await jobEnded(memory, job.id)).toMatchObject({
      status: 'failed',
      errors: [{ index: 0, message: 'timed out', attempts: 3 }],
    })
  }, 120_000)
})

describe('jobs', () => {
  test('of one repository run one after another, of two at the same time (INGEST-JOBS-11)', async () => {
    const log: string[] = []
    const gate = Promise.withResolvers<void>()
    before = async ({ content }) => {
      log.push(content)
      if (content === 'first') await gate.promise
    }
    const first = await ingest(memory, { repo, items: [item('a', 'first')] })
    const second = await ingest(memory, { repo, items: [item('a', 'second')] })
    const other = await ingest(memory, { repo: `${repo}-other`, items: [item('a', 'elsewhere')] })
    expect(await jobEnded(memory, other.id)).toMatchObject({ status: 'succeeded' })
    expect(log).toEqual(['first', 'elsewhere'])
    expect((await jobNow(memory, second.id)).status).toBe('queued')
    gate.resolve()
    await jobEnded(memory, second.id)
    expect(await jobNow(memory, first.id)).toMatchObject({ status: 'succeeded' })
  })

  test('INGEST-RULE-3: cancelled, a job has failed for that reason; what was stored stays, the rest never comes (INGEST-JOBS-15, INGEST-JOBS-16, MEMORY-LOG-7, MEMORY-LOG-8)', async () => {
    const gate = Promise.withResolvers<void>()
    before = async ({ content }) => {
      if (content.endsWith('number 60')) await gate.promise
    }
    const job = await ingest(memory, { repo, items: texts(200) })
    await expect.poll(async () => (await jobNow(memory, job.id)).done, { timeout: 30_000 }).toBeGreaterThan(0)
    const answer = await memory.ask('DELETE', `/ingest-jobs/${job.id}`)
    expect([answer.status, await answer.json()]).toMatchObject([202, { status: 'failed', reason: 'cancelled' }])
    gate.resolve()
    const ended = await jobEnded(memory, job.id)
    expect(ended.done).toBeLessThan(200)
    expect(Object.keys(await contentsOf(memory, repo)).length).toBe(ended.done)
    expect((await memory.ask('DELETE', `/ingest-jobs/${job.id}`)).status).toBe(409)
    const actions = memory.log.lines().filter((line) => line['resource_id'] === job.id)
    expect(actions.map((line) => line['action'])).toEqual(['memory.bulk', 'ingest.cancel'])
  })

  test('a cancelled job has the same figures in the answer, in the event `end` and ever after (INGEST-JOBS-5, INGEST-JOBS-19)', async () => {
    const gate = Promise.withResolvers<void>()
    before = async ({ content }) => {
      if (content.endsWith('number 60')) await gate.promise
    }
    const job = await ingest(memory, { repo, items: texts(200) })
    const events = (await memory.ask('GET', `/ingest-jobs/${job.id}/events`)).text()
    // The pool works ahead of the job: more is stored than the job has counted.
    const storedNow = async (): Promise<number> => Object.keys(await contentsOf(memory, repo)).length
    await expect.poll(storedNow, { timeout: 30_000 }).toBeGreaterThan(60)
    const cancelled = (await (await memory.ask('DELETE', `/ingest-jobs/${job.id}`)).json()) as JobBody
    gate.resolve()
    const outcome = async (): Promise<unknown> =>
      (await memory.sql.query<{ outcome: unknown }>('select outcome from ingest_job where id = $1', [job.id])).rows[0]!
        .outcome
    await expect.poll(outcome, { timeout: 30_000 }).not.toBeNull()
    expect(await jobNow(memory, job.id)).toEqual(cancelled)
    const end = (await events).split('\n\n').find((event) => event.startsWith('event: end'))
    expect(JSON.parse(end?.split('\ndata: ')[1] ?? '{}')).toEqual(cancelled)
    expect(await outcome()).toEqual(cancelled)
    expect(Object.values(await contentsOf(memory, repo)).flat().length).toBe(cancelled.done)
  })

  test('one that has ended cannot be cancelled, one that nobody knows neither (INGEST-JOBS-17)', async () => {
    const job = await ingest(memory, { repo, items: [] })
    await jobEnded(memory, job.id)
    expect((await memory.ask('DELETE', `/ingest-jobs/${job.id}`)).status).toBe(409)
    const cut = await ingest(memory, { repo, items: texts(300) })
    const cancels = async (): Promise<number> => (await memory.ask('DELETE', `/ingest-jobs/${cut.id}`)).status
    expect([await cancels(), await cancels(), await cancels()]).toEqual([202, 409, 409])
    expect((await memory.ask('DELETE', '/ingest-jobs/none')).status).toBe(404)
    expect((await memory.ask('GET', '/ingest-jobs/none')).status).toBe(404)
    expect((await memory.ask('GET', '/ingest-jobs/none/events')).status).toBe(404)
  })

  test('are listed newest first, by repository and status, in pages (INGEST-JOBS-4, INGEST-JOBS-13, INGEST-JOBS-14)', async () => {
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) {
      const job = await ingest(memory, { repo, items: [] })
      ids.unshift(job.id)
      await jobEnded(memory, job.id)
    }
    const listed = async (query: string): Promise<{ items: JobBody[]; next_cursor?: string }> =>
      (await (await memory.ask('GET', `/ingest-jobs?repo=${repo}${query}`)).json()) as never
    const page = await listed('&limit=2')
    expect(page.items.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const next = await listed(`&limit=3&cursor=${page.next_cursor}`)
    expect([next.items.map(({ id }) => id), next.next_cursor]).toEqual([ids.slice(2), undefined])
    expect((await listed('&status=succeeded')).items.length).toBe(5)
    expect((await listed('&status=failed')).items).toEqual([])
    const queued = [await ingest(memory, { repo, items: texts(300) }), await ingest(memory, { repo, items: texts(1) })]
    const open = async (status: string): Promise<string[]> =>
      (await listed(`&status=${status}`)).items.map(({ id }) => id)
    await expect.poll(() => open('running'), { timeout: 20_000 }).toEqual([queued[0]!.id])
    expect(await open('queued')).toEqual([queued[1]!.id])
    for (const { id } of queued.toReversed()) await memory.ask('DELETE', `/ingest-jobs/${id}`)
    // The last one is 1e300: a whole number that no list has given.
    for (const bad of ['&limit=0', '&limit=x', '&status=odd', '&cursor=odd', '&cursor=MWUzMDA'])
      expect((await memory.ask('GET', `/ingest-jobs?repo=${repo}${bad}`)).status).toBe(400)
  })

  test('tell their progress as server-sent events until they end (INGEST-JOBS-18)', async () => {
    const job = await ingest(memory, { repo, items: texts(30) })
    const answer = await memory.ask('GET', `/ingest-jobs/${job.id}/events`)
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = (await answer.text()).split('\n\n').filter((block) => block.startsWith('event: '))
    const told = events.map((block) => {
      const [name, data] = block.split('\n')
      return [name?.slice(7), JSON.parse(data?.slice(6) ?? '') as JobBody] as const
    })
    const dones = told.map(([, { done }]) => done)
    expect(dones).toEqual(dones.toSorted((a, b) => a - b))
    expect(told.at(-1)).toMatchObject(['end', { status: 'succeeded', done: 30 }])
    expect(told.slice(0, -1).every(([name]) => name === 'progress')).toBe(true)
  })
})
