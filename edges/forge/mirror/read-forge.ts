/** What the mirror reads from the forge about one subject, into its rows. Whoever calls it has the subject's lock. */
import { commandsIn } from '../../../machines/rules/commands.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { ForgeAccount, ForgeComment, ForgeIssue, ForgeMergeRequest } from '../port.ts'
import { isOwnText, isUnproven, LISTED_WITHIN_MS, tellingOf } from './facts/hands.ts'
import type { MirrorOptions } from './options.ts'
import type { People } from './facts/people.ts'
import type { MergeRequestNotes, MirroredComment, MirroredSubject, SubjectKey } from './facts/records.ts'
import type { Scope } from './scope.ts'
import { loadThread, markDeleted, markMissed } from './store/comments.ts'
import { markHasChecks } from './store/cursors.ts'
import { loadSubject, markComplete, upsertSubject } from './store/subjects.ts'
import { takeInComment, takeInIssue, takeInMergeRequest, type TakeInContext, type Taken } from './take-in.ts'
import { isOurs } from './facts/notifications.ts'
import { letsGo } from './facts/words.ts'

/** A subject whose lock the caller has, and what is known of it (subject.ts). */
interface Subject {
  readonly options: Pick<MirrorOptions, 'sql' | 'clock'>
  readonly scope: Scope
  readonly key: SubjectKey
  row(): Promise<MirroredSubject | undefined>
  take(accounts: readonly ForgeAccount[], change: Change<Taken<MirroredSubject>>): Promise<unknown>
  takeWords(accounts: readonly ForgeAccount[], change: Change<unknown>): Promise<void>
  people(): Promise<People>
  wrote(row: MirroredSubject): void
  notify(): Promise<void>
}

type Change<Result> = (tx: Queryable, context: TakeInContext) => Promise<Result>

/** `unlisted`: what maintainers grant by, and this reading misses. Newer than the list, deleted, or left out: only a later reading tells. */
export interface ThreadReading {
  readonly unlisted: readonly MirroredComment[]
}

/** The subject alone, without its thread. */
export async function readSubject(subject: Subject): Promise<void> {
  const { scope, key } = subject
  if (key.kind === 'issue') await takeIssue(subject, await scope.forge.issue(scope.path, key.number))
  else await takeMergeRequest(subject, await scope.forge.mergeRequest(scope.path, key.number))
}

export async function takeIssue(subject: Subject, issue: ForgeIssue): Promise<void> {
  await subject.take([issue.author], (tx, context) => takeInIssue(tx, context, issue, 'read'))
}

export async function takeMergeRequest(subject: Subject, found: ForgeMergeRequest): Promise<void> {
  await subject.take([found.author], (tx, context) => takeInMergeRequest(tx, context, found, 'read'))
}

/**
 * Comments not seen before are news to an actor. A first reading is the thread that its actor begins with, and no news,
 * unless the platform opened the merge request: what stands there was written while an actor waited for it.
 */
export async function readThread(subject: Subject): Promise<ThreadReading> {
  const { scope, key } = subject
  const row = await subject.row()
  if (row === undefined) return { unlisted: [] }
  const startedAt = subject.options.clock.now()
  const plain = await scope.forge.listComments(scope.path, key.kind, key.number)
  const reviews = key.kind === 'mr' ? await scope.forge.listReviews(scope.path, key.number) : []
  const listed = [...plain, ...reviews]
  const authors = listed.map((one) => one.author)
  let unlisted: readonly MirroredComment[] = []
  await subject.takeWords(authors, async (tx, context) => {
    unlisted = await takeInThread(tx, subject, context, { listed, row, startedAt })
  })
  await takeHands(subject, listed)
  subject.wrote({ ...row, complete: true })
  return { unlisted }
}

/** Of words that would grant and were only read the forge may know the hand. What it does not know, the author is asked for. */
async function takeHands(subject: Subject, listed: readonly ForgeComment[]): Promise<void> {
  const { options, scope, key } = subject
  const people = await subject.people()
  const rows = (await loadThread(options.sql, key)).filter((row) => people.isGatedHuman(row.comment.author))
  const unproven = new Set(rows.filter(isUnproven).map(({ comment }) => comment.id))
  const asked = listed.filter(({ id }) => unproven.has(id))
  if (asked.length === 0) return
  const edits = await scope.forge.editsOf(asked)
  await subject.takeWords([], async (tx, context) => {
    for (const comment of asked) {
      const known = edits.find(({ id }) => id === comment.id)
      const telling = known && tellingOf(comment, known)
      if (telling !== undefined) await takeInComment(tx, context, ...telling)
    }
  })
}

