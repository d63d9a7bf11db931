import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startForge, type Forge } from '../forge.ts'
import {
  basic,
  failure,
  octokitOf,
  run,
  SECRET,
  USERS,
  withForge,
  withReceiver,
  type ForgeFixture,
} from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const NAME = 'acme/library'
const REPO = { owner: 'acme', repo: 'library' }
const CHANGE = { 'src/mul.js': 'export function mul(a, b) {\n  return a * b\n}\n' }

/** Starts a forge on the folder of one that has ended, with the same people and the same port. */
async function again(
  fixture: ForgeFixture,
  use: (forge: Forge) => Promise<void>,
  dir = join(fixture.dir, 'forge'),
): Promise<void> {
  const forge = await startForge({ dir, port: Number(new URL(fixture.forge.url).port), seed: { users: USERS } })
  try {
    await use(forge)
  } finally {
    await forge.close()
  }
}

/** Everything that the API tells of the repository. The answers hold ids, times and addresses. */
async function everything(forge: Forge, numbers: { open: number; merged: number }): Promise<unknown> {
  const admin = octokitOf(forge, 'maintainer')
  const [open, merged] = [numbers.open, numbers.merged].map((number) => ({ ...REPO, pull_number: number }))
  const { data: hooks } = await admin.repos.listWebhooks(REPO)
  const deliveries = await Promise.all(
    hooks.map((hook) => admin.paginate(admin.repos.listWebhookDeliveries, { ...REPO, hook_id: hook.id })),
  )
  const answers = await Promise.all([
    admin.repos.get(REPO),
    admin.repos.listCollaborators(REPO),
    admin.repos.getBranchProtection({ ...REPO, branch: 'main' }),
    admin.repos.getBranchRules({ ...REPO, branch: 'main' }),
    admin.issues.listLabelsForRepo(REPO),
    admin.issues.listForRepo({ ...REPO, state: 'all' }),
    admin.issues.listCommentsForRepo(REPO),
    admin.pulls.list({ ...REPO, state: 'all' }),
    admin.pulls.listReviews({ ...REPO, ...open, pull_number: numbers.open }),
    admin.pulls.listReviewComments({ ...REPO, ...open, pull_number: numbers.open }),
    admin.pulls.listReviews({ ...REPO, ...merged, pull_number: numbers.merged }),
    admin.checks.listForRef({ ...REPO, ref: 'open' }),
    admin.checks.listForRef({ ...REPO, ref: 'main' }),
    admin.repos.listCommitStatusesForRef({ ...REPO, ref: 'open' }),
  ])
  return { answers: answers.map(({ data }) => data as unknown), hooks, deliveries }
}

/** An issue with comments, an open and a merged pull request with reviews, a check, a status, a label, a protection. */
async function fill(fixture: ForgeFixture): Promise<{ issue: number; open: number; merged: number; comment: number }> {
  const bot = fixture.octokit('bot')
  const maintainer = fixture.octokit('maintainer')
  const folder = await fixture.clone('bot')
  const { data: issue } = await maintainer.issues.create({
    ...REPO,
    title: 'Add mul',
    body: 'Please.',
    labels: ['new'],
    assignees: ['bot'],
  })
  const { data: comment } = await bot.issues.createComment({ ...REPO, issue_number: issue.number, body: 'May I?' })
  await fixture.push(folder, 'done', CHANGE)
  const { data: merged } = await bot.pulls.create({
    ...REPO,
    title: 'Mul',
    body: `Closes #${issue.number}`,
    head: 'done',
    base: 'main',
  })
  await fixture.forge.idle(maintainer.pulls.createReview({ ...REPO, pull_number: merged.number, event: 'APPROVE' }))
  await bot.pulls.merge({ ...REPO, pull_number: merged.number, sha: merged.head.sha })
  const head = await fixture.push(folder, 'open', { 'src/sub.js': 'export const sub = (a, b) => a - b\n' })
  const { data: open } = await bot.pulls.create({ ...REPO, title: 'Sub', head: 'open', base: 'main', draft: true })
  const comments = [{ path: 'src/sub.js', line: 1, side: 'RIGHT', body: 'An arrow?' }]
  const onOpen = { ...REPO, pull_number: open.number }
  const { data: review } = await maintainer.pulls.createReview({
    ...onOpen,
    event: 'REQUEST_CHANGES',
    body: 'See.',
    comments,
  })
  const [inline] = (await bot.pulls.listCommentsForReview({ ...onOpen, review_id: review.id })).data
  await bot.pulls.createReplyForReviewComment({ ...onOpen, comment_id: inline?.id ?? 0, body: 'It is short.' })
  await maintainer.pulls.createReview({ ...onOpen, body: 'Not yet told.' })
  await maintainer.repos.createCommitStatus({
    ...REPO,
    sha: head,
    state: 'success',
    context: 'gate',
    description: 'fine',
  })
  await fixture.forge.idle()
  return { issue: issue.number, open: open.number, merged: merged.number, comment: comment.id }
}

