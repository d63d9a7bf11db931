import { demand } from './permissions.ts'
import type {
  Actor,
  CheckConclusion,
  CheckOutput,
  CheckRun,
  CheckStatus,
  CheckSuite,
  CommitStatus,
  Repository,
  User,
} from './records.ts'
import { Refusal } from './refusal.ts'
import { emit, record, timestamp, type World } from './world.ts'

export interface CheckRunInput {
  readonly name: string
  readonly sha: string
  readonly app: string
  readonly branch?: string | null
  readonly status?: CheckStatus
  readonly conclusion?: CheckConclusion
  readonly detailsUrl?: string | null
  readonly externalId?: string
  readonly output?: Partial<CheckOutput>
}

export type CheckRunPatch = Partial<Pick<CheckRunInput, 'name' | 'status' | 'conclusion' | 'detailsUrl' | 'output'>>

const NO_OUTPUT: CheckOutput = { title: null, summary: null, text: null }

/** No permission is asked: the forge's own CI is the caller; a dialect's route asks first. */
export function createCheckRun(world: World, repository: Repository, actor: User, input: CheckRunInput): CheckRun {
  const suite = suiteFor(world, repository, input)
  const run: CheckRun = {
    id: world.nextId(),
    suite,
    name: input.name,
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
    externalId: input.externalId ?? '',
    detailsUrl: input.detailsUrl ?? null,
    output: { ...NO_OUTPUT, ...input.output },
  }
  suite.runs.push(run)
  const completed = settle(world, repository, run, input)
  record(world, actor, 'check.create', repository, {
    sha: suite.sha,
    detail: { check: run.id, name: run.name, status: run.status, conclusion: run.conclusion },
  })
  emit(world, { type: 'check-run.changed', action: 'created', repository, actor, run })
  if (completed) tellCompletion(world, repository, actor, run)
  return run
}

export function updateCheckRun(
  world: World,
  repository: Repository,
  actor: User,
  run: CheckRun,
  patch: CheckRunPatch,
): void {
  if (patch.detailsUrl !== undefined) run.detailsUrl = patch.detailsUrl
  if (patch.output) run.output = { ...run.output, ...patch.output }
  if (patch.name !== undefined) Object.assign(run, { name: patch.name })
  const completed = settle(world, repository, run, patch)
  record(world, actor, 'check.update', repository, {
    sha: run.suite.sha,
    detail: { check: run.id, name: run.name, status: run.status, conclusion: run.conclusion },
  })
  if (completed) tellCompletion(world, repository, actor, run)
}

/** A conclusion completes a run, whatever the status says beside it. True: this call has completed it. */
function settle(world: World, repository: Repository, run: CheckRun, patch: CheckRunPatch): boolean {
  const status = patch.conclusion ? 'completed' : (patch.status ?? run.status)
  if (status === 'completed' && !(patch.conclusion ?? run.conclusion))
    throw new Refusal('missing', { resource: 'CheckRun', field: 'conclusion' })
  const completed = status === 'completed' && run.status !== 'completed'
  if (status !== 'queued') run.startedAt ??= timestamp(world, repository)
  Object.assign(run, {
    status,
    conclusion: status === 'completed' ? (patch.conclusion ?? run.conclusion) : null,
    completedAt: status === 'completed' ? timestamp(world, repository) : null,
  })
  run.suite.updatedAt = timestamp(world, repository)
  return completed
}

function tellCompletion(world: World, repository: Repository, actor: User, run: CheckRun): void {
  emit(world, { type: 'check-run.changed', action: 'completed', repository, actor, run })
  if (suiteStatus(run.suite) === 'completed')
    emit(world, { type: 'check-suite.completed', repository, actor, suite: run.suite })
}

function suiteFor(world: World, repository: Repository, input: CheckRunInput): CheckSuite {
  const known = repository.suites.find((suite) => suite.sha === input.sha && suite.app === input.app)
  if (known) return known
  const at = timestamp(world, repository)
  const suite: CheckSuite = {
    id: world.nextId(),
    sha: input.sha,
    branch: input.branch ?? null,
    app: input.app,
    runs: [],
    isHeld: false,
    createdAt: at,
    updatedAt: at,
  }
  repository.suites.push(suite)
  return suite
}

