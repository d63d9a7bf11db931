import { expect, it } from 'vitest'
import { granted, inReview } from '../../../machines/testing/a-task.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import { generateSigningKeyPem, importSigningKey } from '../../../http/auth/tokens.ts'
import { testClock, withServer } from '../../../http/testing/fixture.ts'
import type { Delivery } from '../../../runtime/runtime.ts'
import type { ProjectDirectory } from '../../forge/projects.ts'
import { registerAgentApi } from '../api.ts'
import type { AgentApiDeps } from '../deps.ts'
import { podTokens } from '../pod-tokens.ts'
import { aLife, aForge, aView, reading } from '../testing/fixture.ts'

const key = await importSigningKey(generateSigningKeyPem())

/** What POST /tasks/{task}/outcome tells the Task, while the Project has this ceiling. */
async function toldBy(task: TaskContext, body: object, ceiling: string | undefined): Promise<Delivery['event']> {
  const { delivered } = await submit(task, body, ceiling)
  expect(delivered).toHaveLength(1)
  return delivered[0]!.event
}

interface Submitted {
  readonly delivered: readonly Delivery[]
  readonly answer: { readonly status: number; readonly errors?: readonly { readonly path: string }[] }
}

async function submit(task: TaskContext, body: object, ceiling?: string): Promise<Submitted> {
  const clock = testClock()
  const { ordinal: pod, agentKind } = task.pod
  const tokens = podTokens(key, clock, { next: () => 'a-token' })
  const claims = {
    projectUid: aLife.uid,
    project: task.config.project,
    task: task.id,
    pod,
    agentKind: agentKind || 'implement',
  }
  const token = await tokens.mint(claims, 600)
  const project = {
    name: 'demo',
    scm: { owner: 'acme', apiURL: 'http://forge/api', botLogin: 'bot', maintainerLogins: [] },
    kinds: {},
    upgradeEngineLogins: [],
    repositories: [{ name: 'lib', url: 'http://forge/acme/lib.git' }],
    ...(ceiling === undefined ? {} : { autoApproveMaxSignificance: ceiling }),
  }
  const delivered: Delivery[] = []
  const author = { login: 'bot', id: '3', bot: true }
  const deps = {
    runtime: {
      ...reading({ [`task:${task.id}`]: aView(task), [`pod:${task.id}/${pod}`]: aView({}) }),
      deliver: async (delivery: Delivery) => {
        delivered.push(delivery)
        return { key: delivery.key, applied: true, seq: 1, answer: { status: 200, body: {} } }
      },
    },
    clock,
    podTokens: tokens,
    lifeOf: async () => aLife,
    projects: { project: async () => project } as unknown as ProjectDirectory,
    pushedBy: async () => ['lib'],
    readBack: async (_project: string, _repository: string, live: unknown) => live,
    foreignCommits: async () => [{ sha: 'f1', by: 'sam' }],
    openForge: async () =>
      aForge({
        mergeRequest: async (_path, number) => ({ number, headSha: 'sha-1', author, draft: false }) as never,
      }),
  } as unknown as AgentApiDeps
  let answer: Submitted['answer'] = { status: 0 }
  await withServer(
    (app) => registerAgentApi(app, deps) as never,
    async ({ url }) => {
      const response = await fetch(`${url}/tasks/${encodeURIComponent(task.id)}/outcome`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      answer = { ...((await response.json()) as object), status: response.status }
    },
  )
  return { delivered, answer }
}

const submitted = { title: 't', body: 'b', change_significance: 'major', action: 'submitted' }
const approve = { verdict: 'approve', reviewed_shas: [{ repo: 'lib', number: 7, sha: 'abcdef1' }] }

it.each([
  ['what is submitted', granted().context, { kind: 'implement', payload: submitted }],
  ['what is approved', inReview().context, { kind: 'review', payload: approve }],
])('%s is told with the ceiling that the Project has now (PROJECT-18)', async (_what, task, body) => {
  expect(task.config.autoApproveMaxSignificance).toBe('minor')
  expect(await toldBy(task, body, 'patch')).toMatchObject({ type: 'outcome', ceiling: 'patch' })
  expect(await toldBy(task, body, undefined)).toMatchObject({ type: 'outcome', ceiling: 'minor' })
})

it('is told with what only the edge knows: who pushed what (REVIEW-3), and what the Task has pushed (OUTCOME-18)', async () => {
  const review = await toldBy(inReview().context, { kind: 'review', payload: approve }, undefined)
  expect(review).toMatchObject({ heads: [{ sha: 'sha-1', foreign: [{ sha: 'f1', by: 'sam' }] }] })
  const work = await toldBy(granted().context, { kind: 'implement', payload: submitted }, undefined)
  expect(work).toMatchObject({ pushed: ['lib'] })
})

it('is told who pushed what of an approval alone: nothing merges by another verdict', async () => {
  const findings = [{ repo: 'lib', number: 7, severity: 'low', body: 'Off by one.' }]
  const payload = { ...approve, verdict: 'request_changes', findings }
  const { heads } = await toldBy(inReview().context, { kind: 'review', payload }, undefined)
  expect(heads).toMatchObject([{ sha: 'sha-1' }])
  expect(heads).not.toMatchObject([{ foreign: expect.anything() }])
})

it('refuses what no forge takes in the call, each fault of it, and what no event holds (OUTCOME-21)', async () => {
  const long = 'x'.repeat(70_000)
  const payload = { ...submitted, title: long, body: long, colour: 'red' }
  const { answer, delivered } = await submit(granted().context, { kind: 'implement', payload })
  expect([answer.status, delivered]).toEqual([400, []])
  expect(answer.errors?.map(({ path }) => path)).toEqual(['/payload/colour', '/payload/title', '/payload/body'])
  const finding = { repo: 'lib', number: 7, severity: 'low', body: long.slice(0, 50_000) }
  const review = { ...approve, verdict: 'request_changes', findings: Array.from({ length: 20 }, () => finding) }
  expect((await submit(inReview().context, { kind: 'review', payload: review })).answer.status).toBe(413)
})
