/** The merge over a real forge and the gateway's own copies: what main becomes is judged again at the merge (GIT-7). */
import { join } from 'node:path'
import { expect } from 'vitest'
import { mostPackBytes } from '../../edges/git/wire/receive.ts'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import { longestRunMs } from '../../edges/git/store/run-git.ts'
import { mergeWhenKnown, openChange } from '../../edges/forge/outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture } from '../../edges/forge/testing/fixture.ts'
import { createMergeJudge } from '../../edges/git/rules/merge-judge.ts'
import { systemClock } from '../../runtime/clock.ts'
import { forgeIdsOf, openGitCache } from './gateway.ts'
import { testInside } from '../../testing/inside.ts'

const BRANCH = 'platform/implement-library-1-aaaaa'

interface Pushed extends EdgeFixture {
  /** A clone of somebody who may push to main. */
  readonly person: string
  readonly change: { readonly number: number; readonly sha: string }
}

/** A pod's change of `docs/style.md`, which is protected by nothing at its push. */
async function withPushed(use: (pushed: Pushed) => Promise<void>): Promise<void> {
  const repository = { mergeMethods: ['merge', 'squash', 'rebase'] } as const
  await withForgeEdge({ git: 'process', repository }, async (fixture) => {
    const { directory, dir } = fixture
    const git = { mostPackBytes, mostCheckoutBytes, longestRunMs }
    const person = await fixture.clone('maintainer')
    await fixture.push(person, 'main', { 'CLAUDE.md': 'a', 'docs/style.md': 'a' })
    fixture.mergeJudge = createMergeJudge({
      directory,
      forgeIdOf: forgeIdsOf(fixture.edge.mirror),
      cache: openGitCache({ stateDir: join(dir, 'state'), git }, systemClock),
    })
    const change = await openChange(fixture, BRANCH, { 'docs/style.md': 'b' })
    await use(Object.assign(fixture, { person, change }))
  })
}

function merges(fixture: EdgeFixture): number {
  return fixture.forge.audit().filter(({ action }) => action === 'pull.merge').length
}

const it = testInside(withPushed)

it('GIT-7: what main came to include between push and merge is not merged before a maintainer allows it (MERGE-12)', async (fixture) => {
  const { person, change } = fixture
  await fixture.push(person, 'main', { 'CLAUDE.md': 'a @docs/style.md' })
  const [answer] = await mergeWhenKnown(fixture, change)
  expect(answer?.event).toMatchObject({
    type: 'mr.mergeRefused',
    reason: expect.stringMatching(/docs\/style\.md is protected, because .*`\/allow-ci-changes`/),
  })
  expect(merges(fixture)).toBe(0)
  fixture.ciChangesAllowed = true
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
  expect(merges(fixture)).toBe(1)
})

it('GIT-7: with the wall taken down the bot merges it', async (fixture) => {
  const { person, change } = fixture
  await fixture.push(person, 'main', { 'CLAUDE.md': 'a @docs/style.md' })
  fixture.mergeJudge = { judge: async () => ({ kind: 'clean', tree: '', base: '' }), treeOf: async () => undefined }
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
  expect(merges(fixture)).toBe(1)
})

it('GIT-7: a change that leaves the protected paths alone is merged, though main changed a workflow meanwhile (MERGE-12)', async (fixture) => {
  const { person, change } = fixture
  await fixture.push(person, 'main', { '.github/workflows/ci.yml': 'on: push' })
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
  expect(await comments(fixture)).toEqual([])
})

it('MERGE-12: what nobody judged because main moved at the last moment is told once to people', async (fixture) => {
  const { person, change, mergeJudge } = fixture
  fixture.mergeJudge = {
    ...mergeJudge,
    judge: async (question) => {
      const judged = await mergeJudge.judge(question)
      await fixture.push(person, 'main', { 'README.md': 'moved' })
      return judged
    },
  }
  expect(await mergeWhenKnown(fixture, change)).toEqual([])
  expect(merges(fixture)).toBe(1)
  expect(await comments(fixture)).toEqual([
    expect.stringMatching(/^main moved while this merge was under way: .* holds another tree/),
  ])
})

it('MERGE-12: a head that a person pushed to a merge request of theirs is not asked about', async (fixture) => {
  const folder = await fixture.clone('maintainer')
  const sha = await fixture.push(folder, 'people', { 'CLAUDE.md': 'by a maintainer' })
  const opened = { title: 'Rules', body: '', head: 'people', base: 'main' }
  const { number } = await fixture.forge.openPull('maintainer', 'acme/library', opened)
  await fixture.edge.mirror.refresh('default/demo', 'library', 'mr', number)
  expect(await mergeWhenKnown(fixture, { number, sha })).toEqual([])
})

async function comments(fixture: Pushed): Promise<readonly string[]> {
  const rows = await fixture.edge.mirror.comments('default/demo', 'library', 'mr', fixture.change.number)
  return rows.map(({ comment }) => comment.body)
}
