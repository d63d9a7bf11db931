/**
 * All that the wrapper does outside of its pod by itself, without a model's word (law B3). Whatever else leaves a pod in
 * the agent's name goes through the tools' runner. None of these carries a verdict, an outcome or an approval.
 */
export interface OwnAct {
  readonly what: string
  readonly by: 'git' | 'http'
  /** The one file that performs it, or gives the transport away for it. */
  readonly file: string
  /** Who hears it. */
  readonly to: string
}

export const ownActs: readonly OwnAct[] = [
  { what: 'fetches and pushes the Task’s branch', by: 'git', file: 'workspace/git.ts', to: 'the git gateway' },
  { what: 'tells of ended turns and hands over', by: 'http', file: 'turns/callback.ts', to: 'the orchestrator' },
  {
    what: 'asks for its own token of the memory service',
    by: 'http',
    file: 'boot/upstreams.ts',
    to: 'the identity provider',
  },
  {
    what: 'passes requests on with the model’s key',
    by: 'http',
    file: 'model-proxy/proxy.ts',
    to: 'the model provider',
  },
  { what: 'asks for the keys that prove a caller', by: 'http', file: 'supervisor.ts', to: 'the identity provider' },
  {
    what: 'asks for the keys that prove a caller of another contract version',
    by: 'http',
    file: 'other-version.ts',
    to: 'the identity provider',
  },
  { what: 'sends the traces of its turns', by: 'http', file: 'main.ts', to: 'the collector' },
]

/** What the tools' runner lets go on, and nobody else: the one file that speaks in the agent's name. */
export const agentsVoice = 'broker/broker.ts'
