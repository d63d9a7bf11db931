/** A memory service that cannot start leaves nothing open, and says so in a bounded time. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { captureLog } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { openParts } from './parts.ts'
import { startMemory, type MemoryPorts } from './start.ts'
import { settingsWith } from './testing/settings.ts'

const ports: MemoryPorts = {
  clock: systemClock,
  random: Math.random,
  ids: { next: () => 'an-id' },
  fetch,
  logger: captureLog().logger,
  version: '0.0.0',
  owner: 'one',
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Takes every connection and says nothing; all are let go at the end. */
async function silence(): Promise<{ readonly port: number; readonly isLeft: () => boolean }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.resume().on('error', () => undefined)))
  const port = await listening(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port, isLeft: () => sockets.size > 0 && [...sockets].every(({ destroyed }) => destroyed) }
}

test.each([
  ['', () => ({})],
  [', beside a graph that says nothing', (graph: number) => ({ GRAPH_URL: `bolt://u:p@127.0.0.1:${graph}` })],
])(
  'without its port%s it closes its store: the next one opens it',
  async (_beside, env) => {
    const { port } = await silence()
    const graph = await silence()
    const settings = settingsWith({ HTTP_ADDR: `127.0.0.1:${port}`, ...env(graph.port) })
    await expect(startMemory(settings, ports)).rejects.toThrow('EADDRINUSE')
    const parts = await openParts({ ...settings, graph: { url: '', space: '' } }, ports)
    await parts.close()
  },
  60_000,
)

test('before a database that takes the connection and says nothing it ends, and lets the connection go', async () => {
  const { port, isLeft } = await silence()
  const url = `postgres://u:p@127.0.0.1:${port}/memory`
  await expect(startMemory(settingsWith({ DATABASE_URL: url, DATABASE_ANSWER_SECONDS: '1' }), ports)).rejects.toThrow()
  await expect.poll(isLeft, { timeout: 20_000 }).toBe(true)
}, 60_000)
