import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { basic, commit, failure, run, withForge, withReceiver } from './testing/fixture.ts'
import { testInside } from '../../testing/inside.ts'

const REPO = { owner: 'acme', repo: 'library' }

const it = testInside(withForge, {})

it('who may only read is refused a push, and who has no token or a wrong one is asked for one', async (fixture) => {
  const { forge, clone } = fixture
  const reader = await clone('reader')
  await commit(reader, { 'a.txt': 'a' }, 'A')
  await expect(run(reader, ['push', 'origin', 'HEAD:refs/heads/x'])).rejects.toThrow(/403/)
  await run(reader, ['config', '--unset', 'http.extraHeader'])
  await expect(run(reader, ['push', 'origin', 'HEAD:refs/heads/x'])).rejects.toThrow(/could not read Username/)
  await run(reader, ['config', 'http.extraHeader', basic('no-such-token')])
  await expect(run(reader, ['fetch', 'origin'])).rejects.toThrow(/could not read Username|Authentication failed/)
  expect(forge.audit().filter((entry) => entry.action === 'git.push')).toEqual([])
})

test('a private repository is not there for a stranger, and can be cloned by its reader', async () => {
  await withForge({ repository: { private: true } }, async ({ cloneOverHttp, octokit }) => {
    await expect(cloneOverHttp('stranger')).rejects.toThrow(/not found/)
    expect(await failure(octokit('stranger').repos.get(REPO))).toMatchObject({ status: 404, message: 'Not Found' })
    const folder = await cloneOverHttp('reader')
    expect(await run(folder, ['rev-parse', '--abbrev-ref', 'HEAD'])).toBe('main')
  })
})

it('the default branch only grows: no force push, no deletion', async ({ clone, push, path }) => {
  const folder = await clone('bot')
  const head = await push(folder, 'main', { 'a.txt': 'a' })
  await run(folder, ['commit', '--amend', '--quiet', '-m', 'Other'])
  await expect(run(folder, ['push', '--force', 'origin', 'HEAD:refs/heads/main'])).rejects.toThrow(/non-fast-forward/)
  await expect(run(folder, ['push', 'origin', ':refs/heads/main'])).rejects.toThrow(/refusing to delete/)
  expect(await run(path, ['rev-parse', 'refs/heads/main'])).toBe(head)
})

test('a branch with required checks is closed to pushes, while the branches beside it in one push pass', async () => {
  await withForge({ repository: { protection: { main: { requiredChecks: ['test'] } } } }, async ({ clone, forge }) => {
    const folder = await clone('bot')
    await commit(folder, { 'a.txt': 'a' }, 'A')
    await expect(run(folder, ['push', 'origin', 'HEAD:refs/heads/main', 'HEAD:refs/heads/beside'])).rejects.toThrow(
      /protected branch/i,
    )
    expect(
      forge
        .audit()
        .filter((entry) => entry.action === 'git.push')
        .map((entry) => entry.ref),
    ).toEqual(['refs/heads/beside'])
  })
})

it('nobody pushes the heads of pull requests by hand', async ({ clone }) => {
  const folder = await clone('bot')
  await expect(run(folder, ['push', 'origin', 'HEAD:refs/pull/1/head'])).rejects.toThrow(/hidden ref/)
})

it('a push moves its pull request before it is answered, and tells what was before', async (fixture) => {
  const { clone, push, octokit, forge } = fixture
  const folder = await clone('bot')
  const first = await push(folder, 'x', { 'a.txt': 'a\n' })
  const { data: pull } = await octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
  const second = await push(folder, 'x', { 'b.txt': 'b\n' })
  const { data: moved } = await octokit('bot').pulls.get({ ...REPO, pull_number: pull.number })
  expect(moved).toMatchObject({ head: { sha: second }, commits: 2, changed_files: 2 })
  expect(forge.audit()).toContainEqual(
    expect.objectContaining({ action: 'pull.synchronize', before: first, after: second, actor: 'bot' }),
  )
})

it('the head of a deleted branch can still be fetched by its sha, and its pull request is closed', async (fixture) => {
  const { clone, cloneOverHttp, push, octokit, forge } = fixture
  const folder = await clone('bot')
  const head = await push(folder, 'feature/x', { 'a.txt': 'a' })
  const { data: pull } = await octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'feature/x', base: 'main' })
  await octokit('bot').git.deleteRef({ ...REPO, ref: 'heads/feature/x' })
  expect(forge.issue('acme/library', pull.number)).toMatchObject({ state: 'closed', merged: null })
  const other = await cloneOverHttp('reader')
  await run(other, ['fetch', '--quiet', 'origin', head])
  expect(await failure(octokit('bot').git.deleteRef({ ...REPO, ref: 'heads/feature/x' }))).toMatchObject({
    status: 422,
    message: 'Reference does not exist',
  })
  expect(await failure(octokit('bot').git.deleteRef({ ...REPO, ref: 'heads/main' }))).toMatchObject({ status: 422 })
})

