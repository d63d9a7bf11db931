import type { IncomingHttpHeaders } from 'node:http'
import type { Provider } from '../projects.ts'

/** By headers alone: a provider without an adapter is recognised too, so that a mismatch can be said. */
export function providerOf(headers: IncomingHttpHeaders): Provider | undefined {
  if (headers['x-github-event'] !== undefined) return 'forge_a'
  return headers['x-gitlab-event'] === undefined ? undefined : 'forge_b'
}
