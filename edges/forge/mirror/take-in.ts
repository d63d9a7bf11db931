/**
 * Writes what the forge told into the rows, whatever the order in which it came: an older telling changes nothing but
 * what it says of hands (`hands.ts`), what a delivery deleted stays deleted, and of two tellings of one moment (forges keep whole seconds) neither is believed:
 * `tie` asks the caller to read the forge. What only the event knows (who did it) is kept beside.
 */
import { sameLogin } from '../../../machines/rules/logins.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { IssueChange, MergeRequestChange, ShownText } from '../change.ts'
import { contentHash } from '../hash.ts'
import type { ForgeAccount, ForgeComment, ForgeIssue, ForgeMergeRequest } from '../port.ts'
import type { ProjectSettings } from '../projects.ts'
import type { CommentHint } from './facts/hands.ts'
import type { People } from './facts/people.ts'
import type {
  IssueNotes,
  MergeRequestNotes,
  MirroredIssue,
  MirroredMergeRequest,
  MirroredSubject,
  SubjectKey,
} from './facts/records.ts'
import type { MirrorRules } from './facts/rules.ts'
import { loadComment, upsertComment } from './store/comments.ts'
import type { RepositoryKey } from './store/places.ts'
import { wasPushedByPod } from './store/pushes.ts'
import { loadSubject, upsertSubject } from './store/subjects.ts'
import { handOf, signedEdit, signedLate, textHash, type SignedEdit, type SubjectText } from './facts/subject-text.ts'

/** `read`: straight from the forge; `told`: a payload that may be late. */
type Source = 'read' | 'told'
type TakenIn = 'changed' | 'stale' | 'tie'

/** What a telling made of the row; only what is new leaves `before` undefined. */
export interface Taken<Row extends MirroredSubject> {
  readonly how: TakenIn
  readonly before: Row | undefined
  readonly after: Row
}

export interface TakeInContext {
  readonly project: ProjectSettings
  readonly people: People
  readonly repositoryKey: RepositoryKey
  readonly now: number
  readonly rules: Pick<MirrorRules, 'hands' | 'text'>
}

/** What a delivery told, for what only it knows; the text is perhaps not the one that stands there. */
type IssueHint = Pick<IssueChange, 'action' | 'label' | 'by' | 'before'> & { readonly issue: ShownText }

export async function takeInIssue(
  sql: Queryable,
  context: TakeInContext,
  issue: ForgeIssue,
  source: Source,
  hint?: IssueHint,
): Promise<Taken<MirroredIssue>> {
  const key = { ...context.repositoryKey, kind: 'issue', number: issue.number } as const
  const before = await loadSubject(sql, key, true)
  const how = orderOf(before?.updatedAt, before?.issue, issue, source)
  const edit = hint && issueEdit(hint, context.people)
  if (before !== undefined && how !== 'changed')
    return { how, before, after: how === 'tie' ? before : await takeInLate(sql, before, edit, hint?.by) }
  const after: MirroredIssue = {
    ...fresh(key, context.now, issue.comments === 0),
    ...before,
    kind: 'issue',
    issue: withCloser(issue, before),
    notes: { ...issueNotesOf(context, { row: before, issue, hint, edit }), ...goneBy(source, before, hint) },
    updatedAt: issue.updatedAt,
  }
  await upsertSubject(sql, after)
  return { how, before, after }
}

async function takeInLate(
  sql: Queryable,
  row: MirroredIssue,
  edit: SignedEdit | undefined,
  by: ForgeAccount | undefined,
): Promise<MirroredIssue> {
  const { textBy: _, ...signed } = signedLate(row.notes, edit)
  const notes = { ...signed, ...handOf(row.issue, handIn(row), edit, by) }
  if (contentHash(notes) === contentHash(row.notes)) return row
  const after = { ...row, notes }
  await upsertSubject(sql, after)
  return after
}

function handIn(row: MirroredIssue | MirroredMergeRequest): {
  readonly hash: string
  readonly textBy?: string | undefined
} {
  return { hash: textHash(row.kind === 'issue' ? row.issue : row.mergeRequest), textBy: row.notes.textBy }
}

/** Lists leave out who closed an issue; what a single read said stays true while it is closed. */
function withCloser(issue: ForgeIssue, row: MirroredIssue | undefined): ForgeIssue {
  const closedBy = issue.closedBy ?? row?.issue.closedBy
  return issue.state === 'closed' && closedBy !== undefined ? { ...issue, closedBy } : issue
}

