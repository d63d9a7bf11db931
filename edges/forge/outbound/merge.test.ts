import { describe, expect, test } from 'vitest'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../testing/fixture.ts'
import { merge, mergeWhenKnown, openChange, SUBJECT } from './testing/merges.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = { owner: 'acme', repo: 'library' }
const protectedBy = { repository: { protection: { main: { requiredChecks: ['test'] } } } }
const merges = ({ forge }: EdgeFixture): number => forge.audit().filter(({ action }) => action === 'pull.merge').length
const reporter =
  (fixture: EdgeFixture, { sha }: { sha: string }) =>
  (name: string, conclusion: 'success' | 'failure' | 'cancelled'): Promise<unknown> =>
    fixture.octokit('maintainer').checks.create({ ...REPO, name, head_sha: sha, status: 'completed', conclusion })

async function expectAnswer(
  fixture: EdgeFixture,
  change: { number: number; sha: string },
  event: object,
  asked: Parameters<typeof mergeWhenKnown>[2] = {},
): Promise<void> {
  expect(await mergeWhenKnown(fixture, change, asked)).toMatchObject([{ event }])
}

const it = testInside(withForgeEdge, {})

it('a merge request at the reviewed head is merged once, its task branch deleted, and the merge observed without waiting for the webhook (RESOURCES-18, FORGE-RULES-1, FORGE-RULES-3)', async (fixture) => {
  const change = await openChange(fixture)
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
  const observed = fixture.delivered.filter((one) => one.event.type === 'mr.observed').at(-1)
  expect(observed).toMatchObject({
    to: `merge-request:default/library-mr-${change.number}`,
    event: { facts: { state: 'merged', headSha: change.sha, mergeCommit: expect.stringMatching(/^[0-9a-f]{40}$/) } },
  })
  expect(merges(fixture)).toBe(1)
  expect(fixture.forge.audit().some((entry) => entry.action === 'branch.delete')).toBe(true)
  expect(await merge(fixture, change)).toEqual([])
  expect(merges(fixture)).toBe(1)
})

test('an answer lost after the merge leads to one merge, not two (SERVICE-5)', async () => {
  await withForgeEdge(
    { faults: [{ kind: 'errorAfterWrite', method: 'PUT', path: '/repos/acme/library/pulls/*/merge', times: 1 }] },
    async (fixture) => {
      const change = await openChange(fixture)
      await expect(mergeWhenKnown(fixture, change)).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
      expect(await merge(fixture, change)).toEqual([])
      expect(merges(fixture)).toBe(1)
    },
  )
})

it('nothing is merged between two jobs, when all checks that began are green and others are to come (TOOL-CI-9)', async (fixture) => {
  const change = await openChange(fixture)
  const end = fixture.forge.expectChecks('maintainer', 'acme/library', change.sha)
  await reporter(fixture, change)('unit', 'success')
  await expectAnswer(fixture, change, { type: 'mr.ciPending', reason: 'the checks of this head are running' })
  end()
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
})

it('LAW-18: nothing is merged while the Issue holds no grant', async (fixture) => {
  const { number } = fixture.forge.openIssue('maintainer', 'acme/library', { title: 'Multiply' })
  const change = await openChange(fixture)
  const grants = [`issue:default/library-${number}`]
  const answers = await mergeWhenKnown(fixture, change, { grants })
  expect(answers).toMatchObject([
    { event: { type: 'mr.notMergeableYet', reason: 'approval-revoked', sha: change.sha, attempt: 1 } },
  ])
  fixture.grants.add(grants[0]!)
  expect(await mergeWhenKnown(fixture, change, { grants })).toEqual([])
})

it('LAW-18: nothing is merged on the word of an issue that is gone from the forge (APPROVAL-14)', async (fixture) => {
  const change = await openChange(fixture)
  fixture.grants.add('issue:default/library-404')
  await expectAnswer(
    fixture,
    change,
    { type: 'mr.notMergeableYet', reason: 'approval-revoked' },
    { grants: ['issue:default/library-404'] },
  )
})

it('a head other than the reviewed one is not merged (SERVICE-6)', async (fixture) => {
  const change = await openChange(fixture)
  expect(await merge(fixture, { ...change, sha: 'f'.repeat(40) })).toMatchObject([
    { event: { type: 'mr.notMergeableYet', reason: 'head-moved' } },
  ])
  expect(merges(fixture)).toBe(0)
})

it.for([
  { base: 'release', why: 'the one that it has now is another one' },
  { base: undefined, why: 'a journal of before 2026-11-28 asks without one' },
])('HEAD-1: nothing is merged into another base than the judged one: $why', async ({ base }, fixture) => {
  const change = await openChange(fixture)
  await expectAnswer(fixture, change, { type: 'mr.notMergeableYet', reason: 'base-moved' }, { base })
  expect(merges(fixture)).toBe(0)
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
})

