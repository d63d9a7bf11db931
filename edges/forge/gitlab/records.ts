import { withholdingIn } from '../../../machines/rules/doubts.ts'
import type {
  ChangedFile,
  ForgeAccount,
  ForgeComment,
  ForgeCommit,
  ForgeIssue,
  ForgeMergeRequest,
  ForgeRepository,
  ForgeSubjectKind,
  MergeMethod,
  ReviewVerdict,
} from '../port.ts'
import type { Account, FileDiff, Issue, ListedCommit, MergeRequest, Note, Project } from './schema.ts'

/** Who is gone without a trace. What deleted accounts wrote belongs to an account of GitLab's own named `ghost`. */
const GHOST: Account = { username: 'ghost', id: 0 }

/** GitLab names so whom it makes for an access token of a project or group. Only some answers carry `bot`. */
const tokenBot = /^(?:project|group)_\d+_bot(?:_[0-9a-z]+)?$/i

export function accountOf(account: Account | null | undefined): ForgeAccount {
  const { username, id, bot } = account ?? GHOST
  return { login: username, id: String(id), bot: bot === true || tokenBot.test(username) }
}

/**
 * Whole seconds, because webhooks carry no more: two moments of one second then are a tie, which the mirror settles by
 * a look at the forge, and never an older one.
 */
export function timeOf(text: string): number {
  return Math.floor(Date.parse(text) / 1000) * 1000
}

export function issueOf(issue: Issue): ForgeIssue {
  const isClosed = issue.state === 'closed'
  return {
    number: issue.iid,
    title: issue.title,
    body: issue.description ?? '',
    state: isClosed ? 'closed' : 'open',
    author: accountOf(issue.author),
    labels: issue.labels,
    url: issue.web_url,
    createdAt: timeOf(issue.created_at),
    updatedAt: timeOf(issue.updated_at),
    ...(isClosed && issue.closed_by ? { closedBy: accountOf(issue.closed_by) } : {}),
    ...(isClosed && issue.closed_at ? { closedAt: timeOf(issue.closed_at) } : {}),
    comments: issue.user_notes_count ?? 0,
  }
}

/** Where a comment stands: its subject, with the address of its page. */
export interface Thread {
  readonly on: ForgeSubjectKind
  readonly number: number
  readonly url: string
}

export function threadOf(webURL: string, path: string, on: ForgeSubjectKind, number: number): Thread {
  return { on, number, url: `${webURL}/${path}/-/${on === 'issue' ? 'issues' : 'merge_requests'}/${number}` }
}

interface HeardNote extends Note {
  readonly withoutWords?: true
}

/**
 * Without GitLab's own words about what happened. What only members may read is left out unless it is wanted, but for a no:
 * of that the kind alone is kept, in words of ours (PROJECT-SCM-22).
 */
export function heardIn(notes: readonly Note[], includeConfidential: boolean): readonly HeardNote[] {
  return notes.flatMap((note) => {
    if (note.system === true) return []
    if (includeConfidential || !(note.internal ?? note.confidential ?? false)) return [note]
    const kind = kindOfNo(note.body ?? '')
    return kind === undefined ? [] : [{ ...note, body: kind, withoutWords: true }]
  })
}

/** A withdrawal, or a doubt (WORDS-7). One that cancels is a doubt: nobody could be told why the Task ended. */
function kindOfNo(body: string): string | undefined {
  const how = withholdingIn(body)
  if (how === 'withdraws') return '/hold in an internal note'
  return how === undefined ? undefined : 'In an internal note: /hold?'
}

export function isInline({ type, position }: Note): boolean {
  return type === 'DiffNote' && position !== null && position !== undefined
}

export function commentOf(note: Note, thread: Thread): ForgeComment {
  return { ...wordsOf(note, thread), id: String(note.id), sort: 'comment' }
}