function fresh(
  key: SubjectKey,
  now: number,
  complete: boolean,
): Omit<MirroredIssue, 'issue' | 'notes' | 'updatedAt' | 'kind'> {
  return { ...key, seenAt: now, complete, factsHash: '', revision: 0 }
}

function orderOf(
  knownAt: number | undefined,
  known: unknown,
  given: { readonly updatedAt: number },
  source: Source,
): TakenIn {
  if (knownAt === undefined || given.updatedAt > knownAt) return 'changed'
  if (given.updatedAt < knownAt) return 'stale'
  return source === 'read' || contentHash(known) === contentHash(given) ? 'changed' : 'tie'
}

interface IssueTelling {
  readonly row: MirroredIssue | undefined
  readonly issue: ForgeIssue
  readonly hint: IssueHint | undefined
  readonly edit: SignedEdit | undefined
}

function issueNotesOf(context: TakeInContext, { row, issue, hint, edit }: IssueTelling): IssueNotes {
  const before: IssueNotes = row?.notes ?? { editedByOther: false, unwantedByMaintainer: false }
  const known = row && { hash: textHash(row.issue), at: row.updatedAt, notes: row.notes }
  const triggered = issue.labels.some((label) => sameText(label, context.project.triggerLabel))
  const labelledBy = isTrigger(hint, 'labeled', context) ? hint.by.login : before.labelledBy
  const vouched = isTrigger(hint, 'labeled', context) && context.people.isMaintainer(hint.by) ? hint.issue : undefined
  const vouchedText = vouched === undefined ? before.vouchedText : textHash(vouched)
  const closedBy = hint?.action === 'closed' ? hint.by.login : before.closedBy
  return {
    ...context.rules.text(known, { hash: textHash(issue), at: issue.updatedAt }, edit),
    ...handOf(issue, row && handIn(row), edit, hint?.by),
    unwantedByMaintainer:
      !triggered &&
      (before.unwantedByMaintainer || (isTrigger(hint, 'unlabeled', context) && context.people.isMaintainer(hint.by))),
    ...(triggered && labelledBy !== undefined ? { labelledBy } : {}),
    ...(triggered && vouchedText !== undefined ? { vouchedText } : {}),
    ...(issue.state === 'closed' && closedBy !== undefined ? { closedBy } : {}),
  }
}

/** What is gone comes back by a reading alone: a delivery may be late, or be delivered again. */
function goneBy(
  source: Source,
  row: MirroredIssue | undefined,
  hint: IssueHint | undefined,
): Pick<IssueNotes, 'deleted'> {
  const isGone = hint?.action === 'deleted' || (source === 'told' && row?.notes.deleted === true)
  return isGone ? { deleted: true } : {}
}

