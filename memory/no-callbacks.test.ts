import { expect, test } from 'vitest'
import { openTestMemory } from './testing/service.ts'

test('no action makes the service call anybody: it emits no event and no callback (KNOWLEDGE-25)', async () => {
  const calls: unknown[] = []
  const ownFetch = globalThis.fetch
  const memory = await openTestMemory({
    fetch: async (url) => {
      calls.push(url)
      return Response.json({})
    },
  })
  globalThis.fetch = async (url, init) => {
    if (!String(url).startsWith(memory.url)) calls.push(url)
    return ownFetch(url, init)
  }
  try {
    const stored = await memory.ask('POST', '/memories', { text: 'Ada met Grace.', metadata: { callback: 'http://x' } })
    const { id } = (await stored.json()) as { readonly id: string }
    const items = [{ content: 'Grace met Ada.', metadata: { webhook: 'http://x' } }]
    const job = (await (await memory.ask('POST', '/memories:bulk', { repo: 'a', items })).json()) as {
      readonly id: string
    }
    // The stream ends with the job.
    expect(await (await memory.ask('GET', `/ingest-jobs/${job.id}/events`)).text()).toContain('event: end')
    const graph = { mode: 'snapshot', entities: [{ id: 'a', type: 'function', name: 'a' }] }
    expect((await memory.ask('POST', '/code-graph:bulk?repo=a', graph)).status).toBe(200)
    expect((await memory.ask('POST', '/queries', { mode: 'hybrid', text: 'Ada' })).status).toBe(200)
    expect((await memory.ask('POST', '/queries:describe', { mode: 'hybrid', text: 'Ada' })).status).toBe(200)
    expect((await memory.ask('DELETE', `/memories/${id}`)).status).toBe(204)
    await memory.close()
  } finally {
    globalThis.fetch = ownFetch
  }
  expect(calls).toEqual([])
})
