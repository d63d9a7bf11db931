/** Why the store refuses. Each dialect has one table from these reasons to its own status codes and words. */
export type RefusalReason =
  | 'not-found'
  | 'forbidden'
  | 'admin-only'
  | 'push-only'
  | 'invalid'
  | 'missing'
  | 'too-long'
  | 'blank'
  | 'exists'
  | 'label-absent'
  | 'ref-absent'
  | 'ref-protected'
  | 'no-commits'
  | 'pull-exists'
  | 'head-gone'
  | 'own-review'
  | 'line-not-in-diff'
  | 'path-not-in-diff'
  | 'commit-not-in-pull'
  | 'review-empty'
  | 'review-undecided'
  | 'pending-review'
  | 'head-moved'
  | 'base-moved'
  | 'not-mergeable'
  | 'draft'
  | 'method-off'
  | 'not-rebaseable'
  | 'check-missing'
  | 'rule-violated'
  | 'approvals-missing'
  | 'behind'
  | 'hook-exists'
  | 'no-commit'

/** `field` names the input at fault, `detail` is a value that the dialect's words need. */
export class Refusal extends Error {
  readonly reason: RefusalReason
  readonly resource: string
  readonly field: string
  readonly detail: string

  constructor(reason: RefusalReason, about: { resource?: string; field?: string; detail?: string } = {}) {
    super(
      `${reason}${about.resource ? ` ${about.resource}` : ''}${about.field ? ` ${about.field}` : ''}${about.detail ? `: ${about.detail}` : ''}`,
    )
    this.name = 'Refusal'
    this.reason = reason
    this.resource = about.resource ?? ''
    this.field = about.field ?? ''
    this.detail = about.detail ?? ''
  }
}
