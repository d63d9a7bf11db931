import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'
import { fastClock, ingest, interfered, jobEnded, type Interference } from './testing/jobs.ts'

let memory: TestMemory
let before: Interference = () => undefined
let repos = 0
let repo = ''

beforeAll(async () => {
  memory = await openTestMemory({
    clock: fastClock(10),
    pace: { leaseMs: 600_000 },
    itemTimeoutMs: 30_000,
    engine: (sql) =>
      interfered(
        createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger }),
        () => before,
      ),
  })
}, 120_000)
afterAll(() => memory?.close())
beforeEach(() => {
  before = () => undefined
  repo = `team/repo-${++repos}`
})

interface Record {
  readonly repo: string
  readonly commit: string | null
  readonly finished_at: string | null
  readonly items: readonly { readonly file: string; readonly digest: string }[]
  readonly next_cursor?: string
}

const item = (file: string, digest?: string, content = `${file} ${digest ?? ''}`): object => ({
  content,
  metadata: { file },
  ...(digest === undefined ? {} : { digest }),
})

async function recordOf(query = ''): Promise<Record> {
  const answer = await memory.ask('GET', `/ingest-record?repo=${encodeURIComponent(repo)}${query}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record
}

async function files(): Promise<{ [file: string]: string }> {
  return Object.fromEntries((await recordOf()).items.map(({ file, digest }) => [file, digest]))
}

async function sent(body: object): Promise<string> {
  return (await jobEnded(memory, (await ingest(memory, { repo, ...body })).id)).status
}

/** Every text with this word fails. */
const failing =
  (word: string): Interference =>
  ({ content }) => {
    if (content.includes(word)) throw new Error('too strange')
  }

describe('the record of a repository', () => {
  test('is empty for one that nobody ingested, and needs a repository (REPO-INGEST-11)', async () => {
    expect(await recordOf()).toEqual({ repo, commit: null, finished_at: null, items: [] })
    for (const query of ['', '?repo=', `?repo=${repo}&cursor=bad`])
      expect((await memory.ask('GET', `/ingest-record${query}`)).status).toBe(400)
    expect(
      (await memory.ask('GET', `/ingest-record?repo=${repo}`, undefined, { authorization: 'Bearer x' })).status,
    ).toBe(401)
  })

  test('has each file with the digest of its items, page by page in order, and nothing of other repositories (REPO-INGEST-11, REPO-INGEST-12)', async () => {
    const items = [item('b', 'd2'), item('a', 'd1'), item('a', 'd1', 'more of a'), item('c', 'd3'), item('plain')]
    expect(await sent({ items })).toBe('succeeded')
    await sent({ repo: 'another', items: [item('z', 'd9')] })
    const first = await recordOf('&limit=2')
    expect(first.items).toEqual([
      { file: 'a', digest: 'd1' },
      { file: 'b', digest: 'd2' },
    ])
    const second = await recordOf(`&limit=2&cursor=${first.next_cursor}`)
    expect(second.items).toEqual([{ file: 'c', digest: 'd3' }])
    expect(second.next_cursor).toBeUndefined()
  })

  test('follows a file that changes, and loses one that a reconcile drops (REPO-INGEST-12, REPO-INGEST-13)', async () => {
    await sent({ items: [item('a', 'd1'), item('b', 'd2')] })
    await sent({ reconcile_files: ['a', 'b'], items: [item('a', 'd3')] })
    expect(await files()).toEqual({ a: 'd3' })
    await sent({ reconcile_files: ['a'], items: [item('a')] })
    expect(await files()).toEqual({})
  })

  test('has no file of which an item failed, and has the others of that job (REPO-INGEST-12)', async () => {
    await sent({ items: [item('a', 'd0')] })
    before = failing('cursed')
    const items = [item('a', 'd1'), item('a', 'd1', 'a cursed'), item('b', 'd2')]
    expect(await sent({ reconcile_files: ['a'], items, commit: 'c1' })).toBe('failed')
    expect(await files()).toEqual({ b: 'd2' })
  })

  test('loses a file when one of its memories is deleted, or replaced under its key (REPO-INGEST-13)', async () => {
    await sent({ items: [item('a', 'd1'), item('b', 'd2'), { ...item('c', 'd3'), idempotency_key: 'c' }] })
    const { rows } = await memory.sql.query<{ id: string }>('select id from memory where repo = $1 and file = $2', [
      repo,
      'a',
    ])
    expect((await memory.ask('DELETE', `/memories/${rows[0]!.id}`)).status).toBe(204)
    expect(await files()).toEqual({ b: 'd2', c: 'd3' })
    const write = { text: 'other', idempotency_key: 'c', metadata: { repo } }
    expect((await memory.ask('POST', '/memories', write)).status).toBe(201)
    expect(await files()).toEqual({ b: 'd2' })
  })

  test('has no file whose memory is deleted while its job still runs (REPO-INGEST-13)', async () => {
    const reached = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    before = ({ content }) => {
      if (!content.includes('slow')) return undefined
      reached.resolve()
      return go.promise
    }
    // More than are stored together: the first of them are stored when the slow one waits.
    const many = Array.from({ length: 40 }, (_, index) => item(`f${index}`, 'd'))
    const job = await ingest(memory, { repo, items: [...many, item('slow', 'd', 'slow')] })
    await reached.promise
    const stored = async (): Promise<string | undefined> =>
      (await memory.sql.query<{ id: string }>(`select id from memory where repo = $1 and file = 'f0'`, [repo])).rows[0]
        ?.id
    await expect.poll(stored).toBeDefined()
    expect((await memory.ask('DELETE', `/memories/${await stored()}`)).status).toBe(204)
    go.resolve()
    expect((await jobEnded(memory, job.id)).status).toBe('succeeded')
    expect(Object.keys(await files())).not.toContain('f0')
    expect(Object.keys(await files())).toHaveLength(40)
  })

  test('has the commit of the last job that succeeded with one, and keeps it when a later one fails (REPO-INGEST-14)', async () => {
    await sent({ items: [item('a', 'd1')], commit: 'c1' })
    const first = await recordOf()
    expect(first.commit).toBe('c1')
    expect(Date.parse(first.finished_at ?? '')).toBeGreaterThan(0)
    await sent({ items: [item('b', 'd2')] })
    before = failing('cursed')
    expect(await sent({ items: [item('c', 'd3', 'cursed')], commit: 'c2' })).toBe('failed')
    expect(await recordOf()).toMatchObject({ commit: 'c1', finished_at: first.finished_at })
    expect(await sent({ items: [], commit: 'c3' })).toBe('succeeded')
    expect((await recordOf()).commit).toBe('c3')
  })
})

test('a digest or a commit that speaks for nothing is refused with each fault, and nothing is stored (REPO-INGEST-15)', async () => {
  const faults = async (body: unknown): Promise<unknown> => {
    const answer = await memory.ask('POST', '/memories:bulk', body)
    expect(answer.status).toBe(400)
    return ((await answer.json()) as { readonly errors: readonly { path: string }[] }).errors.map(({ path }) => path)
  }
  expect(await faults({ commit: 'c', items: [] })).toEqual(['/repo'])
  expect(await faults({ repo, commit: '', items: [{ ...item('a', 'd'), digest: '' }] })).toEqual([
    '/commit',
    '/items/0/digest',
  ])
  expect(await faults([item('a'), item('b', 'd')])).toEqual(['/1/digest'])
  expect(await faults({ items: [item('a', 'd')] })).toEqual(['/items/0/digest'])
  const items = [item('a', 'd1'), { content: 'x', digest: 'd' }, item('b', 'd'), item('a', 'd2'), item('a')]
  expect(await faults({ repo, items })).toEqual(['/items/1/digest', '/items/3/digest', '/items/4/digest'])
  expect(await files()).toEqual({})
})
