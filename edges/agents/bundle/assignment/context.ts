/** What an assignment depends on: the Task's state, not its history. */
export interface AssignmentContext {
  readonly agent: string
  readonly stage: string
  readonly goal: string
  readonly repositories: readonly {
    readonly name: string
    readonly branch: string
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
}

export function listRepositories({ repositories }: AssignmentContext): string {
  return repositories
    .map(
      ({ name, branch, base, sha }) =>
        `- \`${name}\`: folder \`${name}/\` of the workspace, branch \`${branch}\`, base \`${base}\`${sha ? `, head \`${sha}\`` : ''}`,
    )
    .join('\n')
}
