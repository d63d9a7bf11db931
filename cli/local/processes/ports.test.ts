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
