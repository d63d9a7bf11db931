import type { ForgeAdapter } from './adapter.ts'
import { githubWebhooks } from '../github/inbound.ts'
import { createGithubForge } from '../github/port.ts'
import { githubWire } from '../github/wire.ts'
import { gitlabWebhooks } from '../gitlab/inbound.ts'
import { createGitlabForge } from '../gitlab/port.ts'
import { gitlabWire } from '../gitlab/wire.ts'
import type { Provider } from '../projects.ts'

export const adapters: Readonly<Record<Provider, ForgeAdapter>> = {
  forge_a: { wire: githubWire, webhooks: githubWebhooks, open: createGithubForge },
  forge_b: { wire: gitlabWire, webhooks: gitlabWebhooks, open: createGitlabForge },
}
