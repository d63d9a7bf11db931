/**
 * Labels are a write-only projection of Issue state (LABELS-1, LAW-10):
 *
 * | Issue status | label |
 * |---|---|
 * | `refined` | `brainstormingLabel` |
 * | `approved`, `implementing` | `approvedLabel` |
 * | `rejected` | `declinedLabel` |
 * | `observed`, `done`, `closed` | none |
 *
 * and `implementationLabel` beside them in `refined`, `approved`, `implementing` once the Task's running agent became
 * implement, and `priorityLabel` in the same statuses while a person speaks for the issue (ISSUE-7). The incident label is additive and managed by nobody here.
 */
export const issueStatuses = ['observed', 'refined', 'approved', 'implementing', 'done', 'rejected', 'closed'] as const
export type IssueStatus = (typeof issueStatuses)[number]

interface LabelNames {
  readonly brainstorming: string
  readonly approved: string
  readonly implementation: string
  readonly declined: string
  readonly priority?: string
}

const phaseLabel: Readonly<Record<IssueStatus, keyof LabelNames | undefined>> = {
  observed: undefined,
  refined: 'brainstorming',
  approved: 'approved',
  implementing: 'approved',
  done: undefined,
  rejected: 'declined',
  closed: undefined,
}

const inWork: ReadonlySet<IssueStatus> = new Set(['refined', 'approved', 'implementing'])

/** An empty name switches a label off. */
export function projectLabels(
  status: IssueStatus,
  implementRan: boolean,
  names: LabelNames,
  isUrgent = false,
): readonly string[] {
  const phase = phaseLabel[status]
  const isInWork = inWork.has(status)
  const labels = [
    phase && names[phase],
    implementRan && isInWork ? names.implementation : undefined,
    isUrgent && isInWork ? names.priority : undefined,
  ]
  return [...new Set(labels.filter((label): label is string => Boolean(label)))]
}

export function managedLabels(names: LabelNames): readonly string[] {
  const { brainstorming, approved, implementation, declined, priority = '' } = names
  return [...new Set([brainstorming, approved, implementation, declined, priority].filter(Boolean))]
}
