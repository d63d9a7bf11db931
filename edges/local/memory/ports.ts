import { createServer } from 'node:net'
import type { Random } from '../../../runtime/random.ts'

/** Below those that Linux (from 32768) and macOS (from 49152) give to whoever listens or connects without naming one. */
const range = { first: 10_000, last: 32_000 }
const mostLooks = 100

/**
 * A port that is free now. The child that gets it listens seconds later, when its store is open: nobody may be given the
 * same one by the kernel meanwhile.
 */
export async function freePort(random: Random): Promise<number> {
  for (let look = 0; look < mostLooks; look += 1) {
    const port = range.first + Math.floor(random() * (range.last - range.first))
    if (await isFree(port)) return port
  }
  throw new Error(`no port between ${range.first} and ${range.last} is free`)
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, host, () => resolve(true))
  })
  if (free) await new Promise((resolve) => server.close(resolve))
  return free
}
