import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { choosePorts, freePort } from './ports.ts'

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

test('a memory service that an earlier start left keeps its port, which is nobody else’s', async () => {
  const port = await freePort()
  const left = createServer().listen(port + 1, '127.0.0.1')
  await once(left, 'listening')
  await expect(choosePorts({ port, memory: true, left: [port + 2] })).rejects.toThrow(`port ${port + 1} is in use by `)
  expect(await choosePorts({ port, memory: true, left: [port + 1] })).toMatchObject({ memory: port + 1 })
  left.close()
  await once(left, 'close')
})
