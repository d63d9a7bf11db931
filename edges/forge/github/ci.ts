/**
 * GitHub's checks of a head (CI-RULE-1, TOOL-CI-9). Of one app and name the newest run counts, as GitHub itself judges a required
 * check. A suite counts while it goes on: between two jobs every run is done, and the suite is not. One that is completed counts by
 * its runs, or by itself where none is listed. Commit statuses are in no suite and count beside them.
 */
import type { CiState } from '../../../machines/merge-request/events.ts'
import { isUnfinished, worstOf } from '../ci.ts'
import type { CiCheck, CiReport } from '../port.ts'
import type { CheckRun, CheckSuite, CommitStatus } from './schema.ts'

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
  const newest = newestOf(runs)
  const external = combined.map(checkOfStatus)
  const whole = suites.filter((suite) => isUsed(suite) && !isCountedByRuns(suite, runs))
  const single = newest.filter(
    ({ check_suite: suite }) => !whole.some(({ id }) => id !== undefined && id === suite?.id),
  )
  const states = [...[...whole, ...single].map(stateOf), ...external.map(({ status }) => status)]
  const checks = [...newest.map(checkOfRun), ...external]
  return { sha, status: worstOf(states), unfinished: isUnfinished(states), checks }
}

/** Of each app and name; ids rise with time. In the order of the list. */
function newestOf(runs: readonly CheckRun[]): readonly CheckRun[] {
  const keyOf = ({ app, name }: CheckRun): string => JSON.stringify([app?.slug, name])
  const newest = new Map(runs.toSorted((a, b) => a.id - b.id).map((run) => [keyOf(run), run.id]))
  return runs.filter((run) => newest.get(keyOf(run)) === run.id)
}

function isCountedByRuns({ id, status }: CheckSuite, runs: readonly CheckRun[]): boolean {
  return status === 'completed' && runs.some(({ check_suite: suite }) => (suite?.id ?? id) === id)
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

function checkOfStatus(status: CommitStatus): CiCheck {
  return {
    name: status.context,
    status: statuses[status.state] ?? 'pending',
    conclusion: status.state,
    ...(status.target_url ? { url: status.target_url } : {}),
    external: true,
  }
}
