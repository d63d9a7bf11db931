import { join } from 'node:path'

/** A clone in the workspace. `base` and `branch` are resolved: never empty. */
export interface Repository {
  readonly name: string
  readonly dir: string
  readonly url: string
  readonly base: string
  readonly branch: string
  readonly sha: string
}

export function repositoryDir(workspaceDir: string, { name }: { readonly name: string }): string {
  return join(workspaceDir, name)
}

/** Where the work branch and its two counterparts at the remote stand, as far as they are there. */
export interface BranchTips {
  readonly head: string | undefined
  readonly remote: string | undefined
  readonly base: string | undefined
}

/** Refs of the remote as the wrapper fetches them, in its bare repository and in the clone. */
export const remoteRef = (branch: string): string => `refs/remotes/origin/${branch}`

/** Snapshots of work that an abort would have dropped; kept in the volume, never pushed. */
export const keptRef = (name: string): string => `refs/statewright/kept/${name}`

/** What has no branch of its own in a `.git` that a fresh one replaces: a detached HEAD, the entries of the stash. */
export const oldRef = (name: string): string => `refs/statewright/old/${name}`

/** Branch, which the bare repository took out of the clone. */
export const agentRef = (branch: string): string => `refs/statewright/agent/${branch}`

/** A head under review that no branch of the remote names. */
export const pinnedRef = (sha: string): string => `refs/statewright/pinned/${sha}`
