import type { Fetch } from '../../../http/ports.ts'
import type { ForgePort } from '../port.ts'
import { createGithubClient } from './client.ts'
import { hookPart } from './hooks.ts'
import { issuePart } from './issues.ts'
import { mergeRequestPart } from './merge-requests.ts'
import { repositoryPart } from './repositories.ts'

export interface GithubForgeOptions {
  readonly token: string
  readonly apiURL?: string
  /** As a `Transport` gives it, which is kept per Project so that answers and budget outlive a token. */
  readonly fetch: Fetch
}

/** GitHub, GHES or the local forge behind the port. */
export function createGithubForge({ token, apiURL, fetch }: GithubForgeOptions): ForgePort {
  const client = createGithubClient({ token, fetch, ...(apiURL === undefined ? {} : { apiURL }) })
  return { ...repositoryPart(client), ...issuePart(client), ...mergeRequestPart(client), ...hookPart(client) }
}
