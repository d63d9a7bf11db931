/**
 * The kinds that own no issue, over the whole orchestrator: what a brainstorm proposes becomes an issue of the forge and a
 * Task of its own, and what a refine closes stays closed. The tests are one story.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TaskContext } from '../../machines/task/context.ts'
import { people } from '../../standins/people.ts'
import { expectProblem } from '../testing/refusals.ts'
import {
  repository,
  startOrchestratorFixture,
  type Answer,
  type PodUnderTest,
  type OrchestratorFixture,
} from '../testing/fixture.ts'

let fixture: OrchestratorFixture

beforeAll(async () => {
  fixture = await startOrchestratorFixture()
}, 60_000)
afterAll(() => fixture?.stop(), 30_000)

async function stageOf(name: string): Promise<string | undefined> {
  return ((await fixture.runtime.read(`task:default/${name}`))?.context as TaskContext | undefined)?.stage.name
}

function submit(pod: PodUnderTest, name: string, kind: string, payload: object): Promise<Answer> {
  return fixture.call(`/tasks/${name}/outcome`, { token: pod.token, body: { kind, payload } })
}

const proposal = { repo: 'duration', title: 'Know weeks', body: 'Seven days.', kind: 'improvement' }

function did(actor: string, action: string): number {
  return fixture.forge.audit().filter((entry) => entry.actor === actor && entry.action === action).length
}

describe('a brainstorm', () => {
  test('is told in its first turn what was proposed before, and how much fits', async () => {
    await fixture.applyTask('brainstorm-1', 'brainstorm')
    const pod = await fixture.podOf('brainstorm-1', 1)
    const [turn] = await pod.turns()
    expect(turn?.text).toContain('<task_index project="demo"')
    expect(turn?.text).toContain('At most 3 proposals fit')
  })

  test('is refused a repository that the Project has not, and more than fits (OUTCOME-15, OUTCOME-BRAINSTORM-6)', async () => {
    const pod = await fixture.podOf('brainstorm-1', 1)
    const foreign = await submit(pod, 'brainstorm-1', 'brainstorm', {
      action: 'propose',
      proposals: [{ ...proposal, repo: 'other' }],
    })
    expectProblem(fixture, foreign, { status: 400, code: 'invalid-input' }, 'repository')
    const many = Array.from({ length: 4 }, (_, n) => ({ ...proposal, title: `Idea ${n}` }))
    const tooMany = await submit(pod, 'brainstorm-1', 'brainstorm', { action: 'propose', proposals: many })
    expectProblem(fixture, tooMany, { status: 409, code: 'proposal-cap' }, 'cap')
  })

  test('proposes: delivered at the call, filed once its pod is gone, and the issue waits for a human', async () => {
    const pod = await fixture.podOf('brainstorm-1', 1)
    const answer = await submit(pod, 'brainstorm-1', 'brainstorm', { action: 'propose', proposals: [proposal] })
    expect([answer.status, answer.body['task']]).toEqual([200, { stage: 'delivered' }])
    expect(did(people.bot, 'issue.open')).toBe(0)
    await pod.endTurn()
    await fixture.until('the proposal is filed', () => did(people.bot, 'issue.open') === 1)
    const minted = await fixture.until('its Task', async () =>
      (await fixture.runtime.list('task'))
        .map(({ context }) => context as unknown as TaskContext)
        .find(({ kind }) => kind === 'implement'),
    )
    expect([minted.stage.name, minted.forge.issues[0]?.selfProposed]).toEqual(['backlog-sweep', true])
  })
})

describe('a refine', () => {
  test('folds a parked Task and closes an issue: one Task is minted that owns what was adopted (OUTCOME-REFINE-3, OUTCOME-REFINE-5, TASK-RESOURCE-4)', async () => {
    const member = (await fixture.runtime.list('task'))
      .map(({ context }) => context as unknown as TaskContext)
      .find(({ kind }) => kind === 'implement')!
    const over = fixture.forge.openIssue(people.reporter, repository, { title: 'Over', body: 'x', labels: [] }).number
    await fixture.applyTask('refine-1', 'refine')
    const pod = await fixture.podOf('refine-1', 1)
    const answer = await submit(pod, 'refine-1', 'refine', {
      folds: [{ task: member.id }],
      closes: [{ repo: 'duration', number: over, reason: 'it works already' }],
    })
    expect([answer.status, answer.body['task']]).toEqual([200, { stage: 'refining' }])
    await fixture.until(
      'the member has folded',
      async () =>
        ((await fixture.runtime.read(`task:${member.id}`))?.context as TaskContext | undefined)?.stage.name ===
        'folded',
    )
    await pod.endTurn()
    await fixture.until('the refine is delivered', async () => (await stageOf('refine-1')) === 'delivered')
    const heir = await fixture.until('the heir', async () =>
      (await fixture.runtime.list('task'))
        .map(({ context }) => context as unknown as TaskContext)
        .find(({ origin }) => origin.kind === 'fold'),
    )
    expect(heir.forge.issues.map(({ issue }) => issue)).toEqual(member.forge.issues.map(({ issue }) => issue))
    const [{ issue } = { issue: '' }] = heir.forge.issues
    await fixture.until(
      'the issue has its new owner',
      async () => (await fixture.runtime.read(`issue:${issue}`))?.context['owner'] === heir.id,
    )
    await fixture.until('the other issue is closed', () => did(people.bot, 'issue.close') === 1)
    expect(await fixture.runtime.deadLetters()).toEqual([])
  })
})
