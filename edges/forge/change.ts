/** What a delivery says has happened, in words of neither provider. `by`: the account that caused it. */
import type { ForgeAccount, ForgeComment, ForgeIssue, ForgeMergeRequest } from './port.ts'

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
}

/** One of the things that an event says were done at once. */
export interface SubjectAct<Action> {
  readonly action: Action
  readonly label?: string
}

/**
 * An issue or merge request whose payload does not name its author (GitLab's): it is read from the forge, and the event
 * adds who did what to which text.
 */
interface HintedChange extends Change {
  readonly kind: 'hint'
  readonly number: number
  /** As it stood at the event. Absent: the event speaks of the thread alone. */
  readonly text?: Readonly<Required<TextBefore>> & { readonly updatedAt: number }
  readonly before?: TextBefore
  /** Something of its thread changed that no event carries, an approval say: it is read too. */
  readonly thread?: true
}

export interface IssueHinted extends HintedChange {
  readonly on: 'issue'
  readonly acts: readonly SubjectAct<IssueAction>[]
}

export interface MergeRequestHinted extends HintedChange {
  readonly on: 'mr'
  readonly acts: readonly SubjectAct<MergeRequestAction>[]
  /** Who opens or pushes does so with this head. */
  readonly headSha?: string
}

export interface CommentChange extends Change {
  readonly kind: 'comment'
  readonly action: CommentAction
  readonly comment: ForgeComment
  /** With `edited`: the text before. */
  readonly from?: string
  /** The issue that came along, when the comment is on one. */
  readonly issue?: ForgeIssue
}

/** Something about the checks of a head has changed; what, is read from the forge. */
export interface CiChange extends Change {
  readonly kind: 'ci'
  readonly sha: string
  /** Whose checks they are, where the commit is not the head but the result of its merge. */
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
  | IssueHinted
  | MergeRequestHinted
  | CommentChange
  | CiChange
  | PushChange
