/**
 * Reads the forge back: what changed since the last time, and deliveries that failed or never arrived (facts: forges
 * don't retry, half of them can be lost behind a tunnel). A repository that fails doesn't stop the others, and no subject its
 * repository.
 */
import { messageOf, TerminalError } from '../../../runtime/errors.ts'
import { RateLimitedError } from '../errors.ts'
import type { ForgeComment, ForgeIssue, ForgeMergeRequest, IssueQuery, MergeRequestQuery } from '../port.ts'
import { projectId, type ProjectSettings } from '../projects.ts'
import { seenDeliveries } from '../webhooks/store.ts'
import { readApart, type Apart } from './apart.ts'
import { readHistory } from './history.ts'
import { readChecks, readSubject, readThread, takeIssue } from './read-forge.ts'
import { openScope, requireProject, type Scope } from './scope.ts'
import { advanceCursor, countFailedResync, forgetFailedResyncs, loadCursor } from './store/cursors.ts'
import { countComments } from './store/comments.ts'
import { listConcerned, markIncomplete } from './store/subjects.ts'
import type { Subject, Subjects } from './subject.ts'

type ThreadName = Pick<ForgeComment, 'on' | 'number'>

/** Lists lag: what was seen twice changes nothing. */
const OVERLAP_MS = 5 * 60_000
/** A repository in which nothing is open says nothing about its clock. */
const CLOCKS_APART_MS = 24 * 3_600_000
/** GitHub keeps deliveries for three days. */
const DELIVERIES_KEPT_MS = 3 * 24 * 3_600_000
/** A delivery of this very moment is still under way. */
const UNDER_WAY_MS = 60_000
/** A third of the time between two resyncs: what is tried again within it is the same one. */
const FAILURES_APART_MS = 10 * 60_000

export async function resyncProject(subjects: Subjects, id: string, hookUrl: string | undefined): Promise<void> {
  const project = await requireProject(subjects.options, id)
  const failures: unknown[] = []
  for (const { name } of project.repositories) failures.push(...(await resyncCounted(subjects, project, name, hookUrl)))
  if (failures.length > 0) throw failures[0]
}

/** A limit is no failure: it says when to come again. */
async function resyncCounted(
  subjects: Subjects,
  project: ProjectSettings,
  repository: string,
  hookUrl: string | undefined,
): Promise<readonly unknown[]> {
  const { sql, clock } = subjects.options
  const { repositoryKey, failures } = await openScope(subjects.options, projectId(project), repository).then(
    async (scope) => ({
      repositoryKey: scope.repositoryKey,
      failures: await resyncRepository(subjects, scope, hookUrl),
    }),
    // Nobody knows which repository it is: it fails by its name.
    (error: unknown) => ({ repositoryKey: { project: project.uid, repository, forgeId: '' }, failures: [error] }),
  )
  if (failures.length === 0) await forgetFailedResyncs(sql, repositoryKey)
  else if (!failures.some((error) => error instanceof RateLimitedError))
    await countFailedResync(sql, repositoryKey, {
      failure: messageOf(failures[0]),
      at: clock.now(),
      apartMs: FAILURES_APART_MS,
    })
  return failures
}

/** What one part could not do keeps no other from being done: a limit alone ends them all. */
async function resyncRepository(
  subjects: Subjects,
  scope: Scope,
  hookUrl: string | undefined,
): Promise<readonly unknown[]> {
  const startedAt = subjects.options.clock.now()
  const apart = readApart(subjects, scope)
  const parts = [
    () => apart.readOwed(),
    () => readBack(subjects, scope, apart, startedAt),
    () => (hookUrl === undefined ? undefined : fetchMissed(subjects, scope, hookUrl, startedAt).catch(withoutHook)),
    () => readHistory(subjects, scope, apart),
  ]
  const failures: unknown[] = []
  for (const part of parts) {
    if (failures.some((error) => error instanceof RateLimitedError)) break
    try {
      await part()
    } catch (error) {
      failures.push(error)
    }
  }
  return failures
}

async function readBack(subjects: Subjects, scope: Scope, apart: Apart, startedAt: number): Promise<void> {
  const { sql, clock } = subjects.options
  const cursor = await loadCursor(sql, scope.repositoryKey)
  const since = cursor === undefined || cursor.since === 0 ? undefined : Math.max(cursor.since - OVERLAP_MS, 0)
  const began = clock.elapsed()
  const listed = await (since === undefined
    ? readOpen(subjects, scope, apart)
    : readChanges(subjects, scope, apart, since))
  await retell(subjects, scope, apart)
  const known = newestIn(listed) ?? (since === undefined ? startedAt - CLOCKS_APART_MS : 0)
  // A clock that measures counts parts of milliseconds, and the store whole ones.
  await advanceCursor(sql, scope.repositoryKey, Math.floor(Math.min(startedAt, known - (clock.elapsed() - began))))
}

interface Dated {
  readonly updatedAt: number
}

/** By the forge's clock, which may be behind ours: what it dates later than this has not been listed. */
function newestIn(listed: readonly Dated[]): number | undefined {
  return listed.length === 0 ? undefined : listed.reduce((newest, { updatedAt }) => Math.max(newest, updatedAt), 0)
}

