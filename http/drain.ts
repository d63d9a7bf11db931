import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from './ports.ts'

/** What Kubernetes leaves of its default 30 s once the signal, the endpoints' update and the exit are paid for. */
export const STOP_GRACE_MS = 25_000

/** Follows every connection, upgraded ones too: those node's own `closeAllConnections` no longer knows. */
export function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Waits for `closed`, and when its time is up cuts what is still open, so that it ends all the same. */
export async function closeWithin(
  clock: Clock,
  graceMs: number,
  sockets: ReadonlySet<Socket>,
  closed: Promise<void>,
): Promise<void> {
  const timer = clock.setTimer(graceMs, () => {
    for (const socket of sockets) socket.destroy()
  })
  try {
    await closed
  } finally {
    timer.cancel()
  }
}
