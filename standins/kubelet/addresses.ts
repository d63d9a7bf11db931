/** Addresses of the loopback, one a pod or a Service: each listens on the port of its contract. */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:net'

export interface Reserved {
  readonly ip: string
  release(): void
}

/** Held open, so that two kubelets of one machine give no address twice. Nothing else listens there. */
const guardPort = 61_077
const tries = 2_000

/** `seed`: kubelets of different seeds begin elsewhere. `network`: the first two numbers of the addresses. */
export function createAddresses(seed: string, network = '127.77'): (wanted: string | undefined) => Promise<Reserved> {
  let next = createHash('sha256').update(seed).digest().readUInt16BE() % 64_000
  return async (wanted) => {
    // A pod keeps the address that its status has, whoever holds it open.
    if (wanted !== undefined) return (await reserve(wanted)) ?? { ip: wanted, release: () => undefined }
    for (let attempt = 0; attempt < tries; attempt++) {
      next = (next + 1) % 64_000
      const found = await reserve(`${network}.${Math.floor(next / 250)}.${(next % 250) + 1}`)
      if (found !== undefined) return found
    }
    throw new Error(`no address of ${network}.0.0/16 is free`)
  }
}

async function reserve(ip: string): Promise<Reserved | undefined> {
  const server = createServer((socket) => socket.destroy())
  const isHeld = await listening(server, ip)
  if (!isHeld) return undefined
  server.unref()
  return { ip, release: () => void server.close() }
}

function listening(server: Server, ip: string): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(guardPort, ip, () => resolve(true))
  })
}