function wordsOf(note: HeardNote, { on, number, url }: Thread): Omit<ForgeComment, 'id' | 'sort'> {
  return {
    on,
    number,
    author: accountOf(note.author),
    body: note.body ?? '',
    ...(note.withoutWords === true ? { withoutWords: true } : {}),
    ...(note.withoutWords !== true && (note.internal ?? note.confidential) === true ? { internal: true } : {}),
    url: `${url}#note_${note.id}`,
    createdAt: timeOf(note.created_at),
    updatedAt: timeOf(note.updated_at),
    ...editedOf(note),
  }
}

/** Webhooks carry whole seconds, and so cannot tell an edit of the first one. */
function editedOf({ created_at, updated_at }: Note): Pick<ForgeComment, 'edited'> {
  const isExact = [created_at, updated_at].every((time) => /:\d\d\.\d/.test(time))
  return isExact ? { edited: Date.parse(created_at) !== Date.parse(updated_at) } : {}
}

/** `root` begins the discussion that the note is in. */
export function inlineOf(note: Note, thread: Thread, root?: number): ForgeComment {
  const { head_sha, new_path, old_path, new_line, old_line } = note.position ?? {}
  const path = new_path ?? old_path
  const line = new_line ?? old_line
  return {
    ...wordsOf(note, thread),
    id: `inline-${note.id}`,
    sort: 'inline',
    ...(head_sha ? { sha: head_sha } : {}),
    ...(path ? { path } : {}),
    ...(typeof line === 'number' ? { line } : {}),
    ...(root === undefined || root === note.id ? {} : { inReplyTo: `inline-${root}` }),
  }
}

/**
 * GitLab has no review as a thing of its own: its text is a comment like others. The mark says that ours is one, and of
 * which head. Whoever pastes it makes a review of his own comment, and no more. An issue has no reviews: there it is text.
 */
const reviewMark = /\n\n<!-- platform:review=([0-9a-f]{40,64}) -->\s*$/

export function withReviewMark(body: string, sha: string): string {
  return `${body}\n\n<!-- platform:review=${sha} -->`
}

export function isReview({ body }: Note, on: ForgeSubjectKind): boolean {
  return on === 'mr' && reviewMark.test(body ?? '')
}

export function reviewOf(note: Note, thread: Thread): ForgeComment {
  const sha = reviewMark.exec(note.body ?? '')?.[1]
  return {
    ...wordsOf(note, thread),
    body: (note.body ?? '').replace(reviewMark, ''),
    id: `review-${note.id}`,
    sort: 'review',
    verdict: 'commented',
    ...(sha === undefined ? {} : { sha }),
  }
}

/** A comment of any sort, where its discussion is not at hand. */
export function anyCommentOf(note: Note, thread: Thread): ForgeComment {
  if (isInline(note)) return inlineOf(note, thread)
  return isReview(note, thread.on) ? reviewOf(note, thread) : commentOf(note, thread)
}

export interface Verdict {
  readonly by: Account | null | undefined
  readonly verdict: Extract<ReviewVerdict, 'approved' | 'changesRequested'>
  /** Epoch milliseconds, as exact as GitLab has it. */
  readonly at: number
  /** The head that he saw. */
  readonly sha?: string
}

/** It has no id; its thread, author and moment make one, so that one given anew is another. */
export function verdictOf({ by, verdict, at, sha }: Verdict, { on, number, url }: Thread): ForgeComment {
  const author = accountOf(by)
  const second = Math.floor(at / 1000) * 1000
  return {
    id: `review-${verdict}-${number}-${author.id}-${at}`,
    sort: 'review',
    on,
    number,
    author,
    body: '',
    url,
    createdAt: second,
    updatedAt: second,
    verdict,
    ...(sha === undefined ? {} : { sha }),
  }
}

/** The forge is still at it, and will know. */
const undecided = new Set(['unchecked', 'checking', 'preparing', 'approvals_syncing', 'cannot_be_merged_recheck'])
/** Of these somebody has to change the branch. All others wait for people or checks, and merge as they are. */
const unmergeable = new Set(['conflict', 'need_rebase', 'broken_status', 'commits_status', 'cannot_be_merged'])

