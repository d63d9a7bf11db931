/**
 * Reads the forge back: what changed since the last time, and deliveries that failed or never arrived (facts: forges
 * don't retry, half of them can be lost behind a tunnel). A repository that fails doesn't stop the others.
 */
import { ForbiddenError, NotFoundError } from '../errors.ts'
import { seenDeliveries } from '../webhooks/store.ts'
import { readChecks, readSubject, readThread } from './read-forge.ts'
import { openScope, requireProject, type Scope } from './scope.ts'
import { advanceCursor, loadCursor } from './store/cursors.ts'
import { listIssues, listMergeRequests } from './store/subjects.ts'
import type { Subject, Subjects } from './subject.ts'
import { takeInIssue } from './take-in.ts'
import type { ForgeComment } from '../port.ts'
import { projectId } from '../projects.ts'

/** Clocks differ and lists lag: what was seen twice changes nothing. */
const OVERLAP_MS = 5 * 60_000
/** GitHub keeps deliveries for three days. */
const DELIVERIES_KEPT_MS = 3 * 24 * 3_600_000
/** A delivery of this very moment is still under way. */
const UNDER_WAY_MS = 60_000
const MOST_REDELIVERIES = 200

export async function resyncProject(subjects: Subjects, id: string, hookUrl: string | undefined): Promise<void> {
  const project = await requireProject(subjects.options, id)
  const failures: unknown[] = []
  for (const { name } of project.repositories) {
    await resyncRepository(subjects, await openScope(subjects.options, project.name, name), hookUrl).catch(
      (error: unknown) => failures.push(error),
    )
  }
  if (failures.length > 0) throw failures[0]
}

async function resyncRepository(subjects: Subjects, scope: Scope, hookUrl: string | undefined): Promise<void> {
  const { sql, clock } = subjects.options
  const startedAt = clock.now()
  const cursor = await loadCursor(sql, scope.project.name, scope.repository.name)
  const since = cursor === undefined || cursor.since === 0 ? undefined : Math.max(cursor.since - OVERLAP_MS, 0)
  await readIssues(subjects, scope, since)
  await readMergeRequests(subjects, scope, since)
  if (since !== undefined) await readThreads(subjects, scope, await scope.forge.listCommentsSince(scope.path, since))
  await retell(subjects, scope)
  if (hookUrl !== undefined) await fetchMissed(subjects, scope, hookUrl, startedAt).catch(withoutRight)
  await advanceCursor(sql, scope.project.name, scope.repository.name, startedAt)
}

/** The first time only what is open: closed history is nobody's work. */
async function readIssues(subjects: Subjects, scope: Scope, since: number | undefined): Promise<void> {
  const listed = await scope.forge.listIssues(scope.path, since === undefined ? { state: 'open' } : { since })
  for (const issue of listed) {
    await subjects.withSubject(scope, 'issue', issue.number, (subject) =>
      subject.take([issue.author], (tx, context) => takeInIssue(tx, context, issue, 'read')),
    )
  }
}

async function readMergeRequests(subjects: Subjects, scope: Scope, since: number | undefined): Promise<void> {
  const listed = await scope.forge.listMergeRequests(scope.path, since === undefined ? { state: 'open' } : { since })
  // Lists don't say whether it can be merged.
  for (const { number } of listed) await subjects.withSubject(scope, 'mr', number, readSubject)
}

async function readThreads(subjects: Subjects, scope: Scope, changed: readonly ForgeComment[]): Promise<void> {
  const threads = Map.groupBy(changed, (comment) => `${comment.on}/${comment.number}`)
  for (const [{ on, number }] of [...threads.values()] as [ForgeComment][]) {
    await subjects.withSubject(scope, on, number, async (subject) => {
      if ((await subject.load())?.complete === true) await readThread(subject)
    })
  }
}

/**
 * Everything open is told again where its facts differ: settings may have changed, a telling may have failed.
 * Threads of open ones are read whole, because reviews and what was deleted appear in no list of changes; merge requests get
 * their checks read too.
 */
async function retell(subjects: Subjects, scope: Scope): Promise<void> {
  const filter = { repository: scope.repository.name }
  const { sql } = subjects.options
  const issues = (await listIssues(sql, scope.project.name, filter)).filter(
    (row) => row.revision > 0 || row.issue.state === 'open',
  )
  for (const { number, revision, issue } of issues)
    await subjects.withSubject(scope, 'issue', number, async (subject) => {
      if (revision > 0 && issue.state === 'open') await readThread(subject)
      await subject.tell()
    })
  const open = await listMergeRequests(sql, scope.project.name, filter)
  for (const row of open.filter((one) => one.mergeRequest.state === 'open' || one.revision > 0)) {
    await subjects.withSubject(scope, 'mr', row.number, (subject) =>
      rereadMergeRequest(subject, row.revision > 0 && row.mergeRequest.state === 'open'),
    )
  }
}

async function rereadMergeRequest(subject: Subject, open: boolean): Promise<void> {
  if (open) {
    await readThread(subject)
    await readChecks(subject, true)
  }
  await subject.tell()
}

/** Hooks need more rights than all the rest: a bot without them reads changes back all the same. */
function withoutRight(error: unknown): void {
  if (!(error instanceof ForbiddenError || error instanceof NotFoundError)) throw error
}

async function fetchMissed(subjects: Subjects, scope: Scope, hookUrl: string, now: number): Promise<void> {
  const secret = await subjects.options.directory.secret(projectId(scope.project))
  if (!secret?.webhookSecret) return
  const hook = await scope.forge.ensureHook(scope.path, { url: hookUrl, secret: secret.webhookSecret })
  const attempts = await scope.forge.listDeliveries(scope.path, hook.id, now - DELIVERIES_KEPT_MS)
  const seen = await seenDeliveries(
    subjects.options.sql,
    scope.project.name,
    attempts.map((attempt) => attempt.delivery),
  )
  const newest = new Map(attempts.toReversed().map((attempt) => [attempt.delivery, attempt]))
  const missed = [...newest.values()].filter(
    (one) => !seen.has(one.delivery) && one.event !== 'ping' && one.at < now - UNDER_WAY_MS,
  )
  for (const attempt of missed.slice(0, MOST_REDELIVERIES)) await scope.forge.redeliver(scope.path, hook.id, attempt.id)
}