it('a conflict with the base is told as a conflict', async (fixture) => {
  const change = await openChange(fixture, 'platform/a', { 'README.md': 'ours\n' })
  const folder = await fixture.clone('maintainer')
  await fixture.push(folder, 'main', { 'README.md': 'theirs\n' })
  await expectAnswer(fixture, change, { type: 'mr.conflict' })
})

test('checks decide: running is pending, red is red, green merges; a required one that was never reported is awaited (MERGE-5)', async () => {
  await withForgeEdge(protectedBy, async (fixture) => {
    const change = await openChange(fixture)
    const api = fixture.octokit('maintainer')
    await expectAnswer(fixture, change, { type: 'mr.ciPending', reason: 'not reported yet: test' })
    const begun = { name: 'test', head_sha: change.sha, status: 'in_progress' } as const
    const { data: run } = await api.checks.create({ ...REPO, ...begun })
    expect(await merge(fixture, change)).toMatchObject([{ event: { type: 'mr.ciPending', reason: 'test: running' } }])
    await api.checks.update({ ...REPO, check_run_id: run.id, status: 'completed', conclusion: 'failure' })
    expect(await merge(fixture, change)).toMatchObject([{ event: { type: 'mr.ciRed', reason: 'test: failure' } }])
    await api.checks.update({ ...REPO, check_run_id: run.id, status: 'completed', conclusion: 'success' })
    expect(await mergeWhenKnown(fixture, change)).toEqual([])
  })
})

test('MERGE-15: names the red checks that the forge does not require, unless a required one is red too', async () => {
  await withForgeEdge(protectedBy, async (fixture) => {
    const change = await openChange(fixture)
    const report = reporter(fixture, change)
    await report('test', 'success')
    await report('codecov', 'failure')
    await report('preview', 'cancelled')
    const [answer] = await mergeWhenKnown(fixture, change)
    expect(answer?.event).toMatchObject({ type: 'mr.ciRed', reason: expect.stringContaining('codecov: failure') })
    expect(new Set((answer?.event as { optional?: string[] } | undefined)?.optional)).toEqual(
      new Set(['codecov', 'preview']),
    )
    await report('test', 'failure')
    const [required] = await merge(fixture, change)
    expect(required?.event).toMatchObject({ type: 'mr.ciRed' })
    expect(required?.event).not.toHaveProperty('optional')
  })
})

describe('red checks that a maintainer leaves aside', () => {
  test('MERGE-15: those that are named do not stop the merge', async () => {
    await withForgeEdge(protectedBy, async (fixture) => {
      const change = await openChange(fixture)
      const report = reporter(fixture, change)
      await report('test', 'success')
      await report('codecov', 'failure')
      await report('preview', 'cancelled')
      await expectAnswer(
        fixture,
        change,
        { type: 'mr.ciRed', optional: expect.arrayContaining(['codecov', 'preview']) },
        { despite: ['codecov'] },
      )
      expect(await mergeWhenKnown(fixture, change, { despite: ['codecov', 'preview', 'lint'] })).toEqual([])
      expect(merges(fixture)).toBe(1)
    })
  })

  test('MERGE-15: a required one stops it, named or not, and one that was never reported is awaited', async () => {
    await withForgeEdge(protectedBy, async (fixture) => {
      const change = await openChange(fixture)
      const report = reporter(fixture, change)
      await report('codecov', 'failure')
      const despite = ['codecov', 'test']
      await expectAnswer(fixture, change, { type: 'mr.ciPending', reason: 'not reported yet: test' }, { despite })
      await report('test', 'failure')
      const [answer] = await merge(fixture, change, { despite })
      expect(answer?.event).toMatchObject({ type: 'mr.ciRed' })
      expect(answer?.event).not.toHaveProperty('optional')
    })
  })

  it('MERGE-15, TOOL-CI-9: what has not ended beside them is awaited, a check and the time between two jobs', async (fixture) => {
    const change = await openChange(fixture)
    const { repos } = fixture.octokit('maintainer')
    const status = (context: string, state: 'pending' | 'success' | 'failure'): Promise<unknown> =>
      repos.createCommitStatus({ ...REPO, sha: change.sha, state, context })
    const end = fixture.forge.expectChecks('maintainer', 'acme/library', change.sha)
    await status('codecov', 'failure')
    await reporter(fixture, change)('unit', 'success')
    const despite = ['codecov']
    await expectAnswer(
      fixture,
      change,
      { type: 'mr.ciPending', reason: 'the checks of this head are running' },
      { despite },
    )
    end()
    await status('slow', 'pending')
    expect(await merge(fixture, change, { despite })).toMatchObject([
      { event: { type: 'mr.ciPending', reason: 'slow: pending' } },
    ])
    await status('slow', 'success')
    expect(await mergeWhenKnown(fixture, change, { despite })).toEqual([])
  })

  test('MERGE-15: an open check that is not required is named, and left aside it stops nothing; a red one beside it does', async () => {
    await withForgeEdge(protectedBy, async (fixture) => {
      const change = await openChange(fixture)
      const report = reporter(fixture, change)
      const { checks } = fixture.octokit('maintainer')
      const begin = (name: string): Promise<unknown> =>
        checks.create({ ...REPO, name, head_sha: change.sha, status: 'in_progress' })
      await begin('preview')
      // What is required and missing is awaited in any case, so nobody is asked about the rest.
      const [missing] = await mergeWhenKnown(fixture, change, { despite: ['lint'] })
      expect(missing?.event).toMatchObject({ type: 'mr.ciPending', reason: 'preview: running' })
      expect(missing?.event).not.toHaveProperty('optional')
      await report('test', 'success')
      await expectAnswer(fixture, change, { type: 'mr.ciPending', optional: ['preview'] })
      await report('codecov', 'failure')
      await expectAnswer(fixture, change, { type: 'mr.ciRed', optional: ['codecov'] }, { despite: ['preview'] })
      expect(await mergeWhenKnown(fixture, change, { despite: ['preview', 'codecov'] })).toEqual([])
      expect(merges(fixture)).toBe(1)
    })
  })

  it('MERGE-15, MERGE-11: a hold after the go-ahead withholds the merge', async (fixture) => {
    const change = await openChange(fixture)
    await reporter(fixture, change)('codecov', 'failure')
    fixture.forge.comment('maintainer', 'acme/library', change.number, '/approve')
    fixture.clock.advance(1000)
    fixture.forge.comment('maintainer', 'acme/library', change.number, '/hold')
    await expectAnswer(fixture, change, { type: 'mr.mergeRefused', cause: 'withheld' }, { despite: ['codecov'] })
    expect(merges(fixture)).toBe(0)
  })
})

