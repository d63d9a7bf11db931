import { Type, type Static } from 'typebox'
import {
  findCheckRun,
  latestRuns,
  latestStatuses,
  postStatus,
  statusesOf,
  allRuns,
  type StatusInput,
} from '../../store/checks.ts'
import type { CheckRun, CheckSuite } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import { inputOf, type Answer, type Call, type Route } from '../call.ts'
import { listAnswer, ordered } from '../paging.ts'
import {
  fullPipelinePayload,
  jobPayload,
  jobStatusPayload,
  pipelinePayload,
  pipelineStatus,
  statusPayload,
  statusState,
} from '../payloads/pipelines.ts'
import { shaOf } from './repository.ts'

const PROJECT = '/projects/:id'
const PIPELINES = `${PROJECT}/pipelines`

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const State = Type.Enum(['pending', 'running', 'success', 'failed', 'canceled', 'skipped'])
const readStatus = inputOf(
  Type.Object({
    state: State,
    name: Type.Optional(Type.String()),
    context: Type.Optional(Type.String()),
    description: Text,
    target_url: Text,
  }),
)

const STATES: Readonly<Record<Static<typeof State>, Pick<StatusInput, 'state' | 'phase'>>> = {
  pending: { state: 'pending' },
  running: { state: 'pending', phase: 'running' },
  success: { state: 'success' },
  failed: { state: 'failure' },
  canceled: { state: 'error', phase: 'canceled' },
  skipped: { state: 'success', phase: 'skipped' },
}

export const pipelineRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: PIPELINES,
    run: (call) => listAnswer(call, selected(call), (suite) => pipelinePayload(call.links, call.repository, suite)),
  },
  {
    method: 'GET',
    path: `${PIPELINES}/:pipeline`,
    run: (call) => ({ body: fullPipelinePayload(call.links, call.world, call.repository, pipelineOf(call)) }),
  },
  {
    method: 'GET',
    path: `${PIPELINES}/:pipeline/jobs`,
    run: (call) =>
      listAnswer(call, jobsOf(call, pipelineOf(call)), (run) =>
        jobPayload(call.links, call.world, call.repository, run),
      ),
  },
  {
    // No pipeline of the store starts another: the list is there for who asks, and empty.
    method: 'GET',
    path: `${PIPELINES}/:pipeline/bridges`,
    run(call) {
      pipelineOf(call)
      return listAnswer(call, [], (bridge) => bridge)
    },
  },
  {
    method: 'GET',
    path: `${PROJECT}/jobs/:job`,
    run: (call) => ({ body: jobPayload(call.links, call.world, call.repository, jobOf(call)) }),
  },
  {
    method: 'GET',
    path: `${PROJECT}/jobs/:job/trace`,
    run(call) {
      const { output } = jobOf(call)
      return { text: output.text ?? output.summary ?? '' }
    },
  },
  { method: 'GET', path: `${PROJECT}/repository/commits/:sha/statuses`, run: listStatuses },
  { method: 'POST', path: `${PROJECT}/statuses/:sha`, run: addStatus },
]

function selected(call: Call): CheckSuite[] {
  const { sha, ref, status } = call.query
  const found = call.repository.suites.filter(
    (suite) =>
      (sha === undefined || suite.sha === sha) &&
      (ref === undefined || suite.branch === ref) &&
      (status === undefined || pipelineStatus(suite) === status),
  )
  return ordered(call, found, { id: (suite) => suite.id, updated_at: (suite) => suite.updatedAt })
}

function pipelineOf(call: Call): CheckSuite {
  const id = numberParam(call, 'pipeline')
  const suite = call.repository.suites.find((one) => one.id === id)
  if (!suite) throw new Refusal('not-found')
  return suite
}

/** A repeated job replaces the earlier one, which is shown on request. */
function jobsOf(call: Call, suite: CheckSuite): CheckRun[] {
  const isWhole = call.query.include_retried === 'true'
  const runs = isWhole ? allRuns(call.repository, suite.sha) : latestRuns(call.repository, suite.sha)
  return runs.filter((run) => run.suite === suite)
}

function jobOf(call: Call): CheckRun {
  return findCheckRun(call.repository, numberParam(call, 'job'))
}

async function listStatuses(call: Call): Promise<Answer> {
  const { repository } = call
  const sha = await shaOf(call, call.params.sha ?? '')
  const isWhole = call.query.all === 'true'
  const posted = isWhole ? statusesOf(repository, sha).toReversed() : latestStatuses(repository, sha)
  const runs = isWhole ? allRuns(repository, sha) : latestRuns(repository, sha)
  const shown = [
    ...posted.map((status) => statusPayload(call.links, repository, status)),
    ...runs.map((run) => jobStatusPayload(call.links, call.world, repository, run)),
  ]
  const { name } = call.query
  return listAnswer(
    call,
    shown.filter((status) => name === undefined || status.name === name),
    (status) => status,
  )
}

/** A status can't move to where it is. */
async function addStatus(call: Call): Promise<Answer> {
  const { state, name, context, description, target_url: targetUrl } = readStatus(call)
  const sha = await shaOf(call, call.params.sha ?? '')
  const label = name ?? context ?? 'default'
  const latest = latestStatuses(call.repository, sha).find((status) => status.context === label)
  if (latest && statusState(latest) === state)
    throw new HttpRefusal(400, `Cannot transition status from :${state} to :${state}`)
  const status = await postStatus(call.world, call.repository, call.writer, sha, {
    ...STATES[state],
    context: label,
    ...(description === undefined ? {} : { description }),
    ...(targetUrl === undefined ? {} : { targetUrl }),
  })
  return { status: 201, body: statusPayload(call.links, call.repository, status) }
}
