/**
 * Only what was judged is merged, over the whole orchestrator: a verdict is on one head against one base (HEAD-1), and commits
 * that neither a pod nor a maintainer brought wait for a maintainer (REVIEW-3). Each with its control.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TaskContext } from '../../machines/task/context.ts'
import { people } from '../../standins/people.ts'
import { commit, run } from '../../standins/forge/testing/fixture.ts'
import { startOrchestratorFixture, type OrchestratorFixture, type PodUnderTest } from '../testing/fixture.ts'
import { askForge, commentOn, openMergeRequest } from '../testing/merge-request.ts'

let fixture: OrchestratorFixture
beforeAll(async () => {
  fixture = await startOrchestratorFixture()
}, 120_000)
afterAll(() => fixture?.stop(), 30_000)

/** A commit by `login` on a branch of its own, or on top of one that is there; its sha. */
async function pushTo(branch: string, login: string, from = 'main'): Promise<string> {
  const dir = mkdtempSync(join(fixture.dir, 'push-'))
  const clone = join(dir, 'clone')
  const url = new URL(fixture.forge.gitUrl(people.owner, 'duration'))
  Object.assign(url, { username: login, password: `token-of-${login}` })
  await run(dir, ['clone', '--quiet', url.href, clone])
  await run(clone, ['switch', '--quiet', '-C', branch, `origin/${from}`])
  await commit(clone, { [`${branch}-by-${login}.md`]: 'A line of its own.\n' }, 'Add a line')
  await run(clone, ['push', '--quiet', 'origin', branch])
  return run(clone, ['rev-parse', 'HEAD'])
}

async function reviewOf(number: number): Promise<TaskContext | undefined> {
  const tasks = (await fixture.runtime.list('task', { limit: 100 })).map(
    ({ context }) => context as unknown as TaskContext,
  )
  return tasks.find(({ kind, forge }) => kind === 'review' && forge.mergeRequests.some((mr) => mr.number === number))
}

/** A maintainer's merge request, and the pod that reviews it at its first turn. */
async function underReview(name: string) {
  const mr = await openMergeRequest(fixture, name)
  const { id } = await fixture.until('its review Task', () => reviewOf(mr.number))
  const pod = await fixture.podOf(id.split('/')[1]!, 1)
  await fixture.quiet()
  return { ...mr, id, name, pod }
}

interface UnderReview {
  readonly id: string
  readonly number: number
  readonly pod: PodUnderTest
}

async function tryToApprove({ id, number, pod }: UnderReview, sha: string) {
  const reviewed_shas = [{ repo: 'duration', number, sha }]
  const body = { kind: 'review', payload: { verdict: 'approve', reviewed_shas } }
  const headers = { 'x-platform-workspace': 'clean' }
  const answer = await fixture.call(`/tasks/${encodeURIComponent(id)}/outcome`, { token: pod.token, headers, body })
  await fixture.quiet()
  return answer
}

async function approve(mr: UnderReview, sha: string) {
  const answer = await tryToApprove(mr, sha)
  expect([answer.status, answer.body['accepted']]).toEqual([200, true])
}

/** A maintainer gives it another base, and no delivery says so. */
async function giveUntold({ number }: UnderReview, base: string) {
  fixture.forge.faults.inject({ kind: 'drop', event: 'pull_request', action: 'edited', times: 1 })
  await askForge(fixture, people.maintainer, 'PATCH', `/pulls/${number}`, { base })
  await fixture.quiet()
}

const merges = (number: number) =>
  fixture.forge.audit().filter((entry) => entry.action === 'pull.merge' && entry.number === number)

test.each([
  ['told', false],
  ['lost', true],
])(
  'HEAD-1: another base after the verdict, its delivery %s: reviewed again, and nothing is merged',
  async (how, lost) => {
    const release = `release-${how}`
    await pushTo(release, people.maintainer)
    const mr = await underReview(`weeks-${how}`)
    await approve(mr, mr.headSha)
    if (lost) fixture.forge.faults.inject({ kind: 'drop', event: 'pull_request', action: 'edited', times: 1 })
    await askForge(fixture, people.maintainer, 'PATCH', `/pulls/${mr.number}`, { base: release })
    await fixture.quiet()
    await mr.pod.endTurn()
    await fixture.until('the next review', async () => {
      const { stage, forge } = (await reviewOf(mr.number))!
      return stage.name === 'reviewing' && forge.mergeRequests[0]?.baseBranch === release
    })
    await fixture.podOf(mr.id.split('/')[1]!, 2)
    expect(merges(mr.number)).toEqual([])
  },
  120_000,
)

test('HEAD-1: another base that only the verdict saw, and the old one again, both deliveries lost: reviewed again, then merged', async () => {
  await pushTo('release-seen', people.maintainer)
  const mr = await underReview('weeks-seen')
  await giveUntold(mr, 'release-seen')
  expect(await tryToApprove(mr, mr.headSha)).toMatchObject({ status: 409, body: { code: 'head-moved' } })
  await mr.pod.endTurn()
  await fixture.quiet()
  await approve(mr, mr.headSha)
  await giveUntold(mr, 'main')
  await mr.pod.endTurn()
  await fixture.until('the next review', async () => {
    const { stage, forge } = (await reviewOf(mr.number))!
    return stage.name === 'reviewing' && forge.mergeRequests[0]?.baseBranch === 'main'
  })
  expect(merges(mr.number)).toEqual([])
  const pod = await fixture.podOf(mr.id.split('/')[1]!, 2)
  await fixture.quiet()
  await approve({ ...mr, pod }, mr.headSha)
  await pod.endTurn()
  await fixture.until('the merge', async () => merges(mr.number)[0])
}, 120_000)

test('REVIEW-3: what somebody else who may write pushed on top is merged only once a maintainer lets that head merge', async () => {
  const mr = await underReview('weeks-foreign')
  const head = await pushTo(mr.name, people.owner, mr.name)
  await fixture.until('the new head', async () => (await reviewOf(mr.number))!.forge.mergeRequests[0]?.headSha === head)
  await approve(mr, head)
  const { stage } = (await reviewOf(mr.number))!
  expect([stage.name, stage.reason]).toEqual(['awaiting-human', 'needs-maintainer'])
  expect(stage.detail).toContain(`${head.slice(0, 12)} (pushed by ${people.owner})`)
  await mr.pod.endTurn()
  await fixture.quiet()
  expect(merges(mr.number)).toEqual([])
  await commentOn(fixture, people.maintainer, mr.number, '/approve')
  await fixture.until('the merge', async () => merges(mr.number)[0])
}, 120_000)

test('the control: what a maintainer alone pushed is merged into the base of its review', async () => {
  const mr = await underReview('weeks-control')
  const head = await pushTo(mr.name, people.maintainer, mr.name)
  await fixture.until('the new head', async () => (await reviewOf(mr.number))!.forge.mergeRequests[0]?.headSha === head)
  await approve(mr, head)
  await mr.pod.endTurn()
  await fixture.until('the merge', async () => merges(mr.number)[0])
}, 120_000)
