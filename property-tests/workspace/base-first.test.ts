/** Main changes what no pod may change while pods work on an older one: the real wrapper's workspace before the real gateway. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BRANCH, withGateway, type GatewayFixture } from '../../edges/git/testing.ts'
import { run } from '../../standins/forge/testing.ts'
import { openWorkspace, type WorkspaceFixture } from '../../wrapper/testing/workspace.ts'
import { publishAll, type Published } from '../../wrapper/workspace/outside/publish.ts'

interface Pod extends WorkspaceFixture {
  write(name: string, text: string): void
  publish(): Promise<Published>
}

/** Pods are not closed over the gateway's one branch: each brings its own. */
async function podOn(gateway: GatewayFixture, branch: string): Promise<Pod> {
  const dir = mkdtempSync(join(gateway.dir, 'workspace-'))
  const url = gateway.url.replace('://', '://x-pod:pod-token@')
  const workspace = openWorkspace({ dir, url, branch })
  const { bare } = await workspace.boot()
  return {
    ...workspace,
    write: (name, text) => writeFileSync(join(workspace.clone, name), text),
    publish() {
      gateway.access = { repositories: ['library'], branches: { library: branch } }
      return publishAll(workspace, [bare], new Map(), 'turn')
    },
  }
}

test('GIT-7: main changes a workflow while three Tasks work, and each push merges main itself (WORK-PUSH-9)', async () => {
  await withGateway(async (gateway) => {
    const person = await gateway.clone('maintainer')
    await gateway.push(person, 'main', { '.github/workflows/ci.yml': 'on: push\n' })
    const branches = [BRANCH, `${BRANCH}-b`, `${BRANCH}-c`]
    const pods = await Promise.all(branches.map((branch) => podOn(gateway, branch)))
    const main = await gateway.push(person, 'main', { '.github/workflows/ci.yml': 'on: pull_request\n' })
    for (const [index, pod] of pods.entries()) {
      pod.write(`work-${index}.md`, 'work')
      expect(await pod.publish()).toEqual({ pushed: ['lib'], failed: [] })
      const parents = await run(gateway.path, ['log', '-1', '--format=%P', branches[index]!])
      expect(parents.split(' ')).toContain(main)
      expect(await run(gateway.path, ['show', `${branches[index]}:work-${index}.md`])).toBe('work')
    }
  })
})

test('GIT-7: where main conflicts the agent is told the command, has what it needs for it, and the push follows (WORK-PUSH-9)', async () => {
  await withGateway(async (gateway) => {
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
    await run(pod.clone, ['merge', '--quiet', '-X', 'ours', '--no-edit', 'origin/main'])
    expect(await pod.publish()).toEqual({ pushed: ['lib'], failed: [] })
  })
})

test('a push that needs a maintainer is not merged with main and tried again (GIT-5)', async () => {
  await withGateway(async (gateway) => {
    const person = await gateway.clone('maintainer')
    const pod = await podOn(gateway, BRANCH)
    await gateway.push(person, 'main', { 'b.md': 'theirs\n' })
    pod.write('CODEOWNERS', '* @me\n')
    const { failed } = await pod.publish()
    expect(failed).toMatchObject([{ error: expect.stringContaining('/allow-ci-changes') }])
    expect(gateway.audits.map(({ outcome }) => outcome)).toEqual(['refused'])
  })
})
