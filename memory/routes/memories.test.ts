import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

let memory: TestMemory
beforeAll(async () => {
  memory = await openTestMemory()
}, 120_000)
afterAll(() => memory?.close())

interface Shown {
  readonly id: string
  readonly status: string
  readonly content: string
  readonly metadata: Record<string, string>
  readonly track_id: string
  readonly duplicate?: boolean
  readonly created_at: string
}

interface Refused {
  readonly code: string
  readonly errors: readonly { readonly path: string; readonly message: string }[]
}

async function create(body: unknown): Promise<{ readonly status: number; readonly shown: Shown }> {
  const answer = await memory.ask('POST', '/memories', body)
  return { status: answer.status, shown: (await answer.json()) as Shown }
}

async function faults(method: string, path: string, body: unknown): Promise<string[]> {
  const answer = await memory.ask(method, path, body)
  expect(answer.status).toBe(400)
  const { errors } = (await answer.json()) as Refused
  return errors.map((error) => error.path)
}

describe('POST /memories', () => {
  test('stores a text under an id of ours, says where it is, and is found once it is ready (MEMORIES-1, MEMORIES-2, MEMORIES-3, MEMORIES-12, MEMORIES-13)', async () => {
    const answer = await memory.ask('POST', '/memories', {
      text: 'The Harbour opens at six.',
      metadata: { topic: 'port' },
    })
    const shown = (await answer.json()) as Shown
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/memories/${shown.id}`])
    expect(shown).toMatchObject({ content: 'The Harbour opens at six.', metadata: { topic: 'port' } })
    expect(shown.track_id).not.toBe('')
    await expect
      .poll(async () => ((await (await memory.ask('GET', `/memories/${shown.id}`)).json()) as Shown).status, {
        timeout: 30_000,
      })
      .toBe('ready')
  })

  test('MEMORY-RULE-5: the same content and metadata is the same memory, with its stored status and `duplicate` (MEMORIES-14)', async () => {
    const body = { content: 'Said twice', metadata: { a: '1', b: '2' } }
    const first = await create(body)
    const again = await create({ text: 'Said twice', metadata: { b: '2', a: '1' } })
    expect([first.status, again.status, again.shown.id, again.shown.duplicate]).toEqual([
      201,
      200,
      first.shown.id,
      true,
    ])
    expect(['processing', 'ready']).toContain(again.shown.status)
    const other = await create({ content: 'Said twice', metadata: { a: '1' } })
    expect([other.status, other.shown.id === first.shown.id]).toEqual([201, false])
  })

  test('one that the engine refused says why, and is fed again when it is sent again (MEMORIES-4, MEMORIES-18)', async () => {
    const body = { text: 'The engine refuses this once.' }
    const { shown } = await create(body)
    const read = async (): Promise<object> =>
      (await memory.ask('GET', `/memories/${shown.id}`)).json() as Promise<object>
    await memory.service.deps.feed.put([shown.id])
    expect(await read()).toMatchObject({ status: 'ready' })
    await memory.sql.query(`update memory set status = 'failed', fault = 'too strange' where id = $1`, [shown.id])
    expect(await read()).toMatchObject({ status: 'failed', error: 'too strange' })
    expect((await create(body)).shown).toMatchObject({ id: shown.id, duplicate: true })
    await expect.poll(read, { timeout: 10_000 }).toMatchObject({ status: 'ready' })
    expect(await read()).not.toHaveProperty('error')
  })

  test('half of a surrogate pair is stored as U+FFFD (MEMORIES-8)', async () => {
    const { status, shown } = await create({ text: 'half \ud83d of a pair', metadata: { topic: 'a\udc00b' } })
    expect([status, shown.content, shown.metadata]).toEqual([201, 'half \ufffd of a pair', { topic: 'a\ufffdb' }])
  })

  test('an idempotency key stands for one content: another one replaces the older memory (MEMORIES-15, MEMORIES-16)', async () => {
    const first = await create({ text: 'version one', idempotency_key: 'k' })
    const same = await create({ text: 'version one', idempotency_key: 'k' })
    const next = await create({ text: 'version two', idempotency_key: 'k' })
    expect([first.status, same.status, next.status]).toEqual([201, 200, 201])
    expect(same.shown.id).toBe(first.shown.id)
    expect((await memory.ask('GET', `/memories/${first.shown.id}`)).status).toBe(404)
  })

  test('keys of two repositories are two keys (MEMORIES-15)', async () => {
    const one = await create({ text: 'in one', metadata: { repo: 'one' }, idempotency_key: 'same' })
    const two = await create({ text: 'in two', metadata: { repo: 'two' }, idempotency_key: 'same' })
    expect((await memory.ask('GET', `/memories/${one.shown.id}`)).status).toBe(200)
    expect(two.status).toBe(201)
  })

  test('lists every fault of a body (MEMORIES-5, MEMORIES-7, MEMORIES-9, MEMORIES-10, MEMORIES-11, MEMORY-ERRORS-3)', async () => {
    expect(
      await faults('POST', '/memories', { text: 1, idempotency_key: '', metadata: { a: 2 }, colour: 'red' }),
    ).toEqual(['/colour', '/idempotency_key', '/metadata/a', '/text'])
    expect(await faults('POST', '/memories', {})).toEqual(['/text'])
    expect(await faults('POST', '/memories', { text: 'a', content: 'a' })).toEqual(['/content'])
    expect(await faults('POST', '/memories', { text: ' \n' })).toEqual(['/text'])
    expect(await faults('POST', '/memories', { text: 'a\u0000b' })).toEqual(['/text'])
  })

  test('keeps the limits of metadata: 64 keys of 64 characters, values of 4096 (MEMORIES-6)', async () => {
    const keys = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
    expect((await create({ text: 'full', metadata: keys(64) })).status).toBe(201)
    expect(await faults('POST', '/memories', { text: 'a', metadata: keys(65) })).toEqual(['/metadata'])
    expect((await create({ text: 'long', metadata: { ['k'.repeat(64)]: 'v'.repeat(4096) } })).status).toBe(201)
    expect(await faults('POST', '/memories', { text: 'a', metadata: { ['k'.repeat(65)]: 'v' } })).toContain('/metadata')
    expect(await faults('POST', '/memories', { text: 'a', metadata: { k: 'v'.repeat(4097) } })).toEqual(['/metadata/k'])
  })

  test('answers 401 without a token, 415 to another type, 400 to what is no JSON (MEMORY-AUTH-1)', async () => {
    expect((await memory.ask('POST', '/memories', { text: 'a' }, { authorization: '' })).status).toBe(401)
    expect((await memory.ask('POST', '/memories', 'a', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await memory.ask('POST', '/memories', '{"text":')).status).toBe(400)
  })
})

describe('DELETE /memories/{id}', () => {
  test('takes the memory out of every answer at once, frees its key, and is 404 the second time (MEMORIES-21, MEMORIES-23)', async () => {
    const { shown } = await create({ text: 'The Lighthouse burns', idempotency_key: 'gone' })
    expect((await memory.ask('DELETE', `/memories/${shown.id}`)).status).toBe(204)
    expect((await memory.ask('GET', `/memories/${shown.id}`)).status).toBe(404)
    expect((await memory.ask('DELETE', `/memories/${shown.id}`)).status).toBe(404)
    await expect.poll(async () => (await memory.engine.holds([shown.id])).size, { timeout: 30_000 }).toBe(0)
    const again = await create({ text: 'The Lighthouse burns', idempotency_key: 'gone' })
    expect([again.status, again.shown.id === shown.id]).toEqual([201, false])
  })
})

describe('the action log', () => {
  test('has a line at INFO for each business action, with the fields of the contract (MEMORY-LOG-1, MEMORY-LOG-2, MEMORY-LOG-4, MEMORY-LOG-5)', async () => {
    const { shown } = await create({ text: 'to be logged' })
    await memory.ask('DELETE', `/memories/${shown.id}`)
    const lines = memory.log.lines().filter((line) => line['resource_id'] === shown.id)
    expect(lines.map((line) => [line['action'], line['user'], line['level']])).toEqual([
      ['memory.create', 'tester', 30],
      ['memory.delete', 'tester', 30],
    ])
    for (const line of lines)
      expect([typeof line['request_id'], typeof line['duration_ms']]).toEqual(['string', 'number'])
    expect(JSON.stringify(memory.log.lines())).not.toContain('to be logged')
  })
})

describe('POST /memories:bulk', () => {
  test('lists every fault of every item, and stores nothing (INGEST-3, INGEST-9)', async () => {
    const paths = await faults('POST', '/memories:bulk', {
      repo: 7,
      colour: 'red',
      items: [{ content: 'fine' }, { content: '' }, {}, { content: 'x', metadata: { a: 1 } }, 5],
      reconcile_files: ['a', 1],
    })
    expect(paths).toEqual([
      '/repo',
      '/colour',
      '/items/1/content',
      '/items/2/content',
      '/items/3/metadata/a',
      '/items/4',
      '/reconcile_files/1',
    ])
    // What only the items together show stands beside what one of them breaks.
    const items = [
      { content: '' },
      { content: 'x', metadata: { repo: 'other' } },
      { content: 'y', metadata: { file: 'a' }, digest: '1' },
      { content: 'z', metadata: { file: 'a' }, digest: '2' },
    ]
    expect(await faults('POST', '/memories:bulk', { repo: 'one', items })).toEqual([
      '/items/0/content',
      '/items/1/metadata/repo',
      '/items/3/digest',
    ])
    // A repo that is there and is none is one fault, and nothing lacks it besides.
    const named = { repo: 'a\0', commit: 'c', reconcile_files: ['a'], items: [items[2]] }
    expect(await faults('POST', '/memories:bulk', named)).toEqual(['/repo'])
    for (const table of ['ingest_job', 'ingest_item', 'ingest_file'])
      expect((await memory.sql.query(`select 1 from ${table}`)).rows).toEqual([])
  })

  test('MEMORY-RULE-3, MEMORY-RULE-4: reconcile_files needs a repo, and an item of another repo is a fault (INGEST-5, INGEST-6)', async () => {
    expect(await faults('POST', '/memories:bulk', { items: [], reconcile_files: ['a'] })).toEqual(['/repo'])
    expect(
      await faults('POST', '/memories:bulk', { items: [{ content: 'x', metadata: { repo: 'b' } }], repo: 'a' }),
    ).toEqual(['/items/0/metadata/repo'])
    expect(await faults('POST', '/memories:bulk', { repo: 'a' })).toEqual(['/items'])
  })

  test('answers 413 beyond 32 MiB, announced or not, packed or not (MEMORY-LIMITS-1, MEMORY-LIMITS-2, MEMORY-RULE-9)', async () => {
    const large = `[{"content":"${'x'.repeat(1000)}"}${`,{"content":"${'y'.repeat(1000)}"}`.repeat(33_200)}]`
    expect(large.length).toBeGreaterThan(32 * 1024 * 1024)
    const tooLarge = async (body: string | Uint8Array<ArrayBuffer>, headers = {}): Promise<number> =>
      (await memory.ask('POST', '/memories:bulk', body, headers)).status
    expect(await tooLarge(large)).toBe(413)
    expect(await tooLarge(new Uint8Array(gzipSync(large)), { 'content-encoding': 'gzip' })).toBe(413)
    const { rows } = await memory.sql.query('select 1 from ingest_item')
    expect(rows).toEqual([])
  })

  test('answers what is wrong at the beginning of a long body, and the next request on the same connection', async () => {
    const connection = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = (body: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: 'Bearer good', 'content-type': 'application/json' }
        const sending = request(`${memory.url}/memories:bulk`, { method: 'POST', agent: connection, headers })
        sending.on('response', (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
        })
        sending.on('error', reject)
        sending.end(body)
      })
    try {
      for (let round = 0; round < 3; round += 1) {
        expect(await send(`[}${'x'.repeat(6_000_000)}]`)).toBe(400)
        expect(await send('[]')).toBe(202)
      }
    } finally {
      connection.destroy()
    }
  })

  test('answers 415 to another encoding, 400 to bytes that are no gzip, no JSON, or nothing', async () => {
    const status = async (body: string, headers = {}): Promise<number> =>
      (await memory.ask('POST', '/memories:bulk', body, headers)).status
    expect(await status('[]', { 'content-encoding': 'br' })).toBe(415)
    expect(await status('[]', { 'content-encoding': 'gzip' })).toBe(400)
    expect(await status('[{]')).toBe(400)
    expect(await status('')).toBe(400)
    expect(await status('7')).toBe(400)
  })
})
