import type { Agent, AgentInput } from './agent.ts'

/** The sessions that cases share: a boot takes four seconds. `none`: the case starts its own. */
export type SharedSession = 'key' | 'subscription'

interface About {
  /** Stable name, `area.fact`. */
  readonly id: string
  /** What the CLI does, as a sentence. */
  readonly fact: string
  /** The one file of ours that relies on it: what has to follow when the fact changes. */
  readonly adapter: string
  /** Runs with every `npm test`; the rest with `npm run test:wrapper` and `statewright wrapper selftest`. */
  readonly daily?: boolean
}

export interface SharedCase extends About {
  readonly session: SharedSession
  readonly holds: (agent: Agent) => Promise<void>
}

export interface LoneCase extends About {
  readonly session: 'none'
  readonly holds: (input: AgentInput) => Promise<void>
}

/** One measured behaviour of the CLI that the wrapper relies on. `holds` throws when this CLI behaves otherwise. */
export type ContractCase = SharedCase | LoneCase
