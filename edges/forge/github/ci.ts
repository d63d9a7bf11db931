/**
 * GitHub's checks of a head (CI-RULE-1, TOOL-CI-9). Its check suites say how it stands: between two jobs every run is done, and
 * the suite is not. A suite that a newer one cancelled counts no more. Commit statuses are in no suite and count beside them.
 */
import type { CiState } from '../../../machines/merge-request/events.ts'
import { isUnfinished, worstOf } from '../ci.ts'
import type { CiCheck, CiReport } from '../port.ts'
import type { CheckRun, CheckSuite, CombinedStatus, CommitStatus } from './schema.ts'

const conclusions: Readonly<Record<string, CiState>> = {
  success: 'success',
  neutral: 'success',
  skipped: 'success',
  failure: 'failure',
  timed_out: 'failure',
  startup_failure: 'failure',
  stale: 'failure',
  cancelled: 'cancelled',
  action_required: 'pending',
}

const statuses: Readonly<Record<string, CiState>> = {
  success: 'success',
  failure: 'failure',
  error: 'failure',
  pending: 'pending',
}

export function ciReportOf(
  sha: string,
  suites: readonly CheckSuite[],
  runs: readonly CheckRun[],
  combined: readonly CommitStatus[],
): CiReport {
  const external = combined.map(checkOfStatus)
  const counted = suites.filter((suite) => isUsed(suite) && !isSuperseded(suite, runs))
  const states = [...counted.map(stateOf), ...external.map(({ status }) => status)]
  const checks = [...runs.filter((run) => !isCancelledByNewer(run, runs)).map(checkOfRun), ...external]
  return { sha, status: worstOf(states), unfinished: isUnfinished(states), checks }
}

/**
 * A concurrency group cancels what an older suite of the head still does, and GitHub keeps both. Nothing but a cancelled run is
 * left out: two workflows may have jobs of one name, and of these a red one counts.
 */
function isCancelledByNewer(run: CheckRun, runs: readonly CheckRun[]): boolean {
  const { id, name, app, check_suite: suite } = run
  const isNewer = (other: CheckRun): boolean => other.id > id && other.name === name && other.app?.slug === app?.slug
  const isOfSuite = (other: CheckRun): boolean => suite !== undefined && other.check_suite?.id === suite?.id
  return isCancelled(run) && runs.some((other) => isNewer(other) && !isOfSuite(other))
}

/** All of its runs are listed, and newer ones took the place of each that is not green. */
function isSuperseded(suite: CheckSuite, runs: readonly CheckRun[]): boolean {
  if (!isCancelled(suite)) return false
  const own = runs.filter(({ check_suite: of }) => (of?.id ?? suite.id) === suite.id)
  const left = own.filter((run) => stateOf(run) !== 'success')
  const isWhole = own.length >= (suite.latest_check_runs_count ?? 1)
  return isWhole && left.length > 0 && left.every((run) => isCancelledByNewer(run, runs))
}

export function isCancelled({ status, conclusion }: Pick<CheckSuite, 'status' | 'conclusion'>): boolean {
  return status === 'completed' && conclusion === 'cancelled'
}

/** GitHub opens a suite for each app that might check the head. One in which nothing ever begins stays queued for good. */
function isUsed({ status, latest_check_runs_count: runs = 1 }: CheckSuite): boolean {
  return status !== 'queued' || runs > 0
}

/** A value that GitHub invents later is pending: it never lets a merge through and never turns a Task away. */
function stateOf({ status, conclusion }: Pick<CheckSuite, 'status' | 'conclusion'>): CiState {
  if (status === 'completed') return conclusions[conclusion ?? ''] ?? 'pending'
  return status === 'in_progress' ? 'running' : 'pending'
}

/** A check run of GitHub's own CI has the id of its job. */
const actionsApp = 'github-actions'

function checkOfRun(run: CheckRun): CiCheck {
  const done = run.status === 'completed'
  const url = run.details_url ?? run.html_url
  const log = [run.output?.title, run.output?.summary, run.output?.text].filter(Boolean).join('\n\n')
  return {
    name: run.name,
    status: stateOf(run),
    ...(done && run.conclusion ? { conclusion: run.conclusion } : {}),
    ...(url ? { url } : {}),
    ...(log ? { log } : {}),
    ...(done && run.app?.slug === actionsApp ? { job: String(run.id) } : {}),
  }
}

/** Pages move while they are read. What GitHub counts and none of them has, counts as all of its statuses together. */
export function statusesOf(pages: readonly CombinedStatus[]): readonly CommitStatus[] {
  const read = [...new Map(pages.flatMap(({ statuses: some }) => some).map((each) => [each.context, each])).values()]
  const { state, total_count: total } = pages.at(-1) ?? { state: 'pending', total_count: 0 }
  return total > read.length ? [...read, { context: `${total - read.length} unlisted statuses`, state }] : read
}

function checkOfStatus(status: CommitStatus): CiCheck {
  return {
    name: status.context,
    status: statuses[status.state] ?? 'pending',
    conclusion: status.state,
    ...(status.target_url ? { url: status.target_url } : {}),
    external: true,
  }
}
