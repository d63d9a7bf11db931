/** Whether the forge, as it is now, lets exactly this head be merged; everything that the merge call itself can't know. */
import { isRequired, isUnfinished, unfinished } from '../ci.ts'
import type { CiReport, ForgeMergeRequest, RequiredChecks } from '../port.ts'
import type { MirroredMergeRequest } from '../mirror/facts/records.ts'
import type { OutboundDeps, Target } from './deps.ts'

/** The events of the Task that answer a merge (MERGE-5). */
export type Obstacle = {
  readonly type: 'mr.conflict' | 'mr.ciRed' | 'mr.ciPending' | 'mr.notMergeableYet' | 'mr.mergeRefused'
  readonly reason: string
  /** Why the platform refuses, and not the forge. */
  readonly cause?: 'withheld' | 'changes' | 'protected-paths'
  /** With `changes`: the review. */
  readonly review?: string
  /** With `mr.ciRed` the red checks, with `mr.ciPending` the open ones, where the forge requires none of them (MERGE-15). */
  readonly optional?: readonly string[]
  /** The same, where nobody could read whether the forge requires them (MERGE-15). */
  readonly unclear?: readonly string[]
}

/** MERGE-4: a head without checks is one whose checks are still to come, unless the repository has none. */
const LOOKED_AT_HEADS = 20
const CHECKS_MAY_TAKE_MS = 5 * 60_000

/** `despite`: red and open checks that a maintainer leaves aside on this head (MERGE-15). */
export async function obstacleOf(
  deps: OutboundDeps,
  target: Target,
  found: ForgeMergeRequest,
  despite: readonly string[] = [],
): Promise<Obstacle | undefined> {
  if (found.draft) return { type: 'mr.mergeRefused', reason: 'it is a draft: mark it as ready for review' }
  if (found.mergeable === false) return { type: 'mr.conflict', reason: `it conflicts with ${found.baseBranch}` }
  const ci = await ciObstacle(deps, target, found, despite)
  if (ci !== undefined) return ci
  return found.mergeable === null
    ? { type: 'mr.notMergeableYet', reason: 'the forge does not know yet whether it can merge' }
    : undefined
}

async function ciObstacle(
  deps: OutboundDeps,
  target: Target,
  found: ForgeMergeRequest,
  despite: readonly string[],
): Promise<Obstacle | undefined> {
  const report = await target.forge.ci(target.path, found.headSha)
  const required = await target.forge.requiredChecks(target.path, found.baseBranch)
  const missing = required.names.filter((name) => !report.checks.some((check) => check.name === name))
  const status = report.status
  const isAside = (names: readonly string[]): boolean => isLeftAside(names, required, despite)
  if (isRed(status) && !isAside(redNames(report))) return redOf(report, required)
  if (isUnfinished([status]) || (isRed(status) && report.unfinished)) {
    const open = checksIn(report, unfinished)
    if (open.length === 0 || !isAside(open)) return pendingOf(report, required, missing)
    if (!isAside(checksIn(report, red))) return redOf(report, required)
  }
  if (missing.length > 0) return { type: 'mr.ciPending', reason: `not reported yet: ${missing.join(', ')}` }
  if (status === 'none' && (required.all === true || (await checksMayCome(deps, target, found))))
    return { type: 'mr.ciPending', reason: 'no check has been reported for this head yet' }
  return undefined
}

const red: readonly CiReport['status'][] = ['failure', 'cancelled']

function isRed(status: CiReport['status']): boolean {
  return red.includes(status)
}

function checksIn({ checks }: CiReport, states: readonly CiReport['status'][]): readonly string[] {
  return [...new Set(checks.filter(({ status }) => states.includes(status)).map(({ name }) => name))]
}

/** Names by which laps of work are counted; the whole has one too, where the forge calls no single check red. */
function redNames(report: CiReport): readonly string[] {
  const names = checksIn(report, red)
  return names.length > 0 ? names : ['the checks of this head']
}

function redOf(report: CiReport, required: RequiredChecks): Obstacle {
  return { type: 'mr.ciRed', ...withLoose(namesOf(report, red), redNames(report), required) }
}

/** Between two jobs nothing has a name, and what is required and missing is awaited in any case. */
function pendingOf(report: CiReport, required: RequiredChecks, missing: readonly string[]): Obstacle {
  const reason = namesOf(report, unfinished)
  const open = checksIn(report, unfinished)
  return {
    type: 'mr.ciPending',
    ...(open.length === 0 || missing.length > 0 ? { reason } : withLoose(reason, open, required)),
  }
}

/** `checks`, where none of them is known to be required. */
function withLoose(reason: string, checks: readonly string[], required: RequiredChecks): Omit<Obstacle, 'type'> {
  if (checks.some((name) => isRequired(required, name) === true)) return { reason }
  if (required.unread === undefined) return { reason, optional: checks }
  return { reason: `${reason}; whether the forge requires it is unknown: ${required.unread}`, unclear: checks }
}

/** Required by now is required, whatever was said before. Where it is unknown, the forge itself has the last word. */
function isLeftAside(names: readonly string[], required: RequiredChecks, despite: readonly string[]): boolean {
  return names.every((name) => despite.includes(name) && isRequired(required, name) !== true)
}

/** Between two jobs nothing has that state but the whole. */
function namesOf({ status, checks }: CiReport, states: readonly string[]): string {
  const named = checks.filter((check) => states.includes(check.status))
  const whole = states.includes(status) ? status : 'running'
  return named.map((check) => `${check.name}: ${check.status}`).join(', ') || `the checks of this head are ${whole}`
}

async function checksMayCome(deps: OutboundDeps, target: Target, found: ForgeMergeRequest): Promise<boolean> {
  const row = await deps.mirror.mergeRequest(target.project.name, target.repository.name, found.number)
  return !waitedLongEnough(deps, row, found.headSha) && (await runsChecks(deps, target, found))
}

function waitedLongEnough(deps: OutboundDeps, row: MirroredMergeRequest | undefined, sha: string): boolean {
  return (
    row !== undefined &&
    row.mergeRequest.headSha === sha &&
    deps.clock.now() - row.notes.headSince >= CHECKS_MAY_TAKE_MS
  )
}

async function runsChecks(
  deps: OutboundDeps,
  { forge, path, project, repository }: Target,
  found: ForgeMergeRequest,
): Promise<boolean> {
  if (await deps.hasChecks(project.name, repository.name)) return true
  for (const sha of await forge.recentHeads(path, found.baseBranch, LOOKED_AT_HEADS)) {
    if ((await forge.ci(path, sha)).status !== 'none') return true
  }
  return false
}
