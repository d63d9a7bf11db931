import type { CiState } from '../../machines/merge-request/events.ts'

/** Issues, merge requests and comments as the platform's mirror of the forge has them: at most an hour stale (TOOL-SCM-READ-5, TOOL-SCM-READ-6). */
export interface ThreadQuery {
  readonly state?: string
  readonly since?: number
  readonly labels?: readonly string[]
  readonly limit?: number
  /** The `next` of the page before. */
  readonly after?: ThreadKey
}

/** Where a list stands: by the newest change first, then by number. */
export interface ThreadKey {
  readonly updatedAt: number
  readonly number: number
}

/** May have fewer items than the limit, and yet a `next`. */
export interface ThreadPage<Item> {
  readonly items: readonly Item[]
  readonly next?: ThreadKey
}

export interface MirroredIssue {
  readonly repository: string
  readonly number: number
  readonly state: 'open' | 'closed'
  readonly title: string
  readonly author: string
  readonly bot: boolean
  readonly body: string
  readonly url: string
  readonly labels: readonly string[]
  readonly updatedAt: number
  /** Its thread is read whole; otherwise comments may be missing until a later resync. */
  readonly complete: boolean
}

export interface MirroredMergeRequest extends Omit<MirroredIssue, 'state'> {
  readonly state: 'open' | 'merged' | 'closed'
  readonly draft: boolean
  readonly headSha: string
  readonly headBranch: string
  readonly baseBranch: string
  readonly ci: CiState
  readonly mergeable: boolean | null
}

export interface MirroredComment {
  readonly id: string
  readonly author: string
  /** Whose hands wrote the text over, where they were not its author's; `unknown` where no event named them. */
  readonly editedBy?: string
  readonly bot: boolean
  readonly body: string
  readonly bodyHash: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly path?: string
  readonly line?: number
  readonly inReplyTo?: string
}

export interface ThreadReader {
  issue(project: string, repository: string, number: number): Promise<MirroredIssue | undefined>
  mergeRequest(project: string, repository: string, number: number): Promise<MirroredMergeRequest | undefined>
  /** Living comments, oldest first; of a merge request its reviews and line comments too. */
  comments(project: string, repository: string, number: number, on: 'issue' | 'mr'): Promise<readonly MirroredComment[]>
  issues(project: string, repository: string, query: ThreadQuery): Promise<ThreadPage<MirroredIssue>>
  mergeRequests(project: string, repository: string, query: ThreadQuery): Promise<ThreadPage<MirroredMergeRequest>>
}
