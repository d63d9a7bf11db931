import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { portOwner } from './port-owner.ts'

test('the owner of a busy port is named with its pid, that of a free one is nobody (LISTENERS-8)', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(portOwner(port)).toContain(`(pid ${process.pid})`)
  server.close()
  await once(server, 'close')
  expect(portOwner(port)).toBeUndefined()
})