function isNews(row: MirroredSubject, people: People): boolean {
  return (row.complete && row.revision > 0) || isOurs(row, people)
}

/** By the forge's clock; `isOld` comments may be years old and be delivered again all the same. */
export function isOld({ createdAt }: ForgeComment, row: MirroredSubject, people: People): boolean {
  return !isOurs(row, people) && createdAt < row.seenAt - LISTED_WITHIN_MS
}

async function takeInThread(
  tx: Queryable,
  { key, options: { clock } }: Subject,
  context: TakeInContext,
  { listed, row, startedAt }: Listing,
): Promise<readonly MirroredComment[]> {
  const news = isNews(row, context.people)
  for (const comment of listed.filter((one) => one.verdict !== 'pending')) {
    await takeInComment(tx, context, comment, { action: 'read', news })
  }
  const there = new Set(listed.map((comment) => comment.id))
  const gone = (await loadThread(tx, key)).filter((one) => one.deletedAt === undefined && !there.has(one.comment.id))
  // What came by webhook while the list was read is not in it and not gone.
  const newest = Math.max(0, ...listed.map((comment) => comment.createdAt))
  const now = clock.now()
  const listedBy = Math.max(newest, now - LISTED_WITHIN_MS)
  const granting = new Set(gone.filter((one) => grants(one, context.people)))
  const isDeleted = (one: MirroredComment): boolean => {
    if (granting.has(one)) return startedAt - (one.missingSince ?? Infinity) >= LISTED_WITHIN_MS
    return one.comment.createdAt < listedBy || (listed.length === 0 && row.complete)
  }
  const doubted = [...granting].filter((one) => !isDeleted(one))
  await markDeleted(tx, key, gone.filter(isDeleted).map(idOf), now)
  await markMissed(tx, key, doubted.map(idOf), now)
  await markComplete(tx, key)
  return doubted
}

interface Listing {
  readonly listed: readonly ForgeComment[]
  readonly row: MirroredSubject
  readonly startedAt: number
}

function idOf({ comment }: MirroredComment): string {
  return comment.id
}

/** A word that lets go, or that opens protected paths for as long as it stands. */
function grants(row: MirroredComment, people: People): boolean {
  const opens = isOwnText(row) && commandsIn(row.comment.body).some(({ name }) => name === 'allow-ci-changes')
  return (opens || letsGo(row)) && people.isMaintainer(row.comment.author)
}

/** Everything that the forge has of it, and then its actor. */
export async function readAndReport(subject: Subject): Promise<ThreadReading> {
  await readSubject(subject)
  const reading = await readThread(subject)
  if (subject.key.kind === 'mr') await readChecks(subject, true)
  await subject.notify()
  return reading
}

/** The forge has it no more: its actor takes it for closed, and its thread is read no more. A later reading takes it back. */
export async function markGone(subject: Subject): Promise<void> {
  const { sql } = subject.options
  const row = await subject.row()
  if (row === undefined || row.notes.deleted === true) return
  const gone = { ...row, complete: true, notes: { ...row.notes, deleted: true } } as MirroredSubject
  await sql.tx(async (tx) => {
    await upsertSubject(tx, gone)
    await markComplete(tx, subject.key)
  })
  subject.wrote(gone)
}

/** The checks of the head when they aren't those of this head, or always. */
export async function readChecks(subject: Subject, always: boolean): Promise<void> {
  const { scope, key } = subject
  const { sql } = subject.options
  const row = await subject.row()
  if (row?.kind !== 'mr' || row.mergeRequest.state !== 'open' || row.notes.deleted === true) return
  const { headSha } = row.mergeRequest
  if (!always && row.notes.ciSha === headSha) return
  const { status } = await scope.forge.ci(scope.path, headSha)
  if (status !== 'none') await markHasChecks(sql, key)
  const after = await sql.tx(async (tx) => {
    const now = await loadSubject(tx, { ...key, kind: 'mr' }, true)
    if (now === undefined || now.mergeRequest.headSha !== headSha) return now ?? row
    const notes: MergeRequestNotes = { ...now.notes, ci: status, ciSha: headSha }
    await upsertSubject(tx, { ...now, notes })
    return { ...now, notes }
  })
  subject.wrote(after)
}
