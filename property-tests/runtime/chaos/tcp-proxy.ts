/** A network between a process and its database that can be cut and can stand still. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** Connections that are open now end without a word. */
  cut(): void
  /** Connections that are open now stay open, and nothing that is sent on them arrives any more; new ones work. */
  swallow(): void
  /** Nothing goes through until the returned function is called. */
  stall(): () => void
  close(): Promise<void>
}

export async function tcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isStalled = false

  function track(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    if (isStalled) socket.pause()
  }

  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      track(from)
      from.on('data', (chunk) => void to.write(chunk))
      from.on('close', () => to.destroy())
    }
    if (isStalled) far.once('connect', () => void (isStalled && far.pause()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    swallow: () => {
      for (const socket of sockets) socket.removeAllListeners('data').resume()
    },
    stall: () => {
      isStalled = true
      for (const socket of sockets) socket.pause()
      return () => {
        isStalled = false
        for (const socket of sockets) socket.resume()
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
