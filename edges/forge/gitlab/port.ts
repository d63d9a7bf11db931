import type { AdapterOptions } from '../transport/adapter.ts'
import type { ForgePort } from '../port.ts'
import { createGitlabClient } from './client.ts'
import { hookPart } from './hooks.ts'
import { issuePart } from './issues.ts'
import { mergeRequestPart } from './merge-requests.ts'
import { repositoryPart } from './repositories.ts'

/** gitlab.com, a GitLab of one's own or the local forge behind the port. */
export function createGitlabForge({ includeConfidential = false, ...options }: AdapterOptions): ForgePort {
  const client = createGitlabClient(options)
  const visibility = { includeConfidential }
  return {
    ...repositoryPart(client),
    ...issuePart(client, visibility),
    ...mergeRequestPart(client, visibility),
    ...hookPart(client),
    // The times of what is read say whether it was edited. By whom, its REST API never says.
    editsOf: async () => [],
  }
}
