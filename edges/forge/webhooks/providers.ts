import type { IncomingHttpHeaders } from 'node:http'
import { githubWebhooks } from '../github/inbound.ts'
import type { Provider } from '../projects.ts'
import type { WebhookDialect } from './dialect.ts'

/** Recognised by headers alone; a provider without a dialect is known, so that a mismatch can be said. */
export const dialects: Readonly<Record<Provider, WebhookDialect | undefined>> = {
  forge_a: githubWebhooks,
  forge_b: undefined,
}

export function providerOf(headers: IncomingHttpHeaders): Provider | undefined {
  if (headers['x-github-event'] !== undefined) return 'forge_a'
  return headers['x-gitlab-event'] === undefined ? undefined : 'forge_b'
}
