/**
 * GitLab's checks of a head (CI-RULE-1, TOOL-CI-9): its pipelines say how it stands, their jobs and trigger jobs are detail.
 * What other systems report joins a pipeline, and counts by itself only where there is none (TOOL-CI-16).
 */
import type { CiState } from '../../../machines/merge-request/events.ts'
import { isUnfinished, unfinished, worstOf } from '../ci.ts'
import type { CiCheck, CiReport } from '../port.ts'
import type { Bridge, CommitStatus, Job, Pipeline } from './schema.ts'

const states: Readonly<Record<string, CiState>> = {
  success: 'success',
  skipped: 'success',
  failed: 'failure',
  canceled: 'cancelled',
  canceling: 'running',
  running: 'running',
}

/** What one check comes to in the words that both forges share; of one that has not ended there is nothing. */
const conclusions: Readonly<Record<string, string>> = {
  success: 'success',
  skipped: 'skipped',
  failed: 'failure',
  canceled: 'cancelled',
  manual: 'manual',
}

/** What a pipeline has in it. */
export interface PipelineJobs {
  readonly jobs: readonly Job[]
  readonly bridges: readonly Bridge[]
}

export function ciReportOf(
  sha: string,
  pipelines: readonly Pipeline[],
  within: readonly PipelineJobs[],
  statuses: readonly CommitStatus[],
): CiReport {
  const jobs = within.flatMap((one) => one.jobs)
  const bridges = within.flatMap((one) => one.bridges)
  const own = new Set([...jobs, ...bridges].map(({ id }) => id))
  const current = new Set(pipelines.map(({ id }) => id))
  const isReplaced = ({ pipeline_id }: CommitStatus): boolean =>
    typeof pipeline_id === 'number' && current.size > 0 && !current.has(pipeline_id)
  const external = statuses.filter((one) => !own.has(one.id) && !isReplaced(one))
  const all = pipelines.length > 0 ? pipelines.map(({ status }) => stateOf(status)) : wholeOf(external)
  const checks = [...jobs.map(checkOfJob), ...bridges.map(checkOfBridge), ...external.map(checkOfStatus)]
  return { sha, status: worstOf(all), unfinished: isUnfinished(all), checks }
}

/** As a pipeline of them would stand: under way while one of them is, and then as bad as the worst. */
function wholeOf(external: readonly CommitStatus[]): readonly CiState[] {
  const all = external.map(checkStateOf)
  return isUnfinished(all) ? all.filter((state) => unfinished.includes(state)) : all
}

/**
 * Of each branch the newest, whoever began it: a pipeline that somebody runs again replaces the one before. Those of other
 * systems stand beside it.
 */
export function currentPipelines(pipelines: readonly Pipeline[]): readonly Pipeline[] {
  const newest = new Map<string, Pipeline>()
  for (const one of pipelines.toSorted((left, right) => left.id - right.id))
    newest.set(`${one.source === 'external'} ${one.ref ?? ''}`, one)
  return [...newest.values()]
}

/** A value that GitLab invents later is pending: it never lets a merge through and never turns a Task away. */
function stateOf(status: string): CiState {
  return states[status] ?? 'pending'
}

interface Checked {
  readonly status: string
  readonly allow_failure?: boolean | null | undefined
}

/** What may fail, or waits for a hand that nothing depends on, is in nobody's way (TOOL-CI-11). */
function checkStateOf({ status, allow_failure }: Checked): CiState {
  const isOptional = allow_failure === true && ['failed', 'manual'].includes(status)
  return isOptional ? 'success' : stateOf(status)
}

function verdictOf(check: Checked): Pick<CiCheck, 'status' | 'conclusion'> {
  const conclusion = conclusions[check.status]
  return { status: checkStateOf(check), ...(conclusion === undefined ? {} : { conclusion }) }
}

function checkOfJob(job: Job): CiCheck {
  const verdict = verdictOf(job)
  return {
    name: job.name,
    ...verdict,
    ...(job.web_url ? { url: job.web_url } : {}),
    ...(job.failure_reason ? { log: job.failure_reason } : {}),
    ...(unfinished.includes(verdict.status) ? {} : { job: String(job.id) }),
  }
}

/** Its log is that of the pipeline that it started. */
function checkOfBridge(bridge: Bridge): CiCheck {
  const url = bridge.downstream_pipeline?.web_url ?? bridge.web_url
  return { name: bridge.name, ...verdictOf(bridge), ...(url ? { url } : {}) }
}

function checkOfStatus(status: CommitStatus): CiCheck {
  return {
    name: status.name,
    ...verdictOf(status),
    ...(status.target_url ? { url: status.target_url } : {}),
    external: true,
  }
}
