/**
 * Reads the forge back: what changed since the last time, and deliveries that failed or never arrived (facts: forges
 * don't retry, half of them can be lost behind a tunnel). A repository that fails doesn't stop the others.
 */
import { TerminalError } from '../../../runtime/errors.ts'
import { ForbiddenError, NotFoundError } from '../errors.ts'
import { bareName } from '../projects.ts'
import { seenDeliveries } from '../webhooks/store.ts'
import type { SubjectSync, Scope } from './subject-sync.ts'
import { advanceCursor, loadCursor } from './store/cursors.ts'
import { listIssues, listMergeRequests, loadSubject } from './store/subjects.ts'
import { takeInIssue, takeInMergeRequest } from './take-in.ts'
import type { SubjectKey } from './records.ts'
import type { ForgeComment } from '../port.ts'

/** Clocks differ and lists lag: what was seen twice changes nothing. */
const OVERLAP_MS = 5 * 60_000
/** GitHub keeps deliveries for three days. */
const DELIVERIES_KEPT_MS = 3 * 24 * 3_600_000
/** A delivery of this very moment is still under way. */
const UNDER_WAY_MS = 60_000
const MOST_REDELIVERIES = 200

export async function resyncProject(sync: SubjectSync, id: string, hookUrl: string | undefined): Promise<void> {
  const project = await sync.options.directory.project(bareName(id))
  if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${bareName(id)}`)
  const failures: unknown[] = []
  for (const { name } of project.repositories) {
    await resyncRepository(sync, await sync.scope(project.name, name), hookUrl).catch((error: unknown) =>
      failures.push(error),
    )
  }
  if (failures.length > 0) throw failures[0]
}

async function resyncRepository(sync: SubjectSync, scope: Scope, hookUrl: string | undefined): Promise<void> {
  const { sql, clock } = sync.options
  const startedAt = clock.now()
  const cursor = await loadCursor(sql, scope.project.name, scope.repository.name)
  const since = cursor === undefined || cursor.since === 0 ? undefined : Math.max(cursor.since - OVERLAP_MS, 0)
  await readIssues(sync, scope, since)
  await readMergeRequests(sync, scope, since)
  if (since !== undefined) await readThreads(sync, scope, await scope.forge.listCommentsSince(scope.path, since))
  await retell(sync, scope)
  if (hookUrl !== undefined) await fetchMissed(sync, scope, hookUrl, startedAt).catch(withoutRight)
  await advanceCursor(sql, scope.project.name, scope.repository.name, startedAt)
}

/** The first time only what is open: closed history is nobody's work. */
async function readIssues(sync: SubjectSync, scope: Scope, since: number | undefined): Promise<void> {
  const listed = await scope.forge.listIssues(scope.path, since === undefined ? { state: 'open' } : { since })
  for (const issue of listed) {
    await sync.alone(scope, 'issue', issue.number, async () =>
      sync.options.sql.tx(async (tx) => takeInIssue(tx, await sync.context(tx, scope, [issue.author]), issue, 'read')),
    )
  }
}

async function readMergeRequests(sync: SubjectSync, scope: Scope, since: number | undefined): Promise<void> {
  const listed = await scope.forge.listMergeRequests(scope.path, since === undefined ? { state: 'open' } : { since })
  for (const { number } of listed) await readMergeRequest(sync, scope, number)
}

/** Lists don't say whether it can be merged. */
async function readMergeRequest(sync: SubjectSync, scope: Scope, number: number): Promise<void> {
  await sync.alone(scope, 'mr', number, async () => {
    const found = await scope.forge.mergeRequest(scope.path, number)
    await sync.options.sql.tx(async (tx) =>
      takeInMergeRequest(tx, await sync.context(tx, scope, [found.author]), found, 'read'),
    )
  })
}

async function readThreads(sync: SubjectSync, scope: Scope, changed: readonly ForgeComment[]): Promise<void> {
  const threads = Map.groupBy(changed, (comment) => `${comment.on}/${comment.number}`)
  for (const [{ on, number }] of [...threads.values()] as [ForgeComment][]) {
    await sync.alone(scope, on, number, async (key) => {
      if ((await loadSubject(sync.options.sql, key))?.complete === true) await sync.readThread(scope, key)
    })
  }
}

/**
 * Everything open is told again where its facts differ: settings may have changed, a telling may have failed.
 * Threads of open ones are read whole, because reviews and what was deleted appear in no list of changes; merge requests get
 * their checks read too.
 */
async function retell(sync: SubjectSync, scope: Scope): Promise<void> {
  const filter = { repository: scope.repository.name }
  const { sql } = sync.options
  const issues = (await listIssues(sql, scope.project.name, filter)).filter(
    (row) => row.revision > 0 || row.issue.state === 'open',
  )
  for (const { number, revision, issue } of issues)
    await sync.alone(scope, 'issue', number, async (key) => {
      if (revision > 0 && issue.state === 'open') await sync.readThread(scope, key)
      await sync.tell(scope, key)
    })
  const open = await listMergeRequests(sql, scope.project.name, filter)
  for (const row of open.filter((one) => one.mergeRequest.state === 'open' || one.revision > 0)) {
    await sync.alone(scope, 'mr', row.number, (key) =>
      rereadMergeRequest(sync, scope, key, row.revision > 0 && row.mergeRequest.state === 'open'),
    )
  }
}

async function rereadMergeRequest(sync: SubjectSync, scope: Scope, key: SubjectKey, open: boolean): Promise<void> {
  if (open) {
    await sync.readThread(scope, key)
    await sync.readCi(scope, key, true)
  }
  await sync.tell(scope, key)
}

/** Hooks need more rights than all the rest: a bot without them reads changes back all the same. */
function withoutRight(error: unknown): void {
  if (!(error instanceof ForbiddenError || error instanceof NotFoundError)) throw error
}

async function fetchMissed(sync: SubjectSync, scope: Scope, hookUrl: string, now: number): Promise<void> {
  const secret = await sync.options.directory.secret(scope.project.name)
  if (!secret?.webhookSecret) return
  const hook = await scope.forge.ensureHook(scope.path, { url: hookUrl, secret: secret.webhookSecret })
  const attempts = await scope.forge.listDeliveries(scope.path, hook.id, now - DELIVERIES_KEPT_MS)
  const seen = await seenDeliveries(
    sync.options.sql,
    scope.project.name,
    attempts.map((attempt) => attempt.delivery),
  )
  const newest = new Map(attempts.toReversed().map((attempt) => [attempt.delivery, attempt]))
  const missed = [...newest.values()].filter(
    (one) => !seen.has(one.delivery) && one.event !== 'ping' && one.at < now - UNDER_WAY_MS,
  )
  for (const attempt of missed.slice(0, MOST_REDELIVERIES)) await scope.forge.redeliver(scope.path, hook.id, attempt.id)
}
