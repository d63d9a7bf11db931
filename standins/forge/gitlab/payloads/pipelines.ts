import { suiteConclusion, suiteStatus } from '../../store/checks.ts'
import type { CheckConclusion, CheckRun, CheckSuite, CommitStatus, Repository, User } from '../../store/records.ts'
import { findUser, type World } from '../../store/world.ts'
import type { Links } from '../links.ts'
import { userPayload, type Json } from './common.ts'

/** A pipeline is the store's suite of checks, a job one of its runs. */
const ENDED: Readonly<Record<CheckConclusion, string>> = {
  success: 'success',
  neutral: 'failed',
  failure: 'failed',
  timed_out: 'failed',
  cancelled: 'canceled',
  skipped: 'skipped',
  action_required: 'manual',
}

export function jobStatus(run: CheckRun): string {
  if (run.status === 'completed') return ENDED[run.conclusion ?? 'success']
  return run.status === 'queued' ? 'pending' : 'running'
}

/** A job that may fail is what the store calls neutral: its pipeline succeeds all the same. */
export function pipelineStatus(suite: CheckSuite): string {
  const status = suiteStatus(suite)
  if (status !== 'completed') return status === 'queued' ? 'pending' : 'running'
  const conclusion = suiteConclusion(suite)
  return conclusion === null ? 'skipped' : conclusion === 'neutral' ? 'success' : ENDED[conclusion]
}

export function pipelinePayload(links: Links, repository: Repository, suite: CheckSuite): Json {
  return {
    id: suite.id,
    iid: repository.suites.indexOf(suite) + 1,
    project_id: repository.id,
    sha: suite.sha,
    ref: suite.branch ?? repository.defaultBranch,
    status: pipelineStatus(suite),
    source: 'push',
    name: null,
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    web_url: links.webPage(repository, 'pipelines', suite.id),
  }
}

export function fullPipelinePayload(links: Links, world: World, repository: Repository, suite: CheckSuite): Json {
  const status = pipelineStatus(suite)
  const started = suite.runs.map((run) => run.startedAt).filter((at) => at !== null)
  return {
    ...pipelinePayload(links, repository, suite),
    before_sha: suite.sha,
    tag: false,
    yaml_errors: null,
    user: userPayload(links, runnerOf(world, repository, suite)),
    started_at: started.toSorted()[0] ?? null,
    finished_at: suiteStatus(suite) === 'completed' ? suite.updatedAt : null,
    committed_at: null,
    duration: null,
    queued_duration: null,
    coverage: null,
    archived: false,
    detailed_status: {
      icon: `status_${status}`,
      text: status,
      label: status,
      group: status,
      tooltip: status,
      has_details: true,
      details_path: new URL(links.webPage(repository, 'pipelines', suite.id)).pathname,
      illustration: null,
      favicon: '',
    },
  }
}

/** In whose name the pipeline runs: its app, where that has an account. */
export function runnerOf(world: World, repository: Repository, suite: CheckSuite): User {
  return findUser(world, `${suite.app}[bot]`) ?? findUser(world, suite.app) ?? repository.owner
}

export function jobPayload(links: Links, world: World, repository: Repository, run: CheckRun): Json {
  const { suite } = run
  return {
    id: run.id,
    status: jobStatus(run),
    stage: 'test',
    name: run.name,
    ref: suite.branch ?? repository.defaultBranch,
    tag: false,
    coverage: null,
    allow_failure: run.conclusion === 'neutral',
    failure_reason: failureReason(run),
    created_at: suite.createdAt,
    started_at: run.startedAt,
    finished_at: run.completedAt,
    erased_at: null,
    duration: null,
    queued_duration: null,
    user: userPayload(links, runnerOf(world, repository, suite)),
    commit: { id: suite.sha, short_id: suite.sha.slice(0, 8) },
    pipeline: pipelinePayload(links, repository, suite),
    project: { ci_job_token_scope_enabled: false },
    web_url: links.webPage(repository, 'jobs', run.id),
    artifacts: [],
    artifacts_expire_at: null,
    archived: false,
    runner: null,
    runner_manager: null,
    tag_list: [],
  }
}

function failureReason(run: CheckRun): string | null {
  if (run.conclusion === 'timed_out') return 'job_execution_timeout'
  return jobStatus(run) === 'failed' ? 'script_failure' : null
}

const STATES: Readonly<Record<CommitStatus['state'], string>> = {
  success: 'success',
  pending: 'pending',
  failure: 'failed',
  error: 'failed',
}

export function statusState(status: CommitStatus): string {
  return status.phase ?? STATES[status.state]
}

/** Of a status that another system has posted. */
export function statusPayload(links: Links, repository: Repository, status: CommitStatus): Json {
  const state = statusState(status)
  const hasEnded = state !== 'pending' && state !== 'running'
  return {
    id: status.id,
    sha: status.sha,
    ref: repository.defaultBranch,
    status: state,
    name: status.context,
    target_url: status.targetUrl,
    description: status.description,
    created_at: status.createdAt,
    started_at: state === 'pending' ? null : status.createdAt,
    finished_at: hasEnded ? status.createdAt : null,
    allow_failure: false,
    coverage: null,
    pipeline_id: repository.suites.find((suite) => suite.sha === status.sha)?.id ?? null,
    author: userPayload(links, status.creator),
  }
}

/** A job among the statuses of its commit. */
export function jobStatusPayload(links: Links, world: World, repository: Repository, run: CheckRun): Json {
  const { suite } = run
  return {
    id: run.id,
    sha: suite.sha,
    ref: suite.branch ?? repository.defaultBranch,
    status: jobStatus(run),
    name: run.name,
    target_url: links.webPage(repository, 'jobs', run.id),
    description: null,
    created_at: suite.createdAt,
    started_at: run.startedAt,
    finished_at: run.completedAt,
    allow_failure: run.conclusion === 'neutral',
    coverage: null,
    pipeline_id: suite.id,
    author: userPayload(links, runnerOf(world, repository, suite)),
  }
}
