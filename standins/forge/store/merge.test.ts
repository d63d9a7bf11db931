import { expect, test } from 'vitest'
import { failure, run, withForge, type ForgeFixture, type FixtureOptions } from '../testing/fixture.ts'

const REPO = { owner: 'acme', repo: 'library' }

/** A fixture with one open pull request of the bot's; `head` is its tip. In memory unless the test names the real git. */
async function withPull(
  options: FixtureOptions,
  use: (fixture: ForgeFixture & { folder: string; number: number; head: string }) => Promise<void>,
): Promise<void> {
  await withForge({ git: 'memory', ...options }, async (fixture) => {
    const folder = await fixture.clone('bot')
    const head = await fixture.push(folder, 'x', { 'x.txt': 'x\n' }, 'Add x')
    const { data } = await fixture.octokit('bot').pulls.create({ ...REPO, title: 'Add x', head: 'x', base: 'main' })
    await use({ ...fixture, folder, number: data.number, head })
  })
}

test('a merge with another sha than the head is a conflict and changes nothing', async () => {
  await withPull({ git: 'process' }, async ({ octokit, number, folder, push, head, path }) => {
    await push(folder, 'x', { 'y.txt': 'y\n' })
    const before = await run(path, ['rev-parse', 'refs/heads/main'])
    expect(await failure(octokit('bot').pulls.merge({ ...REPO, pull_number: number, sha: head }))).toMatchObject({
      status: 409,
      message: expect.stringContaining('Head branch was modified'),
    })
    expect(await run(path, ['rev-parse', 'refs/heads/main'])).toBe(before)
  })
})

test('a conflict shows first as unknown, then as dirty, and refuses the merge', async () => {
  await withPull({}, async ({ octokit, number, clone, push, head }) => {
    await push(await clone('maintainer'), 'main', { 'x.txt': 'other\n' })
    const get = async (): Promise<unknown> => (await octokit('bot').pulls.get({ ...REPO, pull_number: number })).data
    expect(await get()).toMatchObject({ mergeable: null, mergeable_state: 'unknown' })
    await expect.poll(get, { timeout: 10_000 }).toMatchObject({ mergeable: false, mergeable_state: 'dirty' })
    expect(await failure(octokit('bot').pulls.merge({ ...REPO, pull_number: number, sha: head }))).toMatchObject({
      status: 405,
      message: 'Pull Request is not mergeable',
    })
  })
})

test('a required check must be there, done and green', async () => {
  await withPull(
    { repository: { protection: { main: { requiredChecks: ['build'] } } } },
    async ({ octokit, number, head }) => {
      const bot = octokit('bot')
      const refusal = async (): Promise<string> =>
        (await failure(bot.pulls.merge({ ...REPO, pull_number: number, sha: head }))).message
      expect(await refusal()).toBe('Required status check "build" is expected.')
      const { checks, repos } = octokit('maintainer')
      const { data: run } = await checks.create({ ...REPO, name: 'build', head_sha: head, status: 'in_progress' })
      expect(await refusal()).toBe('Required status check "build" is in progress.')
      await checks.update({ ...REPO, check_run_id: run.id, conclusion: 'failure' })
      expect(await refusal()).toBe('Required status check "build" is failing.')
      await repos.createCommitStatus({ ...REPO, sha: head, state: 'success', context: 'other' })
      await checks.create({ ...REPO, name: 'build', head_sha: head, conclusion: 'success' })
      expect((await bot.pulls.merge({ ...REPO, pull_number: number, sha: head })).data.merged).toBe(true)
    },
  )
})

test('required reviews count only approvals by people who may write, and a request for changes outweighs them', async () => {
  await withPull(
    { repository: { protection: { main: { requiredApprovals: 1 } } } },
    async ({ octokit, number, forge, head }) => {
      const merge = (): Promise<unknown> => octokit('bot').pulls.merge({ ...REPO, pull_number: number, sha: head })
      await forge.review('reader', 'acme/library', number, { event: 'APPROVE' })
      expect(await failure(merge())).toMatchObject({
        status: 405,
        message: expect.stringContaining('At least 1 approving review'),
      })
      await forge.review('maintainer', 'acme/library', number, { event: 'APPROVE' })
      await forge.review('acme', 'acme/library', number, { event: 'REQUEST_CHANGES', body: 'No.' })
      expect(await failure(merge())).toMatchObject({ status: 405 })
      await forge.review('acme', 'acme/library', number, { event: 'APPROVE' })
      await merge()
    },
  )
})

test('where the branch requires no review, a request for changes blocks nothing', async () => {
  await withPull(
    { repository: { protection: { main: { requiredApprovals: 0, strict: true } } } },
    async ({ octokit, number, forge, head }) => {
      await forge.review('acme', 'acme/library', number, { event: 'REQUEST_CHANGES', body: 'No.' })
      const pull = await octokit('bot').pulls.get({ ...REPO, pull_number: number })
      expect(pull.data.mergeable_state).not.toBe('blocked')
      await octokit('bot').pulls.merge({ ...REPO, pull_number: number, sha: head })
    },
  )
})