const it = testInside(withForge, {})

test('a forge that is started again tells all that the one before told, on the same addresses', async () => {
  await withReceiver(async (receiver) => {
    const repository = {
      hooks: [{ url: receiver.url, secret: SECRET }],
      labels: [{ name: 'Platform', color: '00ff00', description: 'ours' }],
      ci: { checkName: 'test' },
      protection: { main: { requiredChecks: ['test'], requiredApprovals: 1 } },
      rulesets: [{ branches: ['main'], requiredChecks: ['test'], bypass: ['bot'] }],
      description: 'Adds.',
    }
    await withForge({ repository }, async (fixture) => {
      const numbers = await fill(fixture)
      const before = await everything(fixture.forge, numbers)
      const audit = fixture.forge.audit()
      await fixture.forge.close()
      await again(fixture, async (forge) => {
        expect(await everything(forge, numbers)).toEqual(before)
        expect(forge.audit()).toEqual(audit)
        expect(forge.url).toBe(fixture.forge.url)
        expect(forge.deliveries().map((one) => one.request.headers)).toEqual(
          fixture.forge.deliveries().map((one) => one.request.headers),
        )
      })
    })
  })
})

test('people, numbers, ids, drafts, open reviews and hooks go on after a new start', async () => {
  await withReceiver(async (receiver) => {
    await withForge({ repository: { hooks: [{ url: receiver.url, secret: SECRET }] } }, async (fixture) => {
      const numbers = await fill(fixture)
      const ids = fixture.forge.deliveries().map((one) => one.id)
      const lost = fixture.forge.deliveries().find((one) => one.message.event === 'push')
      await fixture.forge.close()
      receiver.received.length = 0
      await again(fixture, async (forge) => {
        const [bot, maintainer] = [octokitOf(forge, 'bot'), octokitOf(forge, 'maintainer')]
        await bot.issues.updateComment({ ...REPO, comment_id: numbers.comment, body: 'May I, please?' })
        expect(
          await failure(
            octokitOf(forge, 'reader').issues.updateComment({ ...REPO, comment_id: numbers.comment, body: 'No' }),
          ),
        ).toMatchObject({ status: 403 })
        const issue = forge.openIssue('reader', NAME, { title: 'Next' })
        expect(issue.number).toBe(numbers.open + 1)
        expect(ids.every((id) => id < issue.id)).toBe(true)
        await maintainer.issues.addLabels({ ...REPO, issue_number: numbers.issue, labels: ['NEW'] })
        expect(forge.issue(NAME, numbers.issue).labels.map((label) => label.name)).toEqual(['new'])
        forge.markReady('bot', NAME, numbers.open)
        expect(
          await failure(bot.pulls.createReview({ ...REPO, pull_number: numbers.open, event: 'APPROVE' })),
        ).toMatchObject({ status: 422 })
        const pending = [...(await maintainer.pulls.listReviews({ ...REPO, pull_number: numbers.open })).data].find(
          (one) => one.state === 'PENDING',
        )
        await maintainer.pulls.submitReview({
          ...REPO,
          pull_number: numbers.open,
          review_id: pending?.id ?? 0,
          event: 'APPROVE',
        })
        await forge.idle(forge.redeliver(lost?.id ?? 0))
        const told = receiver.received.map((one) => [one.event, one.action].filter(Boolean).join('.'))
        expect(told).toEqual([
          'issue_comment.edited',
          'issues.opened',
          'pull_request.ready_for_review',
          'pull_request_review.submitted',
          'push',
        ])
        expect(receiver.received.at(-1)?.delivery).toBe(lost?.guid)
        const folder = await fixture.clone('bot')
        await run(folder, ['checkout', '--quiet', 'open'])
        const head = await fixture.push(folder, 'open', {
          'src/sub.js': 'export function sub(a, b) {\n  return a - b\n}\n',
        })
        expect(forge.issue(NAME, numbers.open)).toMatchObject({ headSha: head })
        await forge.mergePull('maintainer', NAME, numbers.open)
      })
    })
  })
})