export function isUndecided({ merge_status, detailed_merge_status }: MergeRequest): boolean {
  return [detailed_merge_status, merge_status].some((one) => typeof one === 'string' && undecided.has(one))
}

/** `detailed_merge_status` names the first obstacle alone: a conflict may stand behind a missing approval. */
export function mergeableOf(found: MergeRequest): boolean | null {
  const { has_conflicts, merge_status, detailed_merge_status, state } = found
  const statuses = [detailed_merge_status, merge_status].filter((one) => typeof one === 'string')
  if (state !== 'opened' || statuses.length === 0 || isUndecided(found)) return null
  return has_conflicts !== true && !statuses.some((one) => unmergeable.has(one))
}

interface MergeRequestRef {
  /** Absent when the repository of the head is gone. */
  readonly headRepository?: string | undefined
  readonly mergeable: boolean | null
}

export function mergeRequestOf(found: MergeRequest, { headRepository, mergeable }: MergeRequestRef): ForgeMergeRequest {
  const merged = found.state === 'merged'
  const mergeCommit = mergeCommitOf(found)
  return {
    number: found.iid,
    title: found.title,
    body: found.description ?? '',
    state: merged ? 'merged' : found.state === 'closed' ? 'closed' : 'open',
    author: accountOf(found.author),
    url: found.web_url,
    draft: found.draft ?? false,
    headSha: found.sha ?? '',
    headBranch: found.source_branch,
    ...(headRepository === undefined ? {} : { headRepository }),
    baseBranch: found.target_branch,
    labels: found.labels,
    mergeable,
    ...(merged && mergeCommit !== undefined ? { mergeCommit } : {}),
    ...(merged && found.merged_at ? { mergedAt: timeOf(found.merged_at) } : {}),
    createdAt: timeOf(found.created_at),
    updatedAt: timeOf(found.updated_at),
  }
}

/** What the base branch became: a fast-forward without a squash makes no commit of its own. */
export function mergeCommitOf({ merge_commit_sha, squash_commit_sha, sha }: MergeRequest): string | undefined {
  return merge_commit_sha ?? squash_commit_sha ?? sha ?? undefined
}

export function commitOf(commit: ListedCommit): ForgeCommit {
  return {
    sha: commit.id,
    message: commit.message ?? commit.title ?? '',
    author: commit.author_name ?? '',
    at: timeOf(commit.committed_date ?? commit.created_at ?? ''),
    url: commit.web_url ?? '',
  }
}

export function repositoryOf(project: Project): ForgeRepository {
  return {
    path: project.path_with_namespace,
    id: String(project.id),
    // An empty repository has none yet.
    defaultBranch: project.default_branch ?? '',
    private: project.visibility !== 'public',
    mergeMethods: mergeMethodsOf(project),
  }
}

/** How it merges is the project's setting, and whether it squashes is the merge request's within that of the project. */
function mergeMethodsOf({ merge_method, squash_option }: Project): readonly MergeMethod[] {
  const whole: MergeMethod = merge_method === 'ff' ? 'rebase' : 'merge'
  if (squash_option === 'always') return ['squash']
  return squash_option === 'never' ? [whole] : [whole, 'squash']
}

export function fileOf(file: FileDiff): ChangedFile {
  const patch = file.diff ?? ''
  const lines = patch.split('\n')
  return {
    path: file.new_path,
    ...(file.renamed_file === true ? { previousPath: file.old_path } : {}),
    status: statusOf(file),
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    // GitLab leaves out what is binary, too large or too much.
    ...(patch === '' ? {} : { patch }),
  }
}

function statusOf({ new_file, renamed_file, deleted_file }: FileDiff): ChangedFile['status'] {
  if (new_file === true) return 'added'
  if (deleted_file === true) return 'removed'
  return renamed_file === true ? 'renamed' : 'modified'
}
