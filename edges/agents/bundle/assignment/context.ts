import type { AgentKind } from '../../../../machines/task/events.ts'

/** What an assignment depends on: the Task's state, not its history. */
export interface AssignmentContext {
  readonly agent: AgentKind
  readonly stage: string
  readonly goal: string
  readonly repositories: readonly {
    readonly name: string
    /** Absent where people named it: it is the head branch of that merge request. */
    readonly branch?: string
    readonly mergeRequest?: number
    readonly base: string
    readonly sha?: string
  }[]
  readonly hasPlan: boolean
  /** The id of the newest plan, for `plan_note_id`. */
  readonly planNoteId?: string
  readonly granted: boolean
  /** The platform proposed the issue itself, no human has commented, and the ceiling allows it. */
  readonly selfGrant: boolean
  readonly ownsIssue: boolean
  readonly ownsMergeRequest: boolean
  readonly hints: KindHints
}

export interface StandingComment {
  readonly repository: string
  readonly number: number
  readonly commentId: string
  readonly author: string
}

/** What single kinds are told beside their Task; the settings of the Project as they are at the render. */
export interface KindHints {
  /** implement: the maintainer's comment that stands as the approval of each live issue, as the Issue itself judged it. */
  readonly approvals?: readonly StandingComment[]
  /** brainstorm: how many proposals still fit. */
  readonly proposalsLeft?: number
  /** brainstorm: what it may draw on beside the repositories. */
  readonly sources?: readonly string[]
  /** refine: since when closed issues are worth a look, RFC 3339. */
  readonly closedSince?: string
  /** upgrade: the Project's policy, as it stands. */
  readonly upgradePolicy?: string
}

export function listRepositories({ repositories }: AssignmentContext): string {
  return repositories
    .map(
      ({ name, branch, mergeRequest, base, sha }) =>
        `- \`${name}\`: folder \`${name}/\` of the workspace, ${branch ? `branch \`${branch}\`` : `the branch of merge request ${name}!${mergeRequest}`}, base \`${base}\`${sha ? `, head \`${sha}\`` : ''}`,
    )
    .join('\n')
}