/** The suite of this app stays in progress, whatever its runs come to: more of them are to come. */
export function holdSuite(world: World, repository: Repository, sha: string, app: string): CheckSuite {
  const suite = suiteFor(world, repository, { name: '', sha, app })
  suite.isHeld = true
  return suite
}

export function releaseSuite(world: World, repository: Repository, actor: User, suite: CheckSuite): void {
  suite.isHeld = false
  if (suiteStatus(suite) === 'completed') emit(world, { type: 'check-suite.completed', repository, actor, suite })
}

export function findCheckRun(repository: Repository, id: number): CheckRun {
  const run = repository.suites.flatMap((suite) => suite.runs).find((one) => one.id === id)
  if (!run) throw new Refusal('not-found')
  return run
}

/** The newest run of each name and app: a repeated run replaces the verdict of the earlier one. */
export function latestRuns(repository: Repository, sha: string): CheckRun[] {
  const suites = repository.suites.filter((suite) => suite.sha === sha)
  return suites.flatMap((suite) => [...new Map(suite.runs.map((run) => [run.name, run])).values()])
}

export function allRuns(repository: Repository, sha: string): CheckRun[] {
  return repository.suites.filter((suite) => suite.sha === sha).flatMap((suite) => suite.runs)
}

export function suiteStatus(suite: CheckSuite): CheckStatus {
  const statuses = suite.runs.map((run) => run.status)
  if (statuses.every((status) => status === 'completed')) return suite.isHeld ? 'in_progress' : 'completed'
  return statuses.every((status) => status === 'queued') ? 'queued' : 'in_progress'
}

/** The worst of the newest runs, once all have ended. */
export function suiteConclusion(suite: CheckSuite): CheckConclusion | null {
  if (suiteStatus(suite) !== 'completed') return null
  const newest = [...new Map(suite.runs.map((run) => [run.name, run])).values()].map((run) => run.conclusion)
  const worst: readonly CheckConclusion[] = [
    'action_required',
    'failure',
    'timed_out',
    'cancelled',
    'success',
    'neutral',
    'skipped',
  ]
  return worst.find((conclusion) => newest.includes(conclusion)) ?? null
}

export interface StatusInput {
  readonly state: CommitStatus['state']
  readonly phase?: CommitStatus['phase']
  readonly context?: string
  readonly description?: string | null
  readonly targetUrl?: string | null
}

export async function postStatus(
  world: World,
  repository: Repository,
  actor: Actor,
  sha: string,
  input: StatusInput,
): Promise<CommitStatus> {
  demand(repository, actor, 'write')
  if ((await repository.git.resolveCommit(sha)) !== sha) throw new Refusal('no-commit', { detail: sha })
  const status: CommitStatus = {
    id: world.nextId(),
    sha,
    state: input.state,
    phase: input.phase ?? null,
    context: input.context ?? 'default',
    description: input.description ?? null,
    targetUrl: input.targetUrl ?? null,
    creator: actor.user,
    createdAt: timestamp(world, repository),
  }
  repository.statuses.push(status)
  record(world, actor.user, 'status.create', repository, {
    sha,
    detail: { context: status.context, state: status.state },
  })
  emit(world, {
    type: 'status.posted',
    repository,
    actor: actor.user,
    status,
    branches: await repository.git.branchesAt(sha),
  })
  return status
}

/** Newest first. */
export function statusesOf(repository: Repository, sha: string): CommitStatus[] {
  return repository.statuses.filter((status) => status.sha === sha).toReversed()
}

export function latestStatuses(repository: Repository, sha: string): CommitStatus[] {
  const oldestFirst = statusesOf(repository, sha).toReversed()
  return [...new Map(oldestFirst.map((status) => [status.context, status])).values()]
}

export type CombinedState = 'success' | 'pending' | 'failure'

/** No status at all is `pending`, as GitHub says it: by this answer alone nobody can tell "none" from "not yet". */
export function combinedState(statuses: readonly CommitStatus[]): CombinedState {
  if (statuses.some((status) => status.state === 'failure' || status.state === 'error')) return 'failure'
  return statuses.length > 0 && statuses.every((status) => status.state === 'success') ? 'success' : 'pending'
}
