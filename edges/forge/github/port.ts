import type { AdapterOptions } from '../transport/adapter.ts'
import type { ForgePort } from '../port.ts'
import { createGithubClient } from './client.ts'
import { editPart } from './edits.ts'
import { hookPart } from './hooks.ts'
import { issuePart } from './issues.ts'
import { mergeRequestPart } from './merge-requests.ts'
import { repositoryPart } from './repositories.ts'

/** GitHub, GHES or the local forge behind the port. */
export function createGithubForge(options: AdapterOptions): ForgePort {
  const client = createGithubClient(options)
  return {
    ...repositoryPart(client),
    ...issuePart(client),
    ...editPart(client),
    ...mergeRequestPart(client),
    ...hookPart(client),
  }
}