/** The first time what is open, so that work can begin; the rest is history. */
async function readOpen(subjects: Subjects, scope: Scope, apart: Apart): Promise<readonly Dated[]> {
  const issues = await readIssues(subjects, scope, { state: 'open' })
  return [...issues, ...(await readMergeRequests(scope, apart, { state: 'open' }))]
}

async function readChanges(subjects: Subjects, scope: Scope, apart: Apart, since: number): Promise<readonly Dated[]> {
  const issues = await readIssues(subjects, scope, { since })
  const mergeRequests = await readMergeRequests(scope, apart, { since })
  const comments = await scope.forge.listCommentsSince(scope.path, since)
  const changed = [
    ...(await lackingComments(subjects, scope, issues)),
    // A review is in no list of comments.
    ...mergeRequests.map(({ number }) => ({ on: 'mr', number }) as const),
    ...comments.map(({ on, number }) => ({ on, number })),
  ]
  const threads = new Map(changed.map((thread) => [`${thread.on}/${thread.number}`, thread]))
  for (const { on, number } of threads.values()) await apart.read(on, number, readChanged)
  return [...issues, ...mergeRequests, ...comments]
}

async function readIssues(subjects: Subjects, scope: Scope, query: IssueQuery): Promise<readonly ForgeIssue[]> {
  const listed = await scope.forge.listIssues(scope.path, query)
  for (const issue of listed)
    await subjects.withSubject(scope, 'issue', issue.number, (subject) => takeIssue(subject, issue))
  return listed
}

async function readMergeRequests(
  scope: Scope,
  apart: Apart,
  query: MergeRequestQuery,
): Promise<readonly ForgeMergeRequest[]> {
  const listed = await scope.forge.listMergeRequests(scope.path, query)
  // Lists don't say whether it can be merged.
  for (const { number } of listed) await apart.read('mr', number, readSubject)
  return listed
}

/** No list names a comment that was deleted; the number of those that are left does. */
async function lackingComments(
  { options: { sql } }: Subjects,
  { repositoryKey }: Scope,
  issues: readonly ForgeIssue[],
): Promise<readonly ThreadName[]> {
  const lacking = await Promise.all(
    issues.map(
      async ({ number, comments }) =>
        (await countComments(sql, { ...repositoryKey, kind: 'issue', number })) !== comments,
    ),
  )
  return issues.filter((_, index) => lacking[index]).map(({ number }) => ({ on: 'issue', number }))
}

/** What an actor waits for is read now; the rest has its turn in `readHistory`. */
async function readChanged(subject: Subject): Promise<void> {
  const row = await subject.row()
  if (row === undefined) return
  if (row.revision > 0) await readThread(subject)
  else await markIncomplete(subject.options.sql, subject.key)
}

/**
 * Everything open is told again where its facts differ: settings may have changed, a telling may have failed.
 * Threads of open ones are read whole, because reviews and what was deleted appear in no list of changes; merge requests get
 * their checks read too.
 */
async function retell(subjects: Subjects, scope: Scope, apart: Apart): Promise<void> {
  const { repositoryKey } = scope
  const { sql } = subjects.options
  for (const { number, revision, isOpen } of await listConcerned(sql, { ...repositoryKey, kind: 'issue' }))
    await apart.read('issue', number, async (subject) => {
      if (revision > 0 && isOpen) await readThread(subject)
      await subject.notify()
    })
  for (const { number, revision, isOpen } of await listConcerned(sql, { ...repositoryKey, kind: 'mr' }))
    await apart.read('mr', number, (subject) => rereadMergeRequest(subject, revision > 0 && isOpen))
}

async function rereadMergeRequest(subject: Subject, open: boolean): Promise<void> {
  if (open) {
    await readThread(subject)
    await readChecks(subject, true)
  }
  await subject.notify()
}

/**
 * Hooks need more rights than all the rest, and a forge refuses an address that it cannot reach (422): the bot reads
 * changes back all the same. `checkProject` reports the refusal.
 */
function withoutHook(error: unknown): void {
  if (!(error instanceof TerminalError)) throw error
}

async function fetchMissed(subjects: Subjects, scope: Scope, hookUrl: string, now: number): Promise<void> {
  const secret = await subjects.options.directory.secret(projectId(scope.project))
  if (!secret?.webhookSecret) return
  const hook = await scope.forge.ensureHook(scope.path, { url: hookUrl, secret: secret.webhookSecret })
  const attempts = await scope.forge.listDeliveries(scope.path, hook.id, now - DELIVERIES_KEPT_MS)
  const seen = await seenDeliveries(
    subjects.options.sql,
    scope.project.uid,
    attempts.map((attempt) => attempt.delivery),
  )
  const newest = new Map(attempts.toReversed().map((attempt) => [attempt.delivery, attempt]))
  const missed = [...newest.values()].filter(
    (one) => !seen.has(one.delivery) && one.event !== 'ping' && one.at < now - UNDER_WAY_MS,
  )
  // Those that are left come at the next resync, and this one reads back what they told of.
  for (const attempt of missed.slice(0, scope.forge.resendsAtOnce))
    await scope.forge.redeliver(scope.path, hook.id, attempt.id)
}