it('paths beside the three of smart HTTP are not served', async ({ forge }) => {
  for (const path of [
    '/acme/library.git/HEAD',
    '/acme/library.git/objects/info/packs',
    '/acme/..%2flibrary.git/info/refs?service=git-upload-pack',
    '/acme/library.git/info/refs',
  ]) {
    expect((await fetch(`${forge.url}${path}`)).status, path).toBe(404)
  }
})

it('a push of several megabytes streams through', async ({ clone, push, path }) => {
  const folder = await clone('bot')
  const noise = Array.from({ length: 100_000 }, (_, line) =>
    createHash('sha256').update(String(line)).digest('hex'),
  ).join('\n')
  const head = await push(folder, 'big', { 'big.txt': noise })
  expect(await run(path, ['rev-parse', 'refs/heads/big'])).toBe(head)
})

it('a head that is reset to its base closes the pull request, which keeps showing what it held', async (fixture) => {
  const { clone, push, octokit, forge } = fixture
  const folder = await clone('bot')
  const head = await push(folder, 'x', { 'a.txt': 'a\n' })
  const { data: pull } = await octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
  await run(folder, ['push', '--quiet', '--force', 'origin', 'origin/main:refs/heads/x'])
  expect(forge.issue('acme/library', pull.number)).toMatchObject({ state: 'closed', merged: null, headSha: head })
  expect((await octokit('bot').pulls.listFiles({ ...REPO, pull_number: pull.number })).data).toHaveLength(1)
})

it('a forced push of a task branch is told as one, and moves its pull request', async (fixture) => {
  const { clone, push, octokit, forge } = fixture
  const folder = await clone('bot')
  await push(folder, 'x', { 'a.txt': 'a\n' })
  const { data: pull } = await octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
  await run(folder, ['commit', '--amend', '--quiet', '-m', 'Other'])
  await run(folder, ['push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/x'])
  const amended = await run(folder, ['rev-parse', 'HEAD'])
  expect(forge.issue('acme/library', pull.number)).toMatchObject({ headSha: amended, stats: { commits: 1 } })
  expect(forge.audit().findLast((entry) => entry.action === 'git.push')?.detail).toEqual({ forced: true })
})

test('hooks are told of a push with its commits and paths, of the pull request that moved, and of the branch that went', async () => {
  await withReceiver(async (receiver) => {
    const hooks = [{ url: receiver.url, events: ['push', 'pull_request'] }]
    await withForge({ repository: { hooks } }, async ({ clone, push, octokit, forge }) => {
      const folder = await clone('bot')
      const first = await push(folder, 'x', { 'a.txt': 'a\n' }, 'Add a')
      await octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
      const second = await push(folder, 'x', { 'a.txt': 'b\n', 'b.txt': 'b\n' }, 'Add b')
      await forge.idle(run(folder, ['push', '--quiet', 'origin', ':refs/heads/x']))
      const pushes = receiver.received.filter((one) => one.event === 'push').map((one) => one.payload)
      expect(pushes).toMatchObject([
        {
          ref: 'refs/heads/x',
          created: true,
          deleted: false,
          after: first,
          commits: [{ id: first, added: ['a.txt'] }],
        },
        {
          created: false,
          before: first,
          after: second,
          head_commit: { id: second, added: ['b.txt'], modified: ['a.txt'] },
        },
        { created: false, deleted: true, before: second, after: '0'.repeat(40), commits: [], head_commit: null },
      ])
      const pulls = receiver.received.filter((one) => one.event === 'pull_request')
      expect(pulls.map((one) => one.action)).toEqual(['opened', 'synchronize', 'closed'])
      expect(pulls[1]?.payload).toMatchObject({ before: first, after: second, pull_request: { head: { sha: second } } })
    })
  })
})

test('a repository below nested groups is cloned from and pushed to at its whole path', async () => {
  const repository = { dialect: 'gitlab', owner: 'group/sub', name: 'library' } as const
  await withForge({ repository }, async ({ forge, cloneOverHttp, push }) => {
    expect(forge.gitUrl('group/sub', 'library')).toBe(`${forge.url}/group/sub/library.git`)
    const sha = await push(await cloneOverHttp('bot'), 'x', { 'x.txt': 'x\n' })
    expect(forge.audit().find((entry) => entry.action === 'branch.create')).toMatchObject({
      repository: 'group/sub/library',
      sha,
    })
  })
})

it('only a repository of GitLab lies in nested groups, and no group is a way out of the folder', async ({ forge }) => {
  await expect(forge.createRepository({ owner: 'group/sub', name: 'x' })).rejects.toThrow('invalid')
  const out = { dialect: 'gitlab', owner: 'group/..', name: 'x' } as const
  await expect(forge.createRepository(out)).rejects.toThrow('invalid')
})
