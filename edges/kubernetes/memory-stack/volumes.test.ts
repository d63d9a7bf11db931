import { createServer } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { clusterClaim, stackScene } from '../testing/stack-scene.ts'
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
  ['of its own', false],
  ['of CloudNativePG', true],
])('a volume %s that somebody grew by hand nears its end by its own size', async (_whose, isOfOperator) => {
  const stored = { database: 9 * gi }
  const scene = stackScene({}, async () => stored)
  if (isOfOperator) scene.installOperator()
  await scene.look()
  scene.operate()
  await scene.look()
  scene.run()
  if (isOfOperator) clusterClaim(scene, 'mem-demo-1', 'PG_DATA', '30Gi')
  else
    scene.put('PersistentVolumeClaim', 'mempg-demo-data', {
      ...{ spec: { resources: { requests: { storage: '30Gi' } } } },
      status: { phase: 'Bound', capacity: { storage: '30Gi' } },
    })
  expect(await scene.look()).toMatchObject({ phase: 'running', words: '' })
  stored.database = 29 * gi
  expect((await scene.look()).words).toContain('29696Mi of the 30Gi of pgStorage')
  // A standby has the size of before.
  if (!isOfOperator) return
  clusterClaim(scene, 'mem-demo-2', 'PG_DATA', '20Gi')
  stored.database = 19 * gi
  expect((await scene.look()).words).toContain('19456Mi of the 20Gi of pgStorage')
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
