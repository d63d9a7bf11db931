/**
 * Approval: an agent's word is a claim, and only a maintainer's own comment makes it a grant (APPROVAL-2). What a
 * false claim costs is a pod. The tests are one story of one Task.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../standins/people.ts'
import { expectProblem, expectRefused, forbidden } from '../testing/refusals.ts'
import { startOrchestratorFixture, type Asked, type OrchestratorFixture } from '../testing/fixture.ts'
import { expectUnchanged, openTask, type TaskStory } from '../testing/task-story.ts'

let fixture: OrchestratorFixture
let story: TaskStory

beforeAll(async () => {
  fixture = await startOrchestratorFixture()
  story = await openTask(fixture)
}, 60_000)
afterAll(() => fixture?.stop(), 30_000)

interface Cited {
  readonly plan: string | null
  readonly by: string
  readonly id: string
  readonly quote?: string
}

function approval({ plan, by, id, quote = '/approve' }: Cited): object {
  const citation = { approving_maintainer: by, approval_citations: [{ id, quote }] }
  return { action: 'approved', reason: `${by} approves`, plan_note_id: plan, ...citation }
}

describe('an approval', () => {
  test('by somebody who is no maintainer parks the Task at identity-unverified, and says so on the issue (APPROVAL-3) (OUTCOME-IMPLEMENT-14, CLAIM-1, CLAIM-2, TASK-MOVES-6)', async () => {
    const { first } = story
    const plan = await story.plan(first, 'Add a unit to the table.')
    const id = await story.says(people.reporter, '/approve')
    const commented = (): number =>
      fixture.forge.audit().filter(({ actor, action }) => actor === people.bot && action === 'comment.create').length
    const before = commented()
    const answer = await story.outcome(first, approval({ plan, by: people.reporter, id }))
    const accepted = { accepted: true, task: { stage: 'implementing' }, outcomeId: expect.any(String) as string }
    expect([answer.status, answer.body]).toEqual([200, accepted])
    await story.stageIs('identity-unverified', 'approval-refused', 'author-is-maintainer')
    await fixture.quiet()
    expect(commented()).toBe(before + 1)
    expect(story.labels()).not.toContain('platform-approved')
  })

  test('leaves the token of the pod that ended no good for anything (AGENT-API-5, OUTCOME-12, AGENT-API-15, ORCHESTRATOR-ERRORS-2)', async () => {
    const { first } = story
    await story.endOf(first)
    const calls: [string, Asked][] = [
      ['/notes', { body: { kind: 'note', body: 'late' } }],
      ['/outcome', { body: { kind: 'implement', payload: { action: 'rejected', reason: 'late' } } }],
      ['/issues', { body: { action: 'comment', repo: 'duration', number: story.issue, body: 'late' } }],
      ['', {}],
      ['/notes', {}],
      ['/context', {}],
      ['/scm?kind=issues&repo=duration', {}],
    ]
    for (const [path, asked] of calls) await expectRefused(fixture, path, () => story.by(first, path, asked), forbidden)
    for (const path of ['/projects/demo', '/projects/demo/repositories', '/projects/demo/task-index'])
      await expectRefused(fixture, path, () => fixture.call(path, { token: first.token }), forbidden)
    await expectRefused(fixture, 'git', () => story.git(first), forbidden)
  })

  test('by a quote that the comment does not contain parks it there too (CLAIM-8)', async () => {
    const id = await story.says(people.maintainer, 'I shall look at it. What about months?')
    const second = await fixture.podAtWork(2)
    const plan = await story.plan(second, 'Add weeks and months to the table.')
    // An id of a call that was refused is no key of the next one: the claim is judged, not answered with the refusal.
    const mine = { headers: { 'x-request-id': 'mine' } }
    const review = { verdict: 'approve', reviewed_shas: [{ repo: 'duration', number: 1, sha: 'a'.repeat(40) }] }
    const refused = await story.outcome(second, review, { kind: 'review', ...mine })
    expectProblem(fixture, refused, { status: 409, code: 'kind-mismatch' }, 'kind')
    const claim = (): ReturnType<TaskStory['outcome']> =>
      story.outcome(second, approval({ plan, by: people.maintainer, id }), mine)
    const answer = await claim()
    expect(answer.status).toBe(200)
    await story.stageIs('identity-unverified', 'approval-refused', 'quote-matches')
    await fixture.quiet()
    const repeated = await expectUnchanged(fixture, claim)
    expect([repeated.status, repeated.body]).toEqual([200, answer.body])
    await story.endOf(second)
  })

  test('by a maintainer’s own words is granted, and the next turn says so', async () => {
    const id = await story.says(people.maintainer, 'Thanks.\n\n/approve')
    const third = await fixture.podAtWork(3)
    const plan = (await fixture.task())?.journal.planNoteId ?? null
    expect((await story.outcome(third, approval({ plan, by: 'Maria', id }))).status).toBe(200)
    await fixture.until('the grant', async () =>
      (await fixture.task())?.forge.issues.every(({ grant }) => grant !== null),
    )
    await third.endTurn()
    await fixture.until('the turn that writes the code', async () => (await third.turns()).length > 1)
    const [turn, next] = await third.turns()
    expect(turn?.text).not.toContain('The approval is granted')
    expect(next?.text).toContain('The approval is granted: write the code')
    await fixture.quiet()
    expect(story.labels()).toContain('platform-approved')
  })

  test('that a maintainer takes back is a grant no longer', async () => {
    await story.says(people.maintainer, '/hold')
    await fixture.until('the grant is gone', async () =>
      (await fixture.task())?.forge.issues.every(({ grant }) => grant === null),
    )
    await fixture.quiet()
    expect(story.labels()).not.toContain('platform-approved')
  })

  test('has had nothing merged, reviewed or pushed in all this, and every journal replays', async () => {
    const oversteps = ['pull.merge', 'pull.open', 'review.create', 'git.push', 'branch.create', 'issue.close']
    const done = fixture.forge.audit().filter(({ actor, action }) => actor === people.bot && oversteps.includes(action))
    expect(done).toEqual([])
    expect(await fixture.runtime.deadLetters()).toEqual([])
    expect(await fixture.runtime.pendingEffects({ state: 'dead' })).toEqual([])
    for (const kind of ['task', 'issue', 'pod', 'turn', 'queue', 'project'] as const) {
      for (const { address } of await fixture.runtime.list(kind))
        expect(await fixture.runtime.replay(address)).toMatchObject({ address, equal: true })
    }
  })
})
