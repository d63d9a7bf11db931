import type { Clock } from '../../../runtime/clock.ts'
import type { Fetch } from '../../http/ports.ts'
import type { ForgePort } from '../port.ts'
import type { Budget } from '../rate-limit.ts'
import { createGithubClient } from './client.ts'
import { hookPart } from './hooks.ts'
import { issuePart } from './issues.ts'
import { mergeRequestPart } from './merge-requests.ts'
import { repositoryPart } from './repositories.ts'
import { createTransport } from './transport.ts'

export interface GithubForgeOptions {
  readonly token: string
  readonly apiURL?: string
  /** As `createTransport` gives it, kept per Project so that answers and budget outlive a token. */
  readonly transport: Fetch
}

/** GitHub, GHES or the local forge behind the port. */
export function createGithubForge({ token, apiURL, transport }: GithubForgeOptions): ForgePort {
  const client = createGithubClient({ token, fetch: transport, ...(apiURL === undefined ? {} : { apiURL }) })
  return { ...repositoryPart(client), ...issuePart(client), ...mergeRequestPart(client), ...hookPart(client) }
}

export function createGithubTransport(options: {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly budget: Budget
}): Fetch {
  return createTransport(options)
}
