import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The ways from the CLI's view to the wrapper. Whoever can open one may speak there: the view is the wall, not a key. */
export interface AgentSockets {
  /** HTTP: requests to the model, and the status line's reports. */
  readonly model: string
  /** MCP: the platform's tools. */
  readonly tools: string
  /** MCP: the CLI's hooks. */
  readonly wiring: string
}

/** `connect` takes no longer path (`sun_path`, its last byte a zero). */
const longestPath = 107

/** Paths of the sockets in `folder`, as somebody sees them who has it mounted there. */
export function socketsIn(folder: string): AgentSockets {
  const at = (name: string): string => {
    const path = join(folder, name)
    if (Buffer.byteLength(path) > longestPath)
      throw new Error(`the path of a socket has at most ${longestPath} bytes: ${path}`)
    return path
  }
  return { model: at('model.sock'), tools: at('tools.sock'), wiring: at('wiring.sock') }
}

export interface SocketFolder {
  readonly path: string
  remove(): void
}

/** Only this user may enter it. New at each start: what an earlier wrapper left listens to nobody. */
export function makeSocketFolder(parent = tmpdir()): SocketFolder {
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, 'sw-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
