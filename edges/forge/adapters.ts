import type { ForgeAdapter } from './adapter.ts'
import { githubWebhooks } from './github/inbound.ts'
import { createGithubForge } from './github/port.ts'
import { githubWire } from './github/wire.ts'
import type { Provider } from './projects.ts'

/** A provider without an adapter is known, so that a Project learns why it does not work. */
export const adapters: Readonly<Record<Provider, ForgeAdapter | undefined>> = {
  forge_a: { wire: githubWire, webhooks: githubWebhooks, open: createGithubForge },
  forge_b: undefined,
}
