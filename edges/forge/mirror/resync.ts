/**
 * Reads the forge back: what changed since the last time, and deliveries that failed or never arrived (facts: forges
 * don't retry, half of them can be lost behind a tunnel). A repository that fails doesn't stop the others.
 */
import { TerminalError } from '../../../runtime/errors.ts'
import { ForbiddenError, NotFoundError } from '../errors.ts'
import { bareName } from '../projects.ts'
import { seenDeliveries } from '../webhooks/store.ts'
import type { Desk, Scope } from './desk.ts'
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

export async function resyncProject(desk: Desk, id: string, hookUrl: string | undefined): Promise<void> {
  const project = await desk.options.directory.project(bareName(id))
  if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${bareName(id)}`)
  const failures: unknown[] = []
  for (const { name } of project.repositories) {
    await resyncRepository(desk, await desk.scope(project.name, name), hookUrl).catch((error: unknown) =>
      failures.push(error),
    )
  }
  if (failures.length > 0) throw failures[0]
}

async function resyncRepository(desk: Desk, scope: Scope, hookUrl: string | undefined): Promise<void> {
  const { sql, clock } = desk.options
  const startedAt = clock.now()
  const cursor = await loadCursor(sql, scope.project.name, scope.repository.name)
  const since = cursor === undefined || cursor.since === 0 ? undefined : Math.max(cursor.since - OVERLAP_MS, 0)
  await readIssues(desk, scope, since)
  await readMergeRequests(desk, scope, since)
  if (since !== undefined) await readThreads(desk, scope, await scope.forge.listCommentsSince(scope.path, since))
  await retell(desk, scope)
  if (hookUrl !== undefined) await fetchMissed(desk, scope, hookUrl, startedAt).catch(withoutRight)
  await advanceCursor(sql, scope.project.name, scope.repository.name, startedAt)
}

/** The first time only what is open: closed history is nobody's work. */
async function readIssues(desk: Desk, scope: Scope, since: number | undefined): Promise<void> {
  const listed = await scope.forge.listIssues(scope.path, since === undefined ? { state: 'open' } : { since })
  for (const issue of listed) {
    await desk.alone(scope, 'issue', issue.number, async () =>
      desk.options.sql.tx(async (tx) => takeInIssue(tx, await desk.context(tx, scope, [issue.author]), issue, 'read')),
    )
  }
}

async function readMergeRequests(desk: Desk, scope: Scope, since: number | undefined): Promise<void> {
  const listed = await scope.forge.listMergeRequests(scope.path, since === undefined ? { state: 'open' } : { since })
  for (const { number } of listed) await readMergeRequest(desk, scope, number)
}

/** Lists don't say whether it can be merged. */
async function readMergeRequest(desk: Desk, scope: Scope, number: number): Promise<void> {
  await desk.alone(scope, 'mr', number, async () => {
    const found = await scope.forge.mergeRequest(scope.path, number)
    await desk.options.sql.tx(async (tx) =>
      takeInMergeRequest(tx, await desk.context(tx, scope, [found.author]), found, 'read'),
    )
  })
}

async function readThreads(desk: Desk, scope: Scope, changed: readonly ForgeComment[]): Promise<void> {
  const threads = Map.groupBy(changed, (comment) => `${comment.on}/${comment.number}`)
  for (const [{ on, number }] of [...threads.values()] as [ForgeComment][]) {
    await desk.alone(scope, on, number, async (key) => {
      if ((await loadSubject(desk.options.sql, key))?.complete === true) await desk.readThread(scope, key)
    })
  }
}

/**
 * Everything open is told again where its facts differ: settings may have changed, a telling may have failed.
 * Threads of open ones are read whole, because reviews and what was deleted appear in no list of changes; merge requests get
 * their checks read too.
 */
async function retell(desk: Desk, scope: Scope): Promise<void> {
  const filter = { repository: scope.repository.name }
  const { sql } = desk.options
  const issues = (await listIssues(sql, scope.project.name, filter)).filter(
    (row) => row.revision > 0 || row.issue.state === 'open',
  )
  for (const { number, revision, issue } of issues)
    await desk.alone(scope, 'issue', number, async (key) => {
      if (revision > 0 && issue.state === 'open') await desk.readThread(scope, key)
      await desk.tell(scope, key)
    })
  const open = await listMergeRequests(sql, scope.project.name, filter)
  for (const row of open.filter((one) => one.mergeRequest.state === 'open' || one.revision > 0)) {
    await desk.alone(scope, 'mr', row.number, (key) =>
      rereadMergeRequest(desk, scope, key, row.revision > 0 && row.mergeRequest.state === 'open'),
    )
  }
}

async function rereadMergeRequest(desk: Desk, scope: Scope, key: SubjectKey, open: boolean): Promise<void> {
  if (open) {
    await desk.readThread(scope, key)
    await desk.readCi(scope, key, true)
  }
  await desk.tell(scope, key)
}

/** Hooks need more rights than all the rest: a bot without them reads changes back all the same. */
function withoutRight(error: unknown): void {
  if (!(error instanceof ForbiddenError || error instanceof NotFoundError)) throw error
}

async function fetchMissed(desk: Desk, scope: Scope, hookUrl: string, now: number): Promise<void> {
  const secret = await desk.options.directory.secret(scope.project.name)
  if (!secret?.webhookSecret) return
  const hook = await scope.forge.ensureHook(scope.path, { url: hookUrl, secret: secret.webhookSecret })
  const attempts = await scope.forge.listDeliveries(scope.path, hook.id, now - DELIVERIES_KEPT_MS)
  const seen = await seenDeliveries(
    desk.options.sql,
    scope.project.name,
    attempts.map((attempt) => attempt.delivery),
  )
  const newest = new Map(attempts.toReversed().map((attempt) => [attempt.delivery, attempt]))
  const missed = [...newest.values()].filter(
    (one) => !seen.has(one.delivery) && one.event !== 'ping' && one.at < now - UNDER_WAY_MS,
  )
  for (const attempt of missed.slice(0, MOST_REDELIVERIES)) await scope.forge.redeliver(scope.path, hook.id, attempt.id)
}
