/** What a delivery says has happened, in words of neither provider. `by`: the account that caused it. */
import type { ForgeAccount, ForgeComment, ForgeIssue, ForgeMergeRequest, ForgeSubjectKind } from './port.ts'

export type IssueAction = 'opened' | 'edited' | 'closed' | 'reopened' | 'labeled' | 'unlabeled' | 'deleted' | 'other'
export type MergeRequestAction =
  | 'opened'
  | 'edited'
  | 'closed'
  | 'reopened'
  | 'pushed'
  | 'labeled'
  | 'unlabeled'
  | 'other'
export type CommentAction = 'created' | 'edited' | 'deleted' | 'other'

interface Change {
  /** The forge's name of the repository, `owner/name`. */
  readonly path: string
  readonly by: ForgeAccount
}

/** With `edited`: what stood there before, of that which changed. */
export interface TextBefore {
  readonly title?: string
  readonly body?: string
}

export interface IssueChange extends Change {
  readonly kind: 'issue'
  readonly action: IssueAction
  readonly issue: ForgeIssue
  readonly label?: string
  readonly before?: TextBefore
}

export interface MergeRequestChange extends Change {
  readonly kind: 'mr'
  readonly action: MergeRequestAction
  readonly mergeRequest: ForgeMergeRequest
  readonly before?: TextBefore
  /** With `pushed`: the head before, and the one that was pushed; the merge request may show a later one. */
  readonly beforeSha?: string
  readonly afterSha?: string
}

/** The text of a subject as a payload shows it. */
export interface ShownText {
  readonly title: string
  readonly body: string
  readonly updatedAt: number
}

export interface SubjectAct {
  readonly action: IssueAction | MergeRequestAction
  readonly label?: string
  readonly before?: TextBefore
}

/**
 * Of an issue or merge request that the payload does not show whole (GitLab's names no author): the forge is read for the
 * rest. What only the delivery knows is who did what, and one delivery may tell of several acts.
 */
export interface SubjectChange extends Change {
  readonly kind: 'subject'
  readonly on: ForgeSubjectKind
  readonly number: number
  readonly acts: readonly SubjectAct[]
  readonly text: ShownText
  /** Who opens or pushes a merge request does so with this head. */
  readonly headSha?: string
  /** With `pushed`: the head before. */
  readonly beforeSha?: string
  /** Its comments or reviews have changed, and the payload does not show how. */
  readonly thread?: true
  /** `by` took back an approval of his own. */
  readonly revokes?: true
}

/** A thread has changed in a way that its delivery does not show: it is read from the forge. */
export interface ThreadChange extends Change {
  readonly kind: 'thread'
  readonly on: ForgeSubjectKind
  readonly number: number
}

export interface CommentChange extends Change {
  readonly kind: 'comment'
  readonly action: CommentAction
  readonly comment: ForgeComment
  /** With `edited`: the text before. */
  readonly from?: string
  /** The issue that came along, when the comment is on one. */
  readonly issue?: ForgeIssue
  /** The forge shows it to members alone (PROJECT-SCM-22). */
  readonly confidential?: true
}

/** Something about the checks of a head has changed; what, is read from the forge. */
export interface CiChange extends Change {
  readonly kind: 'ci'
  readonly sha: string
  /** Whose checks they are, where the commit is not its head but the result of its merge. */
  readonly mergeRequest?: number
}

export interface PushChange extends Change {
  readonly kind: 'push'
  readonly ref: string
  readonly before: string
  readonly after: string
}

export type ForgeChange =
  | IssueChange
  | MergeRequestChange
  | SubjectChange
  | CommentChange
  | ThreadChange
  | CiChange
  | PushChange
