import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from './testing/service.ts'

let memory: TestMemory
beforeAll(async () => {
  memory = await openTestMemory()
}, 120_000)
afterAll(() => memory?.close())

async function refused(method: string, path: string, body?: unknown): Promise<string[]> {
  const answer = await memory.ask(method, path, body)
  expect([path, answer.status]).toEqual([path, 400])
  const { errors = [] } = (await answer.json()) as { readonly errors?: readonly { readonly path: string }[] }
  return errors.map((error) => error.path)
}

const deep = `{"items":[{"content":"a","metadata":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}]}`

describe('the memory service', () => {
  test.each([
    ['GET', '/memories/%00'],
    ['DELETE', '/memories/a%00'],
    ['GET', '/entities/%00'],
    ['GET', '/entities?q=%00'],
    ['DELETE', '/edges/%00'],
    ['GET', '/edges?from=%00'],
    ['GET', '/code/entities?repo=%00'],
    ['GET', '/code/entities?repo=a&q=%ED%A0%80'],
  ])('answers %s %s with 400 (MEMORIES-20, MEMORY-ERRORS-8)', async (method, path) => {
    await refused(method, path)
  })

  test.each([
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/events'],
  ])(
    'answers %s of a job%s with 404 for an unknown id, with 400 for one with NUL (INGEST-JOBS-12)',
    async (method, of) => {
      const answer = await memory.ask(method, `/ingest-jobs/nobody${of}`)
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not-found' }])
      await refused(method, `/ingest-jobs/%00${of}`)
      await refused(method, `/ingest-jobs/a%00${of}`)
    },
  )

  test.each(['a\u0000b', 'a\ud800b'])('refuses the name %j of a memory, and names it (MEMORIES-24)', async (name) => {
    const text = 'A text.'
    expect(await refused('POST', '/memories', { text, idempotency_key: name })).toEqual(['/idempotency_key'])
    expect(await refused('POST', '/memories', { text, metadata: { repo: name } })).toEqual(['/metadata/repo'])
    expect(await refused('POST', '/memories', { text, metadata: { file: name } })).toEqual(['/metadata/file'])
    await refused('POST', '/memories', { text, metadata: { [name]: 'a' } })
    await refused('POST', '/memories', { text, [name]: 'a' })
    expect(await refused('POST', '/queries', { mode: 'naive', text, filter: { repo: name } })).toEqual(['/filter/repo'])
    expect(await refused('POST', '/edges', { from: name, to: name, relation: name })).toEqual([
      '/from',
      '/relation',
      '/to',
    ])
  })

  test.each(['a\u0000b', 'a\ud800b'])('refuses the name %j in a bulk, and names it (MEMORIES-24)', async (name) => {
    const item = { content: 'A text.' }
    expect(await refused('POST', '/memories:bulk', { repo: name, items: [item] })).toEqual(['/repo'])
    expect(await refused('POST', '/memories:bulk', { repo: 'a', reconcile_files: [name], items: [] })).toEqual([
      '/reconcile_files/0',
    ])
    expect(await refused('POST', '/memories:bulk', [{ ...item, metadata: { file: name } }])).toEqual([
      '/0/metadata/file',
    ])
    expect(await refused('POST', '/memories:bulk', [{ ...item, idempotency_key: name }])).toEqual([
      '/0/idempotency_key',
    ])
    await refused('POST', '/memories:bulk', [{ ...item, metadata: { [name]: 'a' } }])
    await refused('POST', '/memories:bulk', { items: [], [name]: 1 })
  })

  test('refuses deep JSON, streamed or not (MEMORY-ERRORS-8, HTTP-18)', async () => {
    await refused('POST', '/memories', `{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    await refused('POST', '/memories:bulk', deep)
    await refused('POST', '/memories:bulk', `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`)
    await refused('POST', '/code-graph:bulk', `{"repo":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
  })

  test('stores a text with U+FFFD for half of a pair, and finds it by the same half (MEMORIES-8)', async () => {
    const sent = { text: 'A halfpair \ud800 anchors.', metadata: { topic: 'a\udc00b' } }
    const stored = (await (await memory.ask('POST', '/memories', sent)).json()) as { readonly id: string }
    await memory.service.deps.feed.put([stored.id])
    const asked = { mode: 'naive', text: 'halfpair \ud800 anchors', filter: { metadata: sent.metadata } }
    const answer = (await (await memory.ask('POST', '/queries', asked)).json()) as { readonly results: object[] }
    expect(answer.results).toMatchObject([{ metadata: { topic: 'a\ufffdb' } }])
  })
})
