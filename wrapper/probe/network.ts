/** Two pods, one of which may reach a single port of the other: whether the network keeps it from the next port. */
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { sleep, type Clock } from '../clock.ts'

export interface NetworkReport {
  readonly probe: 'network'
  /** The port that everybody may reach was reached: before, and after the other one was tried. */
  readonly open: boolean
  /** The port that nobody may reach was reached, each time that it was tried. */
  readonly denied: boolean
}

interface Reaching {
  readonly host: string
  readonly openPort: number
  readonly deniedPort: number
  readonly clock: Clock
}

/** Answers on each port until it is closed. */
export async function servePorts(host: string, ports: readonly number[]): Promise<readonly Server[]> {
  return Promise.all(
    ports.map(
      (port) =>
        new Promise<Server>((resolve, reject) => {
          const server = createServer((_request, response) => void response.end('statewright probe\n'))
          server.once('error', reject).listen(port, host, () => resolve(server))
        }),
    ),
  )
}

const connectLimitMs = 2_000
const everyMs = 500
/** A server may be slow to start, and a network plugin to learn of a pod. */
const [mostOpenTries, mostDeniedTries] = [40, 10]
/** So often in a row it was not reached: a single lost packet is no wall. */
const refusalsInRow = 3

export async function reachPorts({ host, openPort, deniedPort, clock }: Reaching): Promise<NetworkReport> {
  const again = async (most: number, isDone: () => Promise<boolean>): Promise<boolean> => {
    for (let attempt = 0; attempt < most; attempt++) {
      if (attempt > 0) await sleep(clock, everyMs)
      if (await isDone()) return true
    }
    return false
  }
  if (!(await again(mostOpenTries, () => reaches(host, openPort))))
    return { probe: 'network', open: false, denied: false }
  let inRow = 0
  const isRefused = await again(mostDeniedTries, async () => {
    inRow = (await reaches(host, deniedPort)) ? 0 : inRow + 1
    return inRow === refusalsInRow
  })
  // A server that ended meanwhile refuses everything.
  const open = await reaches(host, openPort)
  return { probe: 'network', open, denied: !isRefused }
}

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectLimitMs })
    const end = (isReached: boolean) => (): void => {
      socket.destroy()
      resolve(isReached)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })
}
