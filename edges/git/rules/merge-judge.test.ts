/** The same question as at the push, asked again at the merge: a real forge, whose base and head have moved since. */
import { expect, test } from 'vitest'
import { commit, run } from '../../../standins/forge/testing/fixture.ts'
import type { MergeAnswer, MergeJudge, MergeQuestion } from '../../ports/merge-judge.ts'
import { createMergeJudge } from './merge-judge.ts'
import { BRANCH, push, withGateway, type GatewayFixture } from '../testing/fixture.ts'

const place = { project: 'default/demo', repository: 'library' }

interface Pushed extends GatewayFixture {
  readonly judge: MergeJudge
  readonly person: string
  readonly head: string
  ask(question?: Partial<MergeQuestion>): Promise<MergeAnswer>
}

/** A pod changed a page of its repository, and the gateway took it. */
async function withPushed(use: (pushed: Pushed) => Promise<void>): Promise<void> {
  await withGateway(async (fixture) => {
    const person = await fixture.clone('maintainer')
    await fixture.push(person, 'main', { 'CLAUDE.md': 'a', 'docs/style.md': 'a', 'deploy/x': 'x' })
    const pod = await fixture.podClone()
    await commit(pod, { 'docs/style.md': 'b' }, 'Style')
    await push(pod, `HEAD:refs/heads/${BRANCH}`)
    const head = await run(pod, ['rev-parse', 'HEAD'])
    const judge = createMergeJudge(fixture)
    const ask = (question: Partial<MergeQuestion> = {}): Promise<MergeAnswer> =>
      judge.judge({ ...place, baseBranch: 'main', headSha: head, method: 'merge', ...question })
    await use({ ...fixture, judge, person, head, ask })
  })
}

test('GIT-7: what main came to include between push and merge is judged at the merge (GIT-GATEWAY-8)', async () => {
  await withPushed(async ({ ask, person, ...fixture }) => {
    const before = await ask()
    expect(before).toMatchObject({ kind: 'clean', base: await run(person, ['rev-parse', 'HEAD']) })
    const moved = await fixture.push(person, 'main', { 'CLAUDE.md': 'a @docs/style.md' })
    for (const method of ['merge', 'squash', 'rebase'] as const)
      expect(await ask({ method })).toMatchObject({
        kind: 'protected',
        base: moved,
        paths: [{ path: 'docs/style.md' }],
      })
  })
})

test('GIT-7: a workflow that main changed since the push holds no merge up, and the judged tree is that of the merge', async () => {
  await withPushed(async ({ ask, judge, person, head, ...fixture }) => {
    await fixture.push(person, 'main', { '.github/workflows/ci.yml': 'on: push' })
    const judged = await ask()
    expect(judged.kind).toBe('behind')
    await run(person, ['fetch', '--quiet'])
    await run(person, ['merge', '--quiet', '--no-edit', head])
    await run(person, ['push', '--quiet', 'origin', 'HEAD:refs/heads/main'])
    const merged = await run(person, ['rev-parse', 'HEAD'])
    expect(judged).toMatchObject({ tree: await judge.treeOf(place, merged) })
    expect(await judge.treeOf(place, '1'.repeat(40))).toBeUndefined()
  })
})

test('GIT-7: what the Project protects counts at the merge, and a head that its branch has left can still be judged', async () => {
  await withPushed(async ({ ask, person, ...fixture }) => {
    const headSha = await fixture.push(person, 'people', { 'deploy/x': 'y' })
    await run(person, ['push', '--quiet', 'origin', ':refs/heads/people'])
    expect(await ask({ headSha })).toMatchObject({ kind: 'protected', paths: [{ reason: 'the Project protects it' }] })
  })
})

test('GIT-7: a head or a base that is not there is not yet, and so is a conflict', async () => {
  await withPushed(async ({ ask, person, ...fixture }) => {
    expect(await ask({ baseBranch: 'none' })).toMatchObject({ kind: 'unreadable', base: undefined })
    for (const headSha of ['1'.repeat(40), '--help'])
      expect(await ask({ headSha })).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining(headSha) })
    await fixture.push(person, 'main', { 'docs/style.md': 'c' })
    expect(await ask()).toMatchObject({ kind: 'conflict', paths: ['docs/style.md'] })
  })
})
