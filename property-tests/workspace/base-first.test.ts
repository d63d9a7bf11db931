/** Main changes what no pod may change while pods work on an older one: the real wrapper's workspace before the real gateway. */
import { expect } from 'vitest'
import { BRANCH, withGateway, type GatewayFixture } from '../../edges/git/testing/fixture.ts'
import { run } from '../../standins/forge/testing/fixture.ts'
import type { Published } from '../../wrapper/workspace/outside/publish.ts'
import { podOn } from './gateway-pods.ts'
import { testInside } from '../../testing/inside.ts'

const done: Published = { pushed: ['lib'], failed: [] }
const outcomes = ({ audits }: GatewayFixture): readonly string[] => audits.map(({ outcome }) => outcome)

const it = testInside<[GatewayFixture]>((use) => withGateway(use))

it('main is merged before a push wherever it changed, and no head is made of main alone (WORK-PUSH-9)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  pod.write('work.md', 'work')
  expect(await pod.publish()).toEqual(done)
  const head = await run(gateway.path, ['rev-parse', BRANCH])
  const main = await gateway.push(person, 'main', { 'other.md': 'theirs' })
  expect((await pod.publish()).failed).toEqual([])
  expect(await run(gateway.path, ['rev-parse', BRANCH])).toBe(head)
  pod.write('more.md', 'more')
  expect(await pod.publish()).toEqual(done)
  expect(await run(gateway.path, ['merge-base', main, BRANCH])).toBe(main)
})

it('a push that a tool asks for merges main first too, into files that are all committed (WORK-PUSH-9)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  await gateway.push(person, 'main', { '.github/workflows/ci.yml': 'on: push\n' })
  await pod.commit('a.md', 'mine')
  pod.write('open.md', 'not yet')
  const { failed } = await pod.pushNow()
  expect(failed).toMatchObject([{ error: expect.stringContaining('git merge origin/main') }])
  expect(await run(pod.clone, ['status', '--porcelain'])).toBe('?? open.md')
  // The agent, which can fetch nothing itself, has what the refusal names.
  await run(pod.clone, ['cat-file', '-e', 'origin/main:.github/workflows/ci.yml'])
  await pod.commit('open.md', 'now')
  expect(await pod.pushNow()).toEqual(done)
  expect(await run(gateway.path, ['show', `${BRANCH}:open.md`])).toBe('now')
})

it('what main changes between that merge and the push is merged after the refusal (WORK-PUSH-9)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  const moving = pod.wrapped({
    wire: (wire) => wire,
    git: (git) => async (args, options) => {
      if (args[0] === 'push' && gateway.audits.length === 0)
        await gateway.push(person, 'main', { '.github/workflows/ci.yml': 'on: push\n' })
      return git(args, options)
    },
  })
  pod.write('a.md', 'mine')
  expect(await pod.publish(moving)).toEqual(done)
  expect(outcomes(gateway)).toEqual(['refused', 'accepted'])
})

it('a push in the middle of a turn merges nothing into the files on which the agent works (WORK-PUSH-2)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  await gateway.push(person, 'main', { 'other.md': 'theirs' })
  await pod.commit('a.md', 'mine')
  const head = await run(pod.clone, ['rev-parse', 'HEAD'])
  expect(await pod.safetyPush()).toEqual({ state: 'pushed' })
  await gateway.push(person, 'main', { '.github/workflows/ci.yml': 'on: push\n' })
  expect(await run(pod.clone, ['rev-parse', 'HEAD'])).toBe(head)
  await pod.commit('b.md', 'mine')
  const ours = await run(pod.clone, ['rev-parse', 'HEAD'])
  expect(await pod.safetyPush()).toMatchObject({ state: 'refused', behind: 'base' })
  expect(await run(pod.clone, ['rev-parse', 'HEAD'])).toBe(ours)
})

it('the head under review is not merged with main (REVIEW-2)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const sha = await gateway.push(await gateway.clone('bot'), BRANCH, { 'a.md': 'reviewed' })
  const pod = await podOn(gateway, BRANCH, sha)
  await gateway.push(person, 'main', { 'other.md': 'theirs' })
  pod.write('b.md', 'by the reviewer')
  expect(await pod.publish()).toEqual(done)
  expect(await run(gateway.path, ['log', '-1', '--format=%P', BRANCH])).toBe(sha)
})

it('a merge that the agent itself has under way is not aborted', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  await pod.commit('a.md', 'mine')
  await run(pod.clone, ['branch', 'side', 'HEAD~1'])
  await run(pod.clone, ['checkout', '--quiet', 'side'])
  await pod.commit('b.md', 'side')
  await run(pod.clone, ['checkout', '--quiet', BRANCH])
  await run(pod.clone, ['merge', '--quiet', '--no-commit', '-s', 'ours', 'side'])
  await gateway.push(person, 'main', { 'other.md': 'theirs' })
  expect(await pod.pushNow()).toEqual(done)
  expect(await run(pod.clone, ['rev-parse', 'MERGE_HEAD'])).toBe(await run(pod.clone, ['rev-parse', 'side']))
})

it('GIT-7: where main conflicts the agent is told the command, has what it needs for it, and the push follows (WORK-PUSH-10)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  await gateway.push(person, 'main', { 'a.md': 'theirs\n' })
  pod.write('a.md', 'mine\n')
  const { pushed, failed } = await pod.publish()
  expect([pushed, failed]).toMatchObject([
    [],
    [{ repo: 'lib', error: expect.stringContaining('git merge origin/main') }],
  ])
  expect(await run(pod.clone, ['status', '--porcelain'])).toBe('')
  expect(await run(pod.clone, ['show', 'HEAD:a.md'])).toBe('mine')
  await run(pod.clone, ['merge', '--quiet', '-X', 'ours', '--no-edit', 'origin/main'])
  expect(await pod.publish()).toEqual(done)
})

it('a push that needs a maintainer is tried once (GIT-5)', async (gateway) => {
  const person = await gateway.clone('maintainer')
  const pod = await podOn(gateway, BRANCH)
  await gateway.push(person, 'main', { 'b.md': 'theirs\n' })
  pod.write('CODEOWNERS', '* @me\n')
  const { failed } = await pod.publish()
  expect(failed).toMatchObject([{ error: expect.stringContaining('/allow-ci-changes') }])
  expect(outcomes(gateway)).toEqual(['refused'])
})
