import { expect, test } from 'vitest'
import { apiKey, startLightRag } from '../../../standins/lightrag/server.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { openTestMemory } from '../../testing/service.ts'
import { createLightRagEngine } from './engine.ts'

test('LightRAG is given the id of the request that asks it, and none in work of the background (MEMORY-ERRORS-11)', async () => {
  const server = await startLightRag('1.5')
  const calls: { readonly path: string; readonly id: string | null }[] = []
  const recording = (async (url, init) => {
    calls.push({ path: new URL(String(url)).pathname, id: new Headers(init?.headers).get('x-request-id') })
    return fetch(url, init)
  }) as typeof fetch
  const memory = await openTestMemory({
    engine: (sql) =>
      createLightRagEngine({
        random: Math.random,
        url: server.url,
        apiKey,
        sql,
        clock: systemClock,
        fetch: recording,
        logger: silentLogger,
      }),
  })
  const idsOf = (path: string): (string | null)[] =>
    calls.flatMap((call) => (call.path.includes(path) ? [call.id] : []))
  try {
    const made = await memory.ask(
      'POST',
      '/memories',
      { text: 'The lighthouse is red.' },
      { 'x-request-id': 'store-1' },
    )
    const { id } = (await made.json()) as { readonly id: string }
    await expect.poll(() => idsOf('/documents/'), { timeout: 30_000 }).toContain('store-1')
    await memory.service.deps.feed.put([id])
    const query = { mode: 'naive', text: 'lighthouse' }
    for (const name of ['query-1', 'query-2'])
      expect((await memory.ask('POST', '/queries', query, { 'x-request-id': name })).status).toBe(200)
    expect(idsOf('/query')).toEqual(expect.arrayContaining(['query-1', 'query-2']))
    calls.length = 0
    await memory.service.deps.feed.put([id])
    await memory.engine.retrieve({ mode: 'naive', text: 'lighthouse', topK: 1 })
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.filter((call) => call.id !== null)).toEqual([])
  } finally {
    await memory.close()
    await server.close()
  }
})