it('MERGE-4: in a repository that has checks, a head without any waits for them, but not for ever (FORGE-RULES-1)', async (fixture) => {
  const api = fixture.octokit('maintainer')
  const main = await fixture.clone('maintainer')
  const base = await fixture.push(main, 'main', { 'NOTES.md': 'x\n' })
  await api.repos.createCommitStatus({ owner: 'acme', repo: 'library', sha: base, state: 'success', context: 'lint' })
  const change = await openChange(fixture)
  await expectAnswer(fixture, change, { type: 'mr.ciPending', reason: 'no check has been reported for this head yet' })
  fixture.clock.advance(5 * 60_000)
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
})

test.each<[string, string, EdgeFixtureOptions]>([
  [
    'a bot without the right to merge',
    'give the bot account the right to merge',
    { faults: [{ kind: 'errorBeforeWrite', method: 'PUT', path: '/repos/acme/library/pulls/*/merge', status: 403 }] },
  ],
  ['a repository that allows no method', 'the allowed merge methods', { repository: { mergeMethods: [] } }],
  [
    'protection that only people can satisfy',
    'branch protection',
    { repository: { protection: { main: { requiredApprovals: 1 } } } },
  ],
])('MERGE-6: %s is a refusal, with what to change: %s', async (_what, reason, options) => {
  await withForgeEdge(options, async (fixture) => {
    expect(await mergeWhenKnown(fixture, await openChange(fixture))).toMatchObject([
      { event: { type: 'mr.mergeRefused', reason: expect.stringContaining(reason) } },
    ])
  })
})

test('MERGE-7: the method is one that the repository allows (FORGE-RULES-3)', async () => {
  await withForgeEdge({ repository: { mergeMethods: ['rebase'] } }, async (fixture) => {
    const change = await openChange(fixture)
    expect(await mergeWhenKnown(fixture, change)).toEqual([])
    expect(merges(fixture)).toBe(1)
  })
})

test.each([403, 405, 409, 422])(
  'a forge that answers %i to the end of a branch has merged all the same (MERGE-9)',
  async (status) => {
    const path = '/repos/acme/library/git/refs/**'
    await withForgeEdge({ faults: [{ kind: 'errorBeforeWrite', method: 'DELETE', path, status }] }, async (fixture) => {
      const change = await openChange(fixture)
      expect(await mergeWhenKnown(fixture, change)).toEqual([])
      const actions = fixture.forge.audit().map(({ action }) => action)
      expect(actions).toContain('pull.merge')
      expect(actions).not.toContain('branch.delete')
    })
  },
)

it('the branch of a person outlives the merge (MERGE-9)', async (fixture) => {
  expect(await mergeWhenKnown(fixture, await openChange(fixture, 'fix/mul'))).toEqual([])
  const actions = fixture.forge.audit().map(({ action }) => action)
  expect(actions).toContain('pull.merge')
  expect(actions).not.toContain('branch.delete')
})

it('an effect that was withdrawn while it looked merges nothing [FORGE-WRITES-1]', async (fixture) => {
  const change = await openChange(fixture)
  const params = { ...SUBJECT, number: change.number, sha: change.sha, base: 'main', attempt: 1, grants: [] }
  await fixture.edge.handlers.mergeMergeRequest.perform(params, {
    ...fixture.context('k'),
    signal: AbortSignal.abort(),
  })
  expect(merges(fixture)).toBe(0)
})
