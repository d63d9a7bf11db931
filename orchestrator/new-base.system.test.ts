/**
 * A verdict is on one head against one base (HEAD-1), over the whole orchestrator: somebody with write access gives the merge
 * request another base after the verdict, with and without the delivery that tells it. Nothing is merged there.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TaskContext } from '../machines/task/context.ts'
import { people } from '../standins/people.ts'
import { commit, run } from '../standins/forge/testing/fixture.ts'
import { startOrchestratorFixture, type OrchestratorFixture } from './testing/fixture.ts'
import { askForge, openMergeRequest } from './testing/merge-request.ts'

let fixture: OrchestratorFixture
beforeAll(async () => {
  fixture = await startOrchestratorFixture()
}, 120_000)
afterAll(() => fixture?.stop(), 30_000)

async function pushRelease(branch: string): Promise<void> {
  const dir = mkdtempSync(join(fixture.dir, 'release-'))
  const clone = join(dir, 'clone')
  const url = new URL(fixture.forge.gitUrl(people.owner, 'duration'))
  Object.assign(url, { username: people.maintainer, password: `token-of-${people.maintainer}` })
  await run(dir, ['clone', '--quiet', url.href, clone])
  await run(clone, ['switch', '--quiet', '-c', branch])
  await commit(clone, { [`${branch}.md`]: 'A line of its own.\n' }, 'Release line')
  await run(clone, ['push', '--quiet', 'origin', branch])
}

async function taskOf(headSha: string): Promise<TaskContext | undefined> {
  const tasks = (await fixture.runtime.list('task', { limit: 100 })).map(
    ({ context }) => context as unknown as TaskContext,
  )
  return tasks.find(({ kind, forge }) => kind === 'review' && JSON.stringify(forge.mergeRequests).includes(headSha))
}

/** Reviewed and approved by its first pod, whose turn is not over: the merge waits for its end. */
async function approved(name: string) {
  const mr = await openMergeRequest(fixture, name)
  const task = await fixture.until('its review Task', () => taskOf(mr.headSha))
  const pod = await fixture.podOf(task.id.split('/')[1]!, 1)
  await fixture.quiet()
  const reviewed_shas = [{ repo: 'duration', number: mr.number, sha: mr.headSha }]
  const body = { kind: 'review', payload: { verdict: 'approve', reviewed_shas } }
  const headers = { 'x-platform-workspace': 'clean' }
  await fixture.call(`/tasks/${encodeURIComponent(task.id)}/outcome`, { token: pod.token, headers, body })
  await fixture.quiet()
  return { mr, task, pod }
}

const merges = (number: number) =>
  fixture.forge.audit().filter((entry) => entry.action === 'pull.merge' && entry.number === number)

test.each([
  ['told', false],
  ['lost', true],
])(
  'HEAD-1: another base after the verdict, its delivery %s: reviewed again, and nothing is merged',
  async (name, lost) => {
    const release = `release-${name}`
    await pushRelease(release)
    const { mr, task, pod } = await approved(`weeks-${name}`)
    if (lost) fixture.forge.faults.inject({ kind: 'drop', event: 'pull_request', action: 'edited', times: 1 })
    await askForge(fixture, people.maintainer, 'PATCH', `/pulls/${mr.number}`, { base: release })
    await fixture.quiet()
    await pod.endTurn()
    await fixture.until('the next review', async () => {
      const now = await taskOf(mr.headSha)
      return now?.stage.name === 'reviewing' && now.forge.mergeRequests[0]?.baseBranch === release ? now : undefined
    })
    await fixture.podOf(task.id.split('/')[1]!, 2)
    expect(merges(mr.number)).toEqual([])
  },
  120_000,
)

test('the control: with the base of its review it is merged', async () => {
  const { mr, pod } = await approved('weeks-control')
  await pod.endTurn()
  await fixture.until('the merge', async () => merges(mr.number)[0])
}, 120_000)