test('drafts and methods that are off are refused with their reason', async () => {
  await withPull(
    { repository: { mergeMethods: ['squash'] } },
    async ({ octokit, number, head, folder, push, forge }) => {
      const bot = octokit('bot')
      expect(await failure(bot.pulls.merge({ ...REPO, pull_number: number, sha: head }))).toMatchObject({
        status: 405,
        message: 'Merge commits are not allowed on this repository.',
      })
      expect((await bot.repos.get(REPO)).data).toMatchObject({
        allow_merge_commit: false,
        allow_squash_merge: true,
        allow_rebase_merge: false,
      })
      await push(folder, 'd', { 'd.txt': 'd\n' })
      const { data: draft } = await bot.pulls.create({ ...REPO, title: 'D', head: 'd', base: 'main', draft: true })
      expect(
        await failure(bot.pulls.merge({ ...REPO, pull_number: draft.number, merge_method: 'squash' })),
      ).toMatchObject({ status: 405, message: 'Pull Request is still a draft' })
      forge.markReady('bot', 'acme/library', draft.number)
      await bot.pulls.merge({ ...REPO, pull_number: draft.number, merge_method: 'squash' })
    },
  )
})

test('a squash is one commit by the author of the pull request, with one parent', async () => {
  await withPull({ git: 'process' }, async ({ octokit, number, folder, push, path }) => {
    await push(folder, 'x', { 'y.txt': 'y\n' }, 'Add y')
    const before = await run(path, ['rev-parse', 'refs/heads/main'])
    const { data } = await octokit('maintainer').pulls.merge({
      ...REPO,
      pull_number: number,
      merge_method: 'squash',
      commit_title: 'Both',
    })
    expect(await run(path, ['log', '-1', '--format=%P|%an|%cn|%s', data.sha])).toBe(`${before}|bot|maintainer|Both`)
    expect(await run(path, ['ls-tree', '--name-only', data.sha, 'x.txt', 'y.txt'])).toBe('x.txt\ny.txt')
  })
})

test('a rebase replays each commit on a base that has moved on, keeping authors and what the base holds', async () => {
  await withPull({ git: 'process' }, async ({ octokit, number, folder, push, path, clone }) => {
    await push(folder, 'x', { 'y.txt': 'y\n' }, 'Add y')
    await push(await clone('maintainer'), 'main', { 'base.txt': 'base\n' }, 'Base')
    const { data } = await octokit('maintainer').pulls.merge({ ...REPO, pull_number: number, merge_method: 'rebase' })
    expect(await run(path, ['log', '-4', '--format=%an %cn %s', data.sha])).toBe(
      'Ann maintainer Add y\nAnn maintainer Add x\nAnn Ann Base\nAnn Ann Start',
    )
    expect(await run(path, ['show', `${data.sha}:base.txt`])).toBe('base')
  })
})

test("two merges at the same time both land, and neither loses the other's files", async () => {
  await withPull({ git: 'process' }, async ({ octokit, number, clone, push, path }) => {
    await push(await clone('maintainer'), 'z', { 'z.txt': 'z\n' })
    const { data: other } = await octokit('maintainer').pulls.create({ ...REPO, title: 'Z', head: 'z', base: 'main' })
    await Promise.all(
      [number, other.number].map((pull) => octokit('maintainer').pulls.merge({ ...REPO, pull_number: pull })),
    )
    expect(await run(path, ['ls-tree', '--name-only', 'main', 'x.txt', 'z.txt'])).toBe('x.txt\nz.txt')
    expect(await failure(octokit('maintainer').pulls.merge({ ...REPO, pull_number: number }))).toMatchObject({
      status: 405,
    })
  })
})

test('a head that somebody pushes into the base by hand counts as merged by the one who pushed', async () => {
  await withPull({ git: 'process' }, async ({ octokit, number, clone, head }) => {
    const folder = await clone('maintainer')
    await run(folder, ['push', '--quiet', 'origin', 'origin/x:refs/heads/main'])
    const { data } = await octokit('bot').pulls.get({ ...REPO, pull_number: number })
    expect(data).toMatchObject({
      merged: true,
      state: 'closed',
      merge_commit_sha: head,
      merged_by: { login: 'maintainer' },
      commits: 1,
      changed_files: 1,
    })
  })
})

test('after the merge the branch goes where the repository wants it, and the merged pull keeps its files', async () => {
  await withPull({ repository: { deleteBranchOnMerge: true } }, async ({ octokit, number, head }) => {
    const bot = octokit('bot')
    await bot.pulls.merge({ ...REPO, pull_number: number, sha: head })
    expect(await failure(bot.repos.getBranch({ ...REPO, branch: 'x' }))).toMatchObject({
      status: 404,
      message: 'Branch not found',
    })
    expect((await bot.pulls.listFiles({ ...REPO, pull_number: number })).data.map((file) => file.filename)).toEqual([
      'x.txt',
    ])
    expect((await bot.pulls.listCommits({ ...REPO, pull_number: number })).data.map((one) => one.sha)).toEqual([head])
    expect((await bot.pulls.checkIfMerged({ ...REPO, pull_number: number })).status).toBe(204)
  })
})

