/** The tools' server as it stands in a wrapper that has booted: listening, before the CLI starts its relay. */
import { randomUUID } from 'node:crypto'
import { podServer } from '../../edges/agents/mcp/pod-server.ts'
import { makeSocketFolder, socketsIn } from '../../wrapper/sockets/agent-sockets.ts'
import { openMcpSocket } from '../../wrapper/sockets/mcp-socket.ts'
import type { ToolRunner } from '../../wrapper/tools/port.ts'

const pod = { task: 'default/t', project: 'demo', profile: 'implement', repositories: ['lib'], hasMemory: true }
/** Listing asks the runner nothing. */
const runner: ToolRunner = { perform: () => Promise.reject(new Error('nothing is called here')) }

export async function openToolsSide(): Promise<{ readonly socket: string; close(): Promise<void> }> {
  const folder = makeSocketFolder()
  const { tools } = socketsIn(folder.path)
  const createServer = podServer('0', randomUUID)
  const server = await openMcpSocket({ path: tools, serverFor: () => createServer(pod, runner) })
  return {
    socket: tools,
    close: async () => {
      await server.close()
      folder.remove()
    },
  }
}
