/** GitHub's check runs and commit statuses as one list (CI-RULE-1). */
import type { CiState } from '../../../machines/merge-request/events.ts'
import { ciStatusOf } from '../ci.ts'
import type { CiCheck, CiReport } from '../port.ts'
import type { CheckRun, CommitStatus } from './schema.ts'

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

export function ciReportOf(sha: string, runs: readonly CheckRun[], combined: readonly CommitStatus[]): CiReport {
  const checks = [...runs.map(checkOfRun), ...combined.map(checkOfStatus)]
  return { sha, status: ciStatusOf(checks), checks }
}

/** A check run of GitHub's own CI has the id of its job. */
const actionsApp = 'github-actions'

/** A value that GitHub invents later is pending: it never lets a merge through and never turns a Task away. */
function checkOfRun(run: CheckRun): CiCheck {
  const done = run.status === 'completed'
  const status = done
    ? (conclusions[run.conclusion ?? ''] ?? 'pending')
    : run.status === 'in_progress'
      ? 'running'
      : 'pending'
  const url = run.details_url ?? run.html_url
  const log = [run.output?.title, run.output?.summary, run.output?.text].filter(Boolean).join('\n\n')
  return {
    name: run.name,
    status,
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
