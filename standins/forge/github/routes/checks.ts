import { Type, type Static } from 'typebox'
import {
  allRuns,
  createCheckRun,
  findCheckRun,
  latestRuns,
  latestStatuses,
  postStatus,
  statusesOf,
  updateCheckRun,
  type CheckRunPatch,
} from '../../store/checks.ts'
import { demand, isInstallationAt } from '../../store/permissions.ts'
import type { CheckRun, CheckSuite } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import { NOT_OF_INTEGRATION } from '../errors.ts'
import { bodyOf, type Answer, type Call, type Route } from '../call.ts'
import { countedAnswer, listAnswer, pageOf } from '../paging.ts'
import { checkRunPayload, combinedStatusPayload, fullCheckSuitePayload, fullStatusPayload } from '../payloads/checks.ts'
import type { Json } from '../payloads/common.ts'
import { shaOf, showCommit } from './commits.ts'

const REPO = '/repos/:owner/:repo'

const Text = Type.Union([Type.String(), Type.Null()])
const RunFields = {
  status: Type.Optional(Type.Union([Type.Literal('queued'), Type.Literal('in_progress'), Type.Literal('completed')])),
  conclusion: Type.Optional(
    Type.Union(
      (['success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required'] as const).map(
        (value) => Type.Literal(value),
      ),
    ),
  ),
  details_url: Type.Optional(Type.String()),
  external_id: Type.Optional(Type.String()),
  output: Type.Optional(
    Type.Object({ title: Type.Optional(Text), summary: Type.Optional(Text), text: Type.Optional(Text) }),
  ),
}
const NewRun = Type.Object({ name: Type.String({ minLength: 1 }), head_sha: Type.String(), ...RunFields })
const RunPatch = Type.Object({ name: Type.Optional(Type.String({ minLength: 1 })), ...RunFields })
const NewStatus = Type.Object({
  state: Type.Union([Type.Literal('error'), Type.Literal('failure'), Type.Literal('pending'), Type.Literal('success')]),
  context: Type.Optional(Type.String()),
  description: Type.Optional(Text),
  target_url: Type.Optional(Text),
})
const readNewRun = bodyOf(NewRun, 'CheckRun')
const readRunPatch = bodyOf(RunPatch, 'CheckRun')
const readStatus = bodyOf(NewStatus, 'Status')

export const checkRoutes: readonly Route[] = [
  { method: 'GET', path: `${REPO}/commits/*`, run: showOfCommit },
  { method: 'POST', path: `${REPO}/check-runs`, run: createRun },
  {
    method: 'GET',
    path: `${REPO}/check-runs/:id`,
    run: (call) => showRun(call, findCheckRun(call.repository, numberParam(call, 'id'))),
  },
  {
    method: 'PATCH',
    path: `${REPO}/check-runs/:id`,
    run(call) {
      const run = findCheckRun(call.repository, numberParam(call, 'id'))
      demandChecks(call)
      updateCheckRun(call.world, call.repository, call.writer.user, run, patchOf(readRunPatch(call)))
      return showRun(call, run)
    },
  },
  {
    method: 'GET',
    path: `${REPO}/check-suites/:id`,
    run: async (call) => ({ body: await showSuite(call, suiteOf(call)) }),
  },
  { method: 'GET', path: `${REPO}/check-suites/:id/check-runs`, run: (call) => listRuns(call, suiteOf(call).runs) },
  {
    method: 'POST',
    path: `${REPO}/statuses/:sha`,
    async run(call) {
      demandChecks(call)
      const { target_url: targetUrl, ...input } = readStatus(call)
      const status = await postStatus(call.world, call.repository, call.writer, call.params.sha ?? '', {
        ...input,
        ...(targetUrl === undefined ? {} : { targetUrl }),
      })
      return { status: 201, body: fullStatusPayload(call.links, call.repository, status) }
    },
  },
]

function demandChecks({ repository, writer }: Call): void {
  if (isInstallationAt(repository, writer)) throw new HttpRefusal(403, NOT_OF_INTEGRATION)
  demand(repository, writer, 'write')
}

/** A ref may hold slashes, so what is asked of the commit is told by the end of the path. */
async function showOfCommit(call: Call): Promise<Answer> {
  const [, name = '', part = ''] =
    /^(.+?)(?:\/(status|statuses|check-runs|check-suites))?$/.exec(call.params['*'] ?? '') ?? []
  const sha = await shaOf(call, name)
  const { repository, links } = call
  switch (part) {
    case 'status': {
      const latest = latestStatuses(repository, sha)
      const page = pageOf(call, latest)
      return { body: combinedStatusPayload(links, repository, sha, latest, page.items), headers: page.headers }
    }
    case 'statuses':
      return listAnswer(call, statusesOf(repository, sha), (status) => fullStatusPayload(links, repository, status))
    case 'check-runs':
      return listRuns(call, call.query.filter === 'all' ? allRuns(repository, sha) : latestRuns(repository, sha))
    case 'check-suites': {
      const head = await repository.git.readCommit(sha)
      return countedAnswer(
        call,
        repository.suites.filter((suite) => suite.sha === sha),
        'check_suites',
        (suite) => fullCheckSuitePayload(links, repository, suite, head),
      )
    }
    default:
      return showCommit(call, sha)
  }
}

function listRuns(call: Call, runs: readonly CheckRun[]): Answer {
  const { check_name: name, status } = call.query
  const wanted = runs.filter(
    (run) => (name === undefined || run.name === name) && (status === undefined || run.status === status),
  )
  return countedAnswer(call, wanted.toReversed(), 'check_runs', (run) =>
    checkRunPayload(call.links, call.repository, run),
  )
}

async function createRun(call: Call): Promise<Answer> {
  const { name, head_sha: sha, external_id: externalId, ...rest } = readNewRun(call)
  demandChecks(call)
  if ((await call.repository.git.resolveCommit(sha)) !== sha) throw new Refusal('no-commit', { detail: sha })
  const input = {
    ...patchOf(rest),
    name,
    sha,
    app: call.writer.user.login,
    ...(externalId === undefined ? {} : { externalId }),
  }
  return { ...showRun(call, createCheckRun(call.world, call.repository, call.writer.user, input)), status: 201 }
}

function patchOf(fields: Static<typeof RunPatch>): CheckRunPatch {
  const { name, status, conclusion, details_url: detailsUrl, output } = fields
  return {
    ...(name === undefined ? {} : { name }),
    ...(status ? { status } : {}),
    ...(conclusion ? { conclusion } : {}),
    ...(detailsUrl === undefined ? {} : { detailsUrl }),
    ...(output ? { output } : {}),
  }
}

function showRun(call: Call, run: CheckRun): Answer {
  return { body: checkRunPayload(call.links, call.repository, run) }
}

async function showSuite({ links, repository }: Call, suite: CheckSuite): Promise<Json> {
  return fullCheckSuitePayload(links, repository, suite, await repository.git.readCommit(suite.sha))
}

function suiteOf(call: Call): CheckSuite {
  const suite = call.repository.suites.find((one) => one.id === numberParam(call, 'id'))
  if (!suite) throw new Refusal('not-found')
  return suite
}
