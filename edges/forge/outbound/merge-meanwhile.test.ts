/** The state that asked for a merge may be left while the merge is judged, and what is asked for may change. */
import { expect, test, vi } from 'vitest'
import { AwayError } from '../../../runtime/errors.ts'
import type { ForgePort } from '../port.ts'
import { withForgeEdge, type EdgeFixture } from '../testing/fixture.ts'
import { openChange, SUBJECT } from './testing/merges.ts'
import { testInside } from '../../../testing/inside.ts'

/** The merge with `meanwhile` done between the question and its answer. */
async function mergeJudged(
  fixture: EdgeFixture,
  meanwhile: (effect: AbortController, number: number) => unknown,
): Promise<readonly { event: { type: string } }[]> {
  const change = await openChange(fixture)
  const pull = { owner: 'acme', repo: 'library', pull_number: change.number }
  const { pulls } = fixture.octokit('reader')
  await vi.waitUntil(async () => (await pulls.get(pull)).data.mergeable !== null, { timeout: 20_000 })
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  fixture.mergeJudge = {
    ...fixture.mergeJudge,
    judge: async () => {
      asked.resolve()
      await answered.promise
      return { kind: 'clean', tree: '', base: '' }
    },
  }
  const effect = new AbortController()
  const params = { ...SUBJECT, number: change.number, sha: change.sha, base: 'main', attempt: 1, grants: [] }
  const context = { ...fixture.context('k'), signal: effect.signal }
  const performed = fixture.edge.handlers.mergeMergeRequest.perform(params, context)
  // Whoever ends before it asks is looked at too.
  await Promise.race([asked.promise, performed])
  await meanwhile(effect, change.number)
  answered.resolve()
  return performed
}

const merges = ({ forge }: EdgeFixture): number => forge.audit().filter(({ action }) => action === 'pull.merge').length

const it = testInside(withForgeEdge, {})

it('an effect that is withdrawn while the merge is judged merges nothing, and answers so (MERGE-12) [FORGE-WRITES-1]', async (fixture) => {
  const answers = await mergeJudged(fixture, (effect) => effect.abort())
  expect(answers).toMatchObject([{ event: { type: 'mr.notMergeableYet', reason: 'withdrawn' } }])
  expect(merges(fixture)).toBe(0)
})

test('an effect that is withdrawn during the last look before the call merges nothing (MERGE-12) [FORGE-WRITES-1]', async () => {
  let withdraw = (): void => undefined
  const before = (port: ForgePort): ForgePort => ({
    ...port,
    mergeRequest: async (...asked) => {
      const found = await port.mergeRequest(...asked)
      withdraw()
      return found
    },
  })
  await withForgeEdge({ before }, async (fixture) => {
    const answers = await mergeJudged(fixture, (effect) => {
      withdraw = () => effect.abort()
    })
    expect(answers).toMatchObject([{ event: { type: 'mr.notMergeableYet', reason: 'withdrawn' } }])
    expect(merges(fixture)).toBe(0)
  })
})

it('a doubt that a maintainer says while the merge is judged withholds it (LAW-24)', async (fixture) => {
  // It makes the hook by which the word is told.
  await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
  const answers = await mergeJudged(fixture, async (_effect, number) => {
    fixture.forge.comment('maintainer', 'acme/library', number, 'Please hold off, legal has to look at this first.')
    await fixture.quiet()
  })
  expect(answers).toMatchObject([{ event: { type: 'mr.mergeRefused', cause: 'withheld' } }])
  expect(merges(fixture)).toBe(0)
})

it('HEAD-1: a merge request that gets another base while its merge is judged is not merged into that', async (fixture) => {
  const folder = await fixture.clone('maintainer')
  await fixture.push(folder, 'release', { 'release.md': 'A line of its own.\n' })
  const answers = await mergeJudged(fixture, (_effect, number) =>
    fixture
      .octokit('maintainer')
      .pulls.update({ owner: 'acme', repo: 'library', pull_number: number, base: 'release' }),
  )
  expect(answers).toMatchObject([{ event: { type: 'mr.notMergeableYet', reason: 'base-moved' } }])
  expect(merges(fixture)).toBe(0)
})

it('the control: an effect that stands while the merge is judged merges', async (fixture) => {
  expect(await mergeJudged(fixture, () => undefined)).toEqual([])
  expect(merges(fixture)).toBe(1)
})

test('the merge of a quarantined Task waits: nobody knows in which other threads a maintainer said no (MERGE-11, LAW-24)', async () => {
  for (const isQuarantined of [true, false])
    await withForgeEdge({}, async (fixture) => {
      if (isQuarantined) fixture.threadsOf = async () => undefined
      const merge = mergeJudged(fixture, () => undefined)
      await (isQuarantined ? expect(merge).rejects.toThrow(AwayError) : merge)
      expect(merges(fixture)).toBe(isQuarantined ? 0 : 1)
    })
})