it('a repository of the start before is given as it stands, and a second one of this start is refused as ever', async (fixture) => {
  const made = await fixture.forge.createRepository({ owner: 'acme', name: 'other', permissions: { bot: 'write' } })
  await fixture.forge.close()
  await again(fixture, async (forge) => {
    expect(await forge.createRepository({ owner: 'Acme', name: 'other', defaultBranch: 'elsewhere' })).toEqual(made)
    expect((await octokitOf(forge, 'bot').repos.get({ owner: 'acme', repo: 'other' })).data.permissions).toMatchObject({
      push: true,
    })
    await forge.createRepository({ owner: 'acme', name: 'third' })
    await expect(forge.createRepository({ owner: 'acme', name: 'third' })).rejects.toThrow(/exists/)
  })
})

test('a CI run that the end has cut short, and the one that waited behind it, run at the next start', async () => {
  const flag = 'while [ ! -e "$FLAG" ]; do sleep 0.05; done'
  await withForge({}, async (fixture) => {
    const go = join(fixture.dir, 'go')
    const command = flag.replace('$FLAG', go)
    await fixture.forge.createRepository({
      owner: 'acme',
      name: 'slow',
      fromPath: fixture.path,
      permissions: { bot: 'write' },
      ci: { command },
    })
    const folder = await fixture.clone('bot', 'slow')
    await fixture.push(folder, 'one', { 'a.txt': 'a' })
    await fixture.push(folder, 'two', { 'b.txt': 'b' })
    const check = async (forge: Forge, ref: string): Promise<unknown> =>
      (await octokitOf(forge, 'bot').checks.listForRef({ owner: 'acme', repo: 'slow', ref })).data.check_runs
    await expect.poll(() => check(fixture.forge, 'one'), { timeout: 10_000 }).toMatchObject([{ status: 'in_progress' }])
    await fixture.forge.close()
    await writeFile(go, '')
    await again(fixture, async (forge) => {
      await forge.idle()
      expect(await check(forge, 'one')).toMatchObject([{ status: 'completed', conclusion: 'success' }])
      expect(await check(forge, 'two')).toMatchObject([{ status: 'completed', conclusion: 'success' }])
      const ended = forge
        .audit()
        .filter((entry) => entry.action === 'check.update' && entry.detail?.['status'] === 'completed')
      expect(ended).toHaveLength(2)
    })
  })
})

test('a delivery that was still to be sent at the end is sent at the next start, under its id', async () => {
  await withReceiver(async (receiver) => {
    await withForge(
      { repository: { hooks: [{ url: receiver.url, secret: SECRET, events: ['issues'] }] } },
      async (fixture) => {
        await fixture.forge.idle()
        fixture.forge.faults.inject({ kind: 'delay', delayMs: 600_000 })
        fixture.forge.openIssue('reader', NAME, { title: 'late' })
        const [late] = fixture.forge.deliveries().slice(-1)
        await fixture.forge.close()
        expect(receiver.received.map((one) => one.event)).toEqual(['ping'])
        await again(fixture, async (forge) => {
          await forge.idle()
          expect(receiver.received.map((one) => [one.event, one.delivery])).toContainEqual(['issues', late?.guid])
          expect(forge.deliveries().at(-1)).toMatchObject({ id: late?.id, status: 'delivered' })
        })
      },
    )
  })
})

