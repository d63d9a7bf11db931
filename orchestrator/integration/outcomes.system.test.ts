/**
 * What the agents' API refuses at each stage, over the whole orchestrator: by its own code, with what is missing, and nothing
 * of the Task changed. The tests are one story of five Tasks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TaskContext } from '../../machines/task/context.ts'
import { people } from '../../standins/people.ts'
import { commentOn, openMergeRequest, type OpenedMergeRequest } from '../testing/merge-request.ts'
import { expectProblem, expectRefused, invalid, pathsOf, type Refusal } from '../testing/refusals.ts'
import {
  repository,
  startOrchestratorFixture,
  type Answer,
  type Asked,
  type PodUnderTest,
  type OrchestratorFixture,
} from '../testing/fixture.ts'
import { openTask, type TaskStory } from '../testing/task-story.ts'

let fixture: OrchestratorFixture
let story: TaskStory

beforeAll(async () => {
  fixture = await startOrchestratorFixture()
  story = await openTask(fixture)
}, 60_000)
afterAll(() => fixture?.stop(), 30_000)

const clean: Asked = { headers: { 'x-platform-workspace': 'clean' } }
const submission = { action: 'submitted', title: 'Know weeks', body: 'Seven days.', change_significance: 'minor' }

function conflict(code: string): Refusal {
  return { status: 409, code }
}

/** The Task answers, so its journal has a row; what it knows and where it stands are the same. */
async function expectJudged(task: string, send: () => Promise<Answer>, code: string): Promise<Answer> {
  const read = async (): Promise<unknown> => {
    const { path, context } = (await fixture.runtime.read(`task:${task}`))!
    return { path, context: { ...context, at: 0 } }
  }
  const before = await read()
  const answer = await send()
  expectProblem(fixture, answer, conflict(code), code)
  expect(await read()).toEqual(before)
  return answer
}

async function taskOf(kind: string): Promise<TaskContext> {
  return fixture.until(`a Task of kind ${kind}`, async () =>
    (await fixture.runtime.list('task', { limit: 100 }))
      .map(({ context }) => context as unknown as TaskContext)
      .find((task) => task.kind === kind),
  )
}

/** Made by hand, as a cron tick would make it; its first pod at work. */
async function apply(
  kind: string,
): Promise<{ readonly name: string; readonly id: string; readonly pod: PodUnderTest }> {
  const name = `${kind}-1`
  await fixture.applyTask(name, kind)
  const pod = await fixture.podOf(name, 1)
  await fixture.quiet()
  return { name, id: `default/${name}`, pod }
}

describe('submitted', () => {
  test('names every field that it lacks (OUTCOME-5)', async () => {
    const lacking = { action: 'submitted', decline_reason: 7, extra: true }
    const answer = await expectRefused(fixture, 'lacking', () => story.outcome(story.first, lacking), invalid)
    expect(pathsOf(answer)).toEqual(
      ['body', 'change_significance', 'decline_reason', 'extra', 'title'].map((name) => `/payload/${name}`),
    )
  })

  /** Both ways to hand code in say the same of the issue, and what to do. */
  async function expectMissing(detail: string): Promise<void> {
    await fixture.quiet()
    const lacking = { number: story.issue, detail, guidance: expect.any(String) as string }
    const submit = (): Promise<Answer> => story.outcome(story.first, submission, clean)
    const submitted = await expectJudged(`default/${story.name}`, submit, 'approval-required')
    expect([submitted.body['reason'], submitted.body['issues']]).toMatchObject(['approval-required', [lacking]])
    const body = { action: 'open', repo: 'duration', title: 't', body: 'b' }
    const open = (): Promise<Answer> => story.by(story.first, '/merge-requests', { body })
    const opened = await expectRefused(fixture, 'open', open, conflict('approval-required'))
    expect([opened.body['reason'], opened.body['issues']]).toMatchObject(['approval-required', [lacking]])
  }

  /** The plan of these words is granted on the maintainer's comment of this id. */
  async function grant(words: string, id: string): Promise<void> {
    const plan = await story.plan(story.first, words)
    const answer = await story.outcome(story.first, {
      action: 'approved',
      reason: 'maria approves',
      plan_note_id: plan,
      approving_maintainer: people.maintainer,
      approval_citations: [{ id, quote: '/approve' }],
    })
    expect(answer.status).toBe(200)
    await fixture.until('the grant', async () => (await taskOf('implement')).forge.issues[0]?.grant)
    await fixture.quiet()
  }

  test('before the grant says what the issue lacks (TOOL-OPEN-5, TOOL-OPEN-8)', async () => {
    await expectMissing('needs-maintainer-comment')
    await story.says(people.maintainer, '/approve')
    await expectMissing('needs-approval-tool')
  })

  test('after another plan than the approved one, or words taken back, is refused as if there had been no grant', async () => {
    const id = await story.says(people.maintainer, '/approve')
    await grant('Add a unit.', id)
    const branchless = { action: 'open', repo: 'duration', title: 't', body: 'b' }
    const opening = (): Promise<Answer> => story.by(story.first, '/merge-requests', { body: branchless })
    await expectRefused(fixture, 'no branch', opening, conflict('branch-not-pushed'))
    await story.plan(story.first, 'Rewrite everything.')
    await expectMissing('needs-maintainer-comment')
    const again = await story.says(people.maintainer, '/approve')
    await expectMissing('needs-approval-tool')
    await grant('Rewrite everything.', again)
    fixture.forge.editComment(people.maintainer, repository, Number(again), 'Let me think again.')
    await fixture.until('the grant is gone', async () => (await taskOf('implement')).forge.issues[0]?.grant === null)
    await fixture.quiet()
    await expectRefused(fixture, 'open', opening, conflict('approval-required'))
    const late = await story.outcome(story.first, submission, clean)
    expectProblem(fixture, late, conflict('approval-required'), 'no code is taken without a grant')
  })

  test('is no gate before a merge request that is open already: the tool answers with that (TOOL-OPEN-1, TOOL-OPEN-3)', async () => {
    const { number, headSha } = await openMergeRequest(fixture, `platform/${story.name}`, people.bot)
    const open = { action: 'open', repo: 'duration', title: 't', body: 'b' }
    const answer = await story.by(story.first, '/merge-requests', { body: open })
    const url = expect.any(String) as string
    expect([answer.status, answer.body]).toEqual([
      200,
      { status: 'ok', existing: true, number, url, head_sha: headSha },
    ])
  })
})