test('who may not write may not merge', async () => {
  await withPull({}, async ({ octokit, number }) => {
    expect(await failure(octokit('reader').pulls.merge({ ...REPO, pull_number: number }))).toMatchObject({
      status: 403,
    })
  })
})

test('protection is shown to admins, and to everybody only as the names of the checks', async () => {
  await withPull(
    { repository: { protection: { main: { requiredChecks: ['test'], requiredApprovals: 2, strict: true } } } },
    async ({ octokit }) => {
      const admin = octokit('maintainer').repos
      expect((await admin.getBranchProtection({ ...REPO, branch: 'main' })).data).toMatchObject({
        required_status_checks: { strict: true, contexts: ['test'] },
        required_pull_request_reviews: { required_approving_review_count: 2 },
      })
      expect((await admin.getStatusChecksProtection({ ...REPO, branch: 'main' })).data.contexts).toEqual(['test'])
      expect(await failure(admin.getBranchProtection({ ...REPO, branch: 'x' }))).toMatchObject({
        status: 404,
        message: 'Branch not protected',
      })
      expect(await failure(octokit('reader').repos.getBranchProtection({ ...REPO, branch: 'main' }))).toMatchObject({
        status: 404,
        message: 'Not Found',
      })
      expect((await octokit('bot').repos.getBranch({ ...REPO, branch: 'main' })).data).toMatchObject({
        protected: true,
        protection: { required_status_checks: { contexts: ['test'] } },
      })
    },
  )
})

test.each(['write', 'admin'] as const)(
  "an App's installation reads no protection and writes no check, whatever its user may: %s",
  async (bot) => {
    const permissions = { maintainer: 'admin', bot } as const
    const repository = { permissions, protection: { main: { requiredChecks: ['test'] } } }
    await withPull({ repository }, async ({ octokit, head }) => {
      const { repos, checks } = octokit('bot')
      const refused = { status: 403, message: 'Resource not accessible by integration' }
      expect(await failure(repos.getBranchProtection({ ...REPO, branch: 'main' }))).toMatchObject(refused)
      expect(await failure(repos.getStatusChecksProtection({ ...REPO, branch: 'main' }))).toMatchObject(refused)
      expect(await failure(checks.create({ ...REPO, head_sha: head, name: 'test' }))).toMatchObject(refused)
      const status = { ...REPO, sha: head, state: 'success', context: 'test' } as const
      expect(await failure(repos.createCommitStatus(status))).toMatchObject(refused)
    })
  },
)

test('a ruleset requires its checks of all but its bypass list, and everybody who reads may read it', async () => {
  const rulesets = [{ branches: ['main'], requiredChecks: ['build'], bypass: ['bot'] }]
  await withPull({ repository: { rulesets } }, async ({ octokit, number }) => {
    expect(await failure(octokit('maintainer').pulls.merge({ ...REPO, pull_number: number }))).toMatchObject({
      status: 405,
      message: expect.stringContaining('Required status check "build" is expected.'),
    })
    const { repos } = octokit('reader')
    expect((await repos.getBranchRules({ ...REPO, branch: 'main' })).data).toMatchObject([
      { type: 'required_status_checks', parameters: { required_status_checks: [{ context: 'build' }] } },
    ])
    expect((await repos.getBranchRules({ ...REPO, branch: 'other' })).data).toEqual([])
    expect((await repos.getBranch({ ...REPO, branch: 'main' })).data).toMatchObject({
      protected: true,
      protection: { enabled: false, required_status_checks: { contexts: [] } },
    })
    expect((await octokit('bot').pulls.merge({ ...REPO, pull_number: number })).data.merged).toBe(true)
  })
})

test('a stale answer about mergeability is the one for the branches as they were', async () => {
  await withPull({}, async ({ octokit, number, clone, push, forge }) => {
    const get = async (): Promise<unknown> =>
      (await octokit('bot').pulls.get({ ...REPO, pull_number: number })).data.mergeable
    await expect.poll(get, { timeout: 10_000 }).toBe(true)
    await push(await clone('maintainer'), 'main', { 'x.txt': 'other\n' })
    forge.faults.inject({ kind: 'staleMergeable' })
    expect([await get(), await get()]).toEqual([true, null])
    await expect.poll(get, { timeout: 10_000 }).toBe(false)
  })
})

test('a head behind its base is told so, and refused where the branch is strict', async () => {
  await withPull(
    { repository: { protection: { main: { strict: true, enforceAdmins: false } } } },
    async ({ octokit, number, clone, push }) => {
      await push(await clone('maintainer'), 'main', { 'z.txt': 'z\n' })
      const get = async (): Promise<unknown> =>
        (await octokit('bot').pulls.get({ ...REPO, pull_number: number })).data.mergeable_state
      await expect.poll(get, { timeout: 10_000 }).toBe('behind')
      expect(await failure(octokit('bot').pulls.merge({ ...REPO, pull_number: number }))).toMatchObject({
        status: 405,
        message: expect.stringContaining('out of date'),
      })
      expect((await octokit('maintainer').pulls.merge({ ...REPO, pull_number: number })).data.merged).toBe(true)
    },
  )
})
