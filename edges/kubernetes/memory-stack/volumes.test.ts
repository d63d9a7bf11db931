import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { stackScene } from '../testing/stack-scene.ts'
import { storedAt, volumeWords } from './volumes.ts'

const { signal } = new AbortController()
const sizes = { pgStorage: '10Gi', pgWalStorage: '8Gi' }
const gi = 2 ** 30

test('a volume that nears its end is told with what it holds, its size and the field that grows it (PROJECT-MEMORY-3)', () => {
  expect(volumeWords({ database: 8.4 * gi, wal: 6.7 * gi }, sizes)).toEqual([])
  expect(volumeWords({}, sizes)).toEqual([])
  expect(volumeWords({ database: 8.6 * gi, wal: 7 * gi }, sizes)).toEqual([
    'the databases have 8806Mi of the 10Gi of pgStorage: raise spec.memory.pgStorage',
    'the log of PostgreSQL has 7168Mi of the 8Gi of pgWalStorage: raise spec.memory.pgWalStorage',
  ])
})

test('a stack that serves on a volume that nears its end is degraded, and running once it grew', async () => {
  const scene = stackScene({}, async () => ({ database: 9 * gi }))
  await scene.look()
  scene.run()
  await scene.look()
  scene.run()
  const words = 'the databases have 9216Mi of the 10Gi of pgStorage: raise spec.memory.pgStorage'
  expect(await scene.look()).toMatchObject({ phase: 'degraded', part: 'postgres', words })
  expect(await scene.look({ pgStorage: '20Gi' })).toMatchObject({ phase: 'running' })
})

test.each([
  ['what the service counts', '# TYPE x gauge\nmemory_store_bytes{what="wal",service="m"} 1.5e+09\n', { wal: 1.5e9 }],
  ['no such series', 'memory_feed_waiting{what="wal"} 3\n', {}],
  ['a series that only quotes it', 'other{a="memory_store_bytes{what=\\"wal\\"} 7"} 3\n', {}],
  ['series that do not end on their line', `${'memory_store_bytes{\n'.repeat(9)}what="wal"} 7\n`, {}],
  ['more than anybody reads', `${'#'.repeat(5 << 20)}\nmemory_store_bytes{what="wal"} 1\n`, {}],
])('of %s it takes what is there', async (_what, text, stored) => {
  const server = createServer((_request, response) => void response.end(text)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  expect(await storedAt(`http://127.0.0.1:${port}`, { fetch, clock: systemClock }, signal)).toEqual(stored)
  server.close()
  await once(server, 'close')
  expect(await storedAt(`http://127.0.0.1:${port}`, { fetch, clock: systemClock }, signal)).toEqual({})
})
