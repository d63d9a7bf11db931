/** How the agent's helper programs are started and reach the wrapper. */
export interface AgentPlumbing {
  readonly statuslineCommand: string
  /** `http://127.0.0.1:<port>` */
  readonly internalUrl: string
  readonly agentKey: string
}

/** Base of everything that the agent's programs may call; holds the key of this boot. */
export function agentUrl(plumbing: Pick<AgentPlumbing, 'internalUrl' | 'agentKey'>): string {
  return `${plumbing.internalUrl}/k/${plumbing.agentKey}`
}