describe('a verdict', () => {
  let mr: OpenedMergeRequest
  let task: TaskContext
  let pod: PodUnderTest

  function call(path: string, body: object, asked: Asked = clean): Promise<Answer> {
    return fixture.call(`/tasks/${encodeURIComponent(task.id)}${path}`, { token: pod.token, body, ...asked })
  }
  function verdict(change: object, asked: Asked = clean): Promise<Answer> {
    const reviewed = [{ repo: 'duration', number: mr.number, sha: mr.headSha }]
    return call(
      '/outcome',
      { kind: 'review', payload: { verdict: 'approve', reviewed_shas: reviewed, ...change } },
      asked,
    )
  }

  beforeAll(async () => {
    mr = await openMergeRequest(fixture)
    task = await taskOf('review')
    pod = await fixture.podOf(task.id.split('/')[1]!, 1)
    await fixture.quiet()
  }, 60_000)

  test('without what was found, or without a reviewed sha, is malformed (OUTCOME-REVIEW-8, OUTCOME-REVIEW-2)', async () => {
    const answer = await expectRefused(
      fixture,
      'malformed',
      () => verdict({ verdict: 'request_changes', reviewed_shas: [] }),
      invalid,
    )
    expect(pathsOf(answer)).toEqual(['/payload/findings', '/payload/reviewed_shas'])
  })

  test('in a workspace that is not known to be clean is refused', () =>
    expectJudged(task.id, () => verdict({}, { headers: {} }), 'workspace-dirty'))

  test('on another head than the live one is refused (OUTCOME-REVIEW-4)', async () => {
    const old = [{ repo: 'duration', number: mr.number, sha: 'a'.repeat(40) }]
    await expectJudged(task.id, () => verdict({ reviewed_shas: old }), 'head-moved')
  })

  test('that leaves out an open merge request is refused (OUTCOME-REVIEW-3)', async () => {
    const other = [{ repo: 'duration', number: 999, sha: mr.headSha }]
    await expectJudged(task.id, () => verdict({ reviewed_shas: other }), 'sha-incomplete')
  })

  test.each([
    ['a comment that is not there', 'comment-missing', undefined, ''],
    ['a comment of somebody else', 'not-theirs', people.stranger, '/takeover'],
    ['a comment that does not ask for it', 'not-asked', people.maintainer, 'Nice.'],
  ])('is no takeover by %s (AGENT-API-20, TOOL-TAKEOVER-3)', async (_what, reason, login, words) => {
    const id = login === undefined ? '4711' : await commentOn(fixture, login, mr.number, words)
    await fixture.quiet()
    const wanted = { repo: 'duration', number: mr.number, comment_external_id: id }
    const { body } = await expectRefused(
      fixture,
      reason,
      () => call('/takeover-requests', wanted),
      conflict('takeover-refused'),
    )
    expect(body['reason']).toBe(reason)
  })

  test('is taken once: its repeat is answered the same, another one of the same pod is refused (OUTCOME-8, OUTCOME-9, AGENT-API-16)', async () => {
    const finding = { repo: 'duration', number: mr.number, body: 'Months too.', severity: 'low' }
    const first = await verdict({ verdict: 'request_changes', findings: [finding] })
    expect(first.status).toBe(200)
    const again = await verdict({ verdict: 'request_changes', findings: [finding] })
    expect([again.status, again.body]).toEqual([200, first.body])
    const other = await verdict({})
    expectProblem(fixture, other, conflict('outcome-recorded'), 'other')
  })
})

describe('of the other kinds', () => {
  test('a documentation Task without a merge request has nothing to discuss on (OUTCOME-WORK-5, OUTCOME-WORK-6)', async () => {
    const { name, id, pod } = await apply('documentation')
    const say = (payload: object): Promise<Answer> =>
      fixture.call(`/tasks/${name}/outcome`, { token: pod.token, body: { kind: 'documentation', payload } })
    await expectJudged(id, () => say({ action: 'discuss', reason: 'Which page?' }), 'no-open-merge-request')
    const shaped = await say({ action: 'discuss', reason: 'Which page?', title: 't', merge_order: ['duration'] })
    expectProblem(fixture, shaped, invalid, 'shaped')
    expect(pathsOf(shaped)).toEqual(['/payload/merge_order', '/payload/title'])
    expect((await say({ action: 'declined', decline_reason: 'Nothing changed.' })).status).toBe(200)
    await pod.endTurn()
  })

  test('a refine does not fold a Task whose pod runs (OUTCOME-REFINE-4)', async () => {
    const { name, id, pod } = await apply('refine')
    const folds = [{ task: `default/${story.name}` }]
    const fold = (): Promise<Answer> =>
      fixture.call(`/tasks/${name}/outcome`, { token: pod.token, body: { kind: 'refine', payload: { folds } } })
    await expectJudged(id, fold, 'member-running')
  })
})