function sameText(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

function isTrigger(
  hint: IssueHint | undefined,
  action: 'labeled' | 'unlabeled',
  context: TakeInContext,
): hint is IssueHint {
  return hint?.action === action && hint.label !== undefined && sameText(hint.label, context.project.triggerLabel)
}

/** No effect edits an issue's text: what our own account edits, it edits for an agent. */
function issueEdit(hint: IssueHint, people: People): SignedEdit | undefined {
  const edit = signedEdit(hint, hint.issue, (account) => people.isMaintainer(account) || people.isOwn(account))
  return edit && (people.isOwn(hint.by) ? { ...edit, isAgents: true } : edit)
}

interface MergeRequestTelling {
  readonly row: MirroredMergeRequest | undefined
  readonly found: ForgeMergeRequest
  readonly hint: MergeRequestHint | undefined
  readonly edit: SignedEdit | undefined
}

type MergeRequestHint = Pick<MergeRequestChange, 'action' | 'by' | 'before'> & {
  readonly mergeRequest: ShownText
}

export async function takeInMergeRequest(
  sql: Queryable,
  context: TakeInContext,
  found: ForgeMergeRequest,
  source: Source,
  hint?: MergeRequestHint,
): Promise<Taken<MirroredMergeRequest>> {
  const key = { ...context.repositoryKey, kind: 'mr', number: found.number } as const
  const before = await loadSubject(sql, key, true)
  const how = orderOf(before?.updatedAt, before?.mergeRequest, found, source)
  const edit = hint && signedEdit(hint, hint.mergeRequest, (by) => isAnswered(by, context.people))
  if (before !== undefined && how !== 'changed')
    return { how, before, after: how === 'tie' ? before : await takeInLateHand(sql, before, edit, hint?.by) }
  const after: MirroredMergeRequest = {
    ...fresh(key, context.now, false),
    ...before,
    kind: 'mr',
    mergeRequest: found,
    notes: await mergeRequestNotesOf(sql, context, { row: before, found, hint, edit }),
    updatedAt: found.updatedAt,
  }
  await upsertSubject(sql, after)
  return { how, before, after }
}

async function takeInLateHand(
  sql: Queryable,
  row: MirroredMergeRequest,
  edit: SignedEdit | undefined,
  by: ForgeAccount | undefined,
): Promise<MirroredMergeRequest> {
  const { textBy, ...notes } = row.notes
  const hand = handOf(row.mergeRequest, handIn(row), edit, by)
  if (hand.textBy === textBy) return row
  const after = { ...row, notes: { ...notes, ...hand } }
  await upsertSubject(sql, after)
  return after
}

function isAnswered(account: ForgeAccount, people: People): boolean {
  return people.isGatedHuman(account) || people.isOwn(account)
}

async function mergeRequestNotesOf(
  sql: Queryable,
  context: TakeInContext,
  { row, found, hint, edit }: MergeRequestTelling,
): Promise<MergeRequestNotes> {
  const moved = row === undefined || row.mergeRequest.headSha !== found.headSha
  const {
    textBy: _,
    deleted: __,
    ...before
  }: MergeRequestNotes = moved
    ? { headSince: context.now, headAt: found.updatedAt, pushedBy: '', headByBot: false, ci: 'none' }
    : row.notes
  const byPod = before.headByBot || (await wasPushedByPod(sql, context.repositoryKey, found.headSha))
  const pusher = pusherOf(found, row, hint)
  const pushedBy = before.pushedBy === '' ? pusher : before.pushedBy
  const headByBot = byPod || sameLogin(pushedBy, context.project.scm.botLogin)
  return {
    ...before,
    headByBot,
    pushedBy: headByBot ? context.project.scm.botLogin : pushedBy,
    ...mergeRequestText(row, found, context, edit),
    ...handOf(found, row && handIn(row), edit, hint?.by),
  }
}

function mergeRequestText(
  row: MirroredMergeRequest | undefined,
  found: ForgeMergeRequest,
  { rules }: TakeInContext,
  edit: SignedEdit | undefined,
): Required<Pick<MergeRequestNotes, 'text' | 'trustedText'>> {
  const notes = row?.notes.text ?? { editedByOther: false }
  const known = row && { hash: textHash(row.mergeRequest), at: row.updatedAt, notes }
  const text = rules.text(known, { hash: textHash(found), at: found.updatedAt }, edit)
  return { text, trustedText: text.editedByOther ? trustedTextOf(row) : textOf(found) }
}

function trustedTextOf(row: MirroredMergeRequest | undefined): SubjectText {
  if (row === undefined) return { title: '', body: '' }
  return row.notes.trustedText ?? textOf(row.mergeRequest)
}

function textOf({ title, body }: SubjectText): SubjectText {
  return { title, body }
}

/** Whoever pushed sent the event; a merge request that was never pushed to has its author's head. */
function pusherOf(
  found: ForgeMergeRequest,
  row: MirroredMergeRequest | undefined,
  hint: MergeRequestHint | undefined,
): string {
  if (hint?.action === 'pushed') return hint.by.login
  return hint?.action === 'opened' || row === undefined ? found.author.login : ''
}

/** True when something about the comment is new to us. */
export async function takeInComment(
  sql: Queryable,
  context: TakeInContext,
  comment: ForgeComment,
  hint: CommentHint,
): Promise<boolean> {
  const row = await loadComment(sql, context.repositoryKey, comment.id)
  // Who left the maintainers takes nothing back: his hand is as good as anybody's.
  const { by: _, ...unsigned } = hint
  const hasLeft = row?.byMaintainer === true && !context.people.isMaintainer(comment.author)
  const next = context.rules.hands(row, comment, hasLeft ? unsigned : hint, context.now)
  const now = next && context.people.isMaintainer(comment.author) ? { ...next, byMaintainer: true as const } : next
  if (now === undefined || (row !== undefined && contentHash(now) === contentHash(row))) return false
  await upsertComment(sql, context.repositoryKey, now)
  return true
}
