/**
 * GitHub's checks of a head (CI-RULE-1, TOOL-CI-9). Its check suites say how it stands: between two jobs every run is done, and
 * the suite is not. Commit statuses are in no suite and count beside them.
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
  const external = combined.map(checkOfStatus)
  const states = [...suites.filter(isUsed).map(stateOf), ...external.map(({ status }) => status)]
  const checks = [...runs.map(checkOfRun), ...external]
  return { sha, status: worstOf(states), unfinished: isUnfinished(states), checks }
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
