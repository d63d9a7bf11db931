import { createHmac } from 'node:crypto'
import { access, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startForge } from './forge.ts'
import { commit, failure, run, SECRET, withForge, withReceiver } from './testing/fixture.ts'

const REPO = { owner: 'acme', repo: 'library' }

test('an issue becomes a merged change: hook, comment, push, pull request, inline review, green check, merge by sha, closed issue', async () => {
  await withReceiver(async (receiver) => {
    const repository = {
      hooks: [{ url: receiver.url, secret: SECRET }],
      labels: [{ name: 'platform', color: '00ff00' }],
      ci: { checkName: 'test' },
      protection: { main: { requiredChecks: ['test'] } },
    }
    await withForge({ repository }, async ({ forge, octokit, clone, push }) => {
      const bot = octokit('bot')
      const issue = forge.openIssue('maintainer', 'acme/library', {
        title: 'Add mul',
        body: 'We need it.',
        labels: ['platform'],
      })
      await forge.idle()
      const opened = receiver.received.find((one) => one.event === 'issues' && one.action === 'opened')
      expect(opened?.headers['x-hub-signature-256']).toBe(
        `sha256=${createHmac('sha256', SECRET)
          .update(opened?.raw ?? '')
          .digest('hex')}`,
      )
      expect(opened?.payload).toMatchObject({
        issue: { number: issue.number, labels: [{ name: 'platform' }], author_association: 'COLLABORATOR' },
        sender: { login: 'maintainer', type: 'User' },
        repository: { full_name: 'acme/library' },
      })
      expect(opened?.delivery).toMatch(/^[0-9a-f-]{36}$/)

      await bot.issues.createComment({ ...REPO, issue_number: issue.number, body: 'May I?' })
      forge.comment('maintainer', 'acme/library', issue.number, '/approve')

      const folder = await clone('bot')
      const head = await push(
        folder,
        'platform/mul',
        { 'src/mul.js': 'export function mul(a, b) {\n  return a * b\n}\n' },
        'Add mul',
      )
      const { data: pull } = await bot.pulls.create({
        ...REPO,
        title: 'Add mul',
        body: `Closes #${issue.number}`,
        head: 'platform/mul',
        base: 'main',
      })
      expect(pull).toMatchObject({
        commits: 1,
        additions: 3,
        deletions: 0,
        changed_files: 1,
        head: { sha: head, ref: 'platform/mul' },
        user: { login: 'bot', type: 'Bot' },
      })
      const { data: files } = await bot.pulls.listFiles({ ...REPO, pull_number: pull.number })
      expect(files).toMatchObject([
        {
          filename: 'src/mul.js',
          status: 'added',
          additions: 3,
          patch: '@@ -0,0 +1,3 @@\n+export function mul(a, b) {\n+  return a * b\n+}',
        },
      ])
      const { data: diff } = await bot.pulls.get({ ...REPO, pull_number: pull.number, mediaType: { format: 'diff' } })
      expect(diff).toContain('diff --git a/src/mul.js b/src/mul.js')

      const comments = [{ path: 'src/mul.js', line: 2, side: 'RIGHT', body: 'Mind overflow.' }]
      const bad = await failure(
        bot.pulls.createReview({
          ...REPO,
          pull_number: pull.number,
          event: 'COMMENT',
          body: 'See inline.',
          comments: [...comments, { path: 'src/mul.js', line: 9, side: 'RIGHT', body: 'No such line.' }],
        }),
      )
      expect(bad).toMatchObject({ status: 422, errors: ['Line could not be resolved'] })
      expect((await bot.pulls.listReviews({ ...REPO, pull_number: pull.number })).data).toEqual([])
      await bot.pulls.createReview({
        ...REPO,
        pull_number: pull.number,
        event: 'COMMENT',
        body: 'See inline.',
        commit_id: head,
        comments,
      })
      const { data: inline } = await bot.pulls.listReviewComments({ ...REPO, pull_number: pull.number })
      expect(inline).toMatchObject([{ path: 'src/mul.js', line: 2, side: 'RIGHT', position: 2, commit_id: head }])

      await forge.idle()
      const { data: checks } = await bot.checks.listForRef({ ...REPO, ref: head })
      expect(checks.check_runs).toMatchObject([
        { name: 'test', status: 'completed', conclusion: 'success', app: { slug: 'local-ci' } },
      ])
      expect(checks.check_runs[0]?.output.text).toContain('adds')

      expect(await failure(bot.pulls.merge({ ...REPO, pull_number: pull.number, sha: '0'.repeat(40) }))).toMatchObject({
        status: 409,
      })
      const { data: merged } = await bot.pulls.merge({
        ...REPO,
        pull_number: pull.number,
        sha: head,
        merge_method: 'merge',
      })
      await run(folder, ['fetch', '--quiet', 'origin'])
      expect(await run(folder, ['rev-parse', 'origin/main'])).toBe(merged.sha)
      expect(await run(folder, ['show', 'origin/main:src/mul.js'])).toContain('return a * b')
      expect((await bot.issues.get({ ...REPO, issue_number: issue.number })).data).toMatchObject({
        state: 'closed',
        state_reason: 'completed',
      })

      await forge.idle()
      expect((await bot.checks.listForRef({ ...REPO, ref: 'main' })).data.check_runs).toMatchObject([
        { conclusion: 'success', head_sha: merged.sha },
      ])
      const told = receiver.received.map((one) => [one.event, one.action].filter(Boolean).join('.'))
      for (const name of [
        'ping',
        'issues.opened',
        'issue_comment.created',
        'push',
        'pull_request.opened',
        'pull_request_review.submitted',
        'pull_request_review_comment.created',
        'check_run.created',
        'check_run.completed',
        'check_suite.completed',
        'pull_request.closed',
        'issues.closed',
      ]) {
        expect(told).toContain(name)
      }
      const log = (await readFile(forge.auditFile, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
      expect(log).toEqual(JSON.parse(JSON.stringify(forge.audit())))
      expect(log).toContainEqual(
        expect.objectContaining({
          actor: 'bot',
          action: 'pull.merge',
          number: pull.number,
          sha: head,
          after: merged.sha,
          detail: expect.objectContaining({ askedAt: expect.any(String) }),
        }),
      )
      expect(log).toContainEqual(
        expect.objectContaining({ actor: 'bot', action: 'git.push', ref: 'refs/heads/platform/mul', after: head }),
      )
    })
  })
})

test('a repository starts from any local one, with the branch it is on as its default and its other branches', async () => {
  await withForge({}, async ({ forge, dir, octokit }) => {
    const source = join(dir, 'other')
    await mkdir(source)
    await run(source, ['init', '--quiet', '--initial-branch=trunk'])
    await commit(source, { 'a.txt': 'a' }, 'A')
    await run(source, ['branch', 'beside'])
    const created = await forge.createRepository({ owner: 'acme', name: 'other', fromPath: source })
    expect(created).toMatchObject({
      fullName: 'acme/other',
      defaultBranch: 'trunk',
      gitUrl: `${forge.url}/acme/other.git`,
    })
    expect(
      (await octokit('reader').repos.listBranches({ owner: 'acme', repo: 'other' })).data.map((one) => one.name),
    ).toEqual(['beside', 'trunk'])
    await run(source, ['checkout', '--quiet', '--detach'])
    await expect(forge.createRepository({ owner: 'acme', name: 'third', fromPath: source })).rejects.toThrow(
      /on no branch/,
    )
    await expect(forge.createRepository({ owner: 'acme', name: 'other' })).rejects.toThrow(/exists/)
  })
})

test('a repository that starts empty takes its first push', async () => {
  await withForge({}, async ({ forge, clone, push, octokit }) => {
    await forge.createRepository({ owner: 'acme', name: 'empty', permissions: { bot: 'write' } })
    const head = await push(await clone('bot', 'empty'), 'main', { 'a.txt': 'a' }, 'First')
    expect((await octokit('bot').repos.getCommit({ owner: 'acme', repo: 'empty', ref: 'main' })).data).toMatchObject({
      sha: head,
      files: [{ filename: 'a.txt' }],
    })
  })
})

test('a repository that the memory knows nothing of is refused, so that nothing of the old is taken for the new', async () => {
  await withForge({}, async ({ dir, forge }) => {
    const folder = join(dir, 'forge')
    await forge.close()
    await rm(join(folder, 'world.json'))
    const seed = { repositories: [{ owner: 'acme', name: 'library' }] }
    await expect(startForge({ dir: folder, seed })).rejects.toThrow(/a folder of its own/)
    await expect(access(join(folder, 'world.json'))).rejects.toThrow(/ENOENT/)
  })
})
