import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { reachPorts, servePorts } from './network.ts'

/** Lets every wait pass at once. */
const hasty = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimer: (_delayMs: number, callback: () => void) => {
    const immediate = setImmediate(callback)
    return { cancel: () => clearImmediate(immediate) }
  },
}
const host = '127.0.0.1'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function withServer(
  use: (ports: readonly [number, number], servers: readonly Server[]) => Promise<void>,
  both: boolean,
): Promise<void> {
  const ports = [await freePort(), await freePort()] as const
  const servers = await servePorts(host, both ? ports : ports.slice(0, 1))
  try {
    await use(ports, servers)
  } finally {
    for (const server of servers) server.close()
  }
}

test('a port that nothing denies is reached', async () => {
  await withServer(async ([openPort, deniedPort]) => {
    const found = await reachPorts({ host, openPort, deniedPort, clock: hasty })
    expect(found).toEqual({ probe: 'network', open: true, denied: true })
  }, true)
})

test('a port that is refused three times in a row, beside one that is reached, is denied', async () => {
  await withServer(async ([openPort, deniedPort]) => {
    const found = await reachPorts({ host, openPort, deniedPort, clock: hasty })
    expect(found).toEqual({ probe: 'network', open: true, denied: false })
  }, false)
})

test('a server that nobody reaches, or that ended meanwhile, proves nothing', async () => {
  const [openPort, deniedPort] = [await freePort(), await freePort()]
  expect(await reachPorts({ host, openPort, deniedPort, clock: hasty })).toMatchObject({ open: false })
  const [server] = await servePorts(host, [openPort])
  let timers = 0
  const closing = {
    ...hasty,
    setTimer: (delayMs: number, callback: () => void) => {
      if (++timers === 1) server!.close()
      return hasty.setTimer(delayMs, callback)
    },
  }
  expect(await reachPorts({ host, openPort, deniedPort, clock: closing })).toMatchObject({ open: false })
})
