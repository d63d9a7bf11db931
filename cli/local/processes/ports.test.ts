import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { choosePorts, freePort, isFree } from './ports.ts'

test('a free port is free until somebody listens on it', async () => {
  const port = await freePort()
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

test('a port that was asked for gives those of the others; one that is taken is named', async () => {
  const listen = '127.0.0.2'
  const port = await freePort()
  expect(await choosePorts({ port, memory: false })).toEqual({ http: port, memory: port + 1, internal: port + 2 })
  const forPods = { port, memory: false, listen }
  expect(await choosePorts(forPods)).toMatchObject({ internal: port + 2, identity: port + 3, model: port + 4 })
  const server = createServer().listen(port + 4, listen)
  await once(server, 'listening')
  await expect(choosePorts(forPods)).rejects.toThrow(`port ${port + 4} is in use by `)
  server.close()
  await once(server, 'close')
})
