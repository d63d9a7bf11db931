import { createServer, type Socket } from 'node:net'
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

export interface McpSocket {
  close(): Promise<void>
}

interface McpSocketOptions {
  readonly path: string
  /** A server for each connection; undefined: the connection is refused. */
  readonly serverFor: () => McpServer | undefined
}

/** MCP as stdio servers speak it, a message a line, over a unix socket. */
export async function openMcpSocket({ path, serverFor }: McpSocketOptions): Promise<McpSocket> {
  const open = new Set<Socket>()
  const listener = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    const server = serverFor()
    if (server) speak(server, socket)
    else socket.destroy()
  })
  await new Promise<void>((resolve, reject) => listener.once('error', reject).listen(path, resolve))
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy()
        listener.close(() => resolve())
      }),
  }
}

function speak(server: McpServer, socket: Socket): void {
  socket.on('close', () => void server.close())
  server.connect(new StdioServerTransport(socket, socket)).catch(() => socket.destroy())
}
