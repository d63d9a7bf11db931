import type { AgentSockets } from '../sockets/agent-sockets.ts'

/** How what the CLI starts reaches the wrapper. Nothing in it is a secret. */
export interface AgentPlumbing {
  /** As the CLI sees them. */
  readonly sockets: AgentSockets
  /** Folder of the CLI's shell, its git and the start of configured servers, as the CLI sees it. */
  readonly programs: string
  /** Folder with a short path, for sockets of the CLI's own. */
  readonly runtime: string
  /** Starts the relay; a socket follows. */
  readonly relayCommand: readonly string[]
  /** Starts the status line's program; a socket follows. */
  readonly statuslineCommand: readonly string[]
}
