import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort as anyFreePort } from '../../../testing/free-port.ts'
import { freePort, isFree } from './ports.ts'

test('a free port is free until somebody listens on it', async () => {
  const port = await anyFreePort()
  expect(await isFree(port)).toBe(true)
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  expect(await isFree(port)).toBe(false)
  server.close()
  await once(server, 'close')
  expect(await isFree(port)).toBe(true)
})

test('a free port is none that the kernel gives to others before the child listens, and none that is taken', async () => {
  const server = createServer().listen(10_000, '127.0.0.1')
  await once(server, 'listening').catch(() => undefined)
  const draws = [0, 1 - Number.EPSILON]
  const port = await freePort(() => draws.shift() ?? 0.5)
  server.close()
  expect(port).toBeGreaterThan(10_000)
  expect(port).toBeLessThan(32_000)
})