test('a delivery that the receiver had not answered at the end is sent again at the next start', async () => {
  const got: unknown[] = []
  const server = createServer((request, response) => {
    got.push(request.headers['x-github-delivery'])
    request.resume()
    if (got.length > 1) response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    await withForge({ repository: { hooks: [{ url }] } }, async (fixture) => {
      await expect.poll(() => got.length, { timeout: 10_000 }).toBe(1)
      await fixture.forge.close()
      await again(fixture, async (forge) => {
        await forge.idle()
        expect(forge.deliveries()).toMatchObject([{ status: 'delivered', statusCode: 204 }])
        expect(got).toEqual([got[0], got[0]])
      })
    })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

test('what git holds and the memory does not, a push and a merge of the last moment, is taken note of at the start', async () => {
  await withForge({ repository: { ci: { command: 'true' } } }, async (fixture) => {
    const folder = await fixture.clone('bot')
    await fixture.push(folder, 'one', { 'a.txt': 'a' })
    await run(folder, ['checkout', '--quiet', '-B', 'two', 'origin/main'])
    await fixture.push(folder, 'two', { 'b.txt': 'b' })
    const one = await fixture.forge.openPull('bot', NAME, { title: 'One', head: 'one', base: 'main' })
    const two = await fixture.forge.openPull('bot', NAME, { title: 'Two', head: 'two', base: 'main' })
    await fixture.forge.close()
    // Straight into the folder, past the forge: so a kill between git's write and the forge's own leaves it.
    await run(folder, ['checkout', '--quiet', '-B', 'one', 'origin/one'])
    await run(folder, ['commit', '--quiet', '--allow-empty', '-m', 'More'])
    await run(folder, ['push', '--quiet', fixture.path, 'one', '+origin/two:refs/heads/main'])
    const head = await run(folder, ['rev-parse', 'one'])
    await again(fixture, async (forge) => {
      await forge.idle()
      expect(forge.issue(NAME, one.number)).toMatchObject({ state: 'open', headSha: head })
      expect(forge.issue(NAME, two.number)).toMatchObject({ state: 'closed', merged: { by: { login: 'acme' } } })
      expect((await octokitOf(forge, 'bot').checks.listForRef({ ...REPO, ref: head })).data.check_runs).toMatchObject([
        { conclusion: 'success' },
      ])
    })
  })
})

it('a folder that was moved serves from its new place', async (fixture) => {
  await fixture.forge.close()
  const moved = join(fixture.dir, 'moved')
  await rename(join(fixture.dir, 'forge'), moved)
  await again(
    fixture,
    async (forge) => {
      const head = await fixture.push(await fixture.cloneOverHttp('bot'), 'x', { 'a.txt': 'a' })
      expect(forge.audit()).toContainEqual(expect.objectContaining({ action: 'git.push', after: head }))
    },
    moved,
  )
})

it('a change is on disk a moment after it is made, whole and for the owner alone, without waiting for the end', async (fixture) => {
  const file = join(fixture.dir, 'forge', 'world.json')
  fixture.forge.openIssue('reader', NAME, { title: 'soon on disk' })
  await expect.poll(() => readFile(file, 'utf8').catch(() => ''), { timeout: 10_000 }).toContain('soon on disk')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).not.toContain('token-of-')
})

it('a memory that cannot be read ends the start with its reason, and stays as it is', async (fixture) => {
  await fixture.forge.close()
  const file = join(fixture.dir, 'forge', 'world.json')
  const good = JSON.parse(await readFile(file, 'utf8')) as {
    version: number
    users: { login: string; type: string }[]
    repositories: { owner: string }[]
  }
  const [repository] = good.repositories
  const faults: readonly [unknown, RegExp][] = [
    ['{"version":1,', /world\.json is not JSON/],
    [{ ...good, version: 2 }, /has version 2; this forge reads version 1/],
    [{ ...good, lastId: 'x', users: [{ ...good.users[0], type: 'Cat' }] }, /\/lastId .*\/users\/0\/type /],
    [
      { ...good, repositories: [{ ...repository, owner: 'nobody' }] },
      /does not hold together: it names the user nobody/,
    ],
  ]
  for (const [document, complaint] of faults) {
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    await writeFile(file, text)
    await expect(again(fixture, async () => undefined)).rejects.toThrow(complaint)
    expect(await readFile(file, 'utf8')).toBe(text)
  }
})

it('a repository that the memory names and the folder has not ends the start', async (fixture) => {
  await fixture.forge.close()
  await rename(fixture.path, `${fixture.path}.away`)
  await expect(again(fixture, async () => undefined)).rejects.toThrow(/library\.git is gone/)
})

it('clones and pushes work with the token that the seed gives anew, and no longer with one that it does not give', async (fixture) => {
  fixture.forge.createUser({ login: 'guest', token: 'token-of-guest' })
  await fixture.forge.close()
  await again(fixture, async (forge) => {
    expect(await failure(octokitOf(forge, 'guest').issues.create({ ...REPO, title: 'x' }))).toMatchObject({
      status: 401,
    })
    expect(basic('token-of-bot')).toContain('Basic')
    await fixture.push(await fixture.cloneOverHttp('bot'), 'x', { 'a.txt': 'a' })
    forge.createUser({ login: 'guest', token: 'token-of-guest' })
    await octokitOf(forge, 'guest').issues.create({ ...REPO, title: 'x' })
  })
})
