import { expect, test } from 'vitest'
import { run } from '../../testing/fixture.ts'
import { PROJECT, withGitlab, type GitlabFixture } from '../../testing/gitlab.ts'
import type { FixtureOptions } from '../../testing/fixture.ts'
import { testInside } from '../../../../testing/inside.ts'

const ONE = `/projects/${encodeURIComponent(PROJECT)}/merge_requests/1`

interface Scene extends GitlabFixture {
  readonly folder: string
  readonly head: string
}

/** The merge request !1 of the bot, one commit before main. */
function withRequest(options: FixtureOptions, use: (scene: Scene) => Promise<void>): Promise<void> {
  return withGitlab(options, async (fixture) => {
    const folder = await fixture.clone('bot')
    const head = await fixture.push(folder, 'x', { 'x.txt': 'x\n' }, 'Add x')
    await fixture.gitlab('bot').MergeRequests.create(PROJECT, 'x', 'main', 'Title', { description: 'Text' })
    await use({ ...fixture, folder, head })
  })
}

async function detailedStatus({ ask }: GitlabFixture): Promise<unknown> {
  return ((await ask('bot', 'GET', ONE)).body as Record<string, unknown>).detailed_merge_status
}

const it = testInside(withRequest, {})

it('a merge request shows its branches, its shas and its diff, and a second one of the branch is refused', async (fixture) => {
  const { gitlab, head, ask } = fixture
  const { MergeRequests } = gitlab('bot')
  const request = await MergeRequests.show(PROJECT, 1)
  expect(request).toMatchObject({
    iid: 1,
    state: 'opened',
    source_branch: 'x',
    target_branch: 'main',
    sha: head,
    draft: false,
    references: { full: `${PROJECT}!1` },
    diff_refs: { head_sha: head },
  })
  expect(request.source_project_id).toBe(request.target_project_id)
  expect(await MergeRequests.allDiffs(PROJECT, 1)).toMatchObject([{ new_path: 'x.txt', new_file: true }])
  expect((await ask('bot', 'GET', `${ONE}/raw_diffs`)).body).toContain('diff --git a/x.txt b/x.txt')
  expect(await MergeRequests.allCommits(PROJECT, 1)).toMatchObject([{ id: head }])
  expect(await MergeRequests.allDiffVersions(PROJECT, 1)).toMatchObject([
    { head_commit_sha: head, base_commit_sha: request.diff_refs.base_sha },
  ])
  const again = { source_branch: 'x', target_branch: 'main', title: 'Again' }
  expect(await ask('bot', 'POST', ONE.replace('/1', ''), again)).toMatchObject({
    status: 409,
    body: { message: ['Another open merge request already exists for this source branch: !1'] },
  })
})

it('a push makes a new version, and a list finds the request by branch and state', async (fixture) => {
  const { gitlab, head, push, folder, forge } = fixture
  const next = await push(folder, 'x', { 'z.txt': 'z\n' })
  const { MergeRequests } = gitlab('bot')
  const versions = await MergeRequests.allDiffVersions(PROJECT, 1)
  expect(versions.map((one) => one.head_commit_sha)).toEqual([next, head])
  const [, first] = versions
  // By it a reader finds which head an approval was for, also where both came in one second.
  expect(first?.created_at).toMatch(/:\d{2}\.\d{3}Z$/)
  expect(await MergeRequests.showDiffVersion(PROJECT, 1, first?.id ?? 0)).toMatchObject({
    commits: [{ id: head }],
    diffs: [{ new_path: 'x.txt' }],
  })
  const found = async (options: object): Promise<number> =>
    (await MergeRequests.all({ projectId: PROJECT, ...options })).length
  expect([await found({ sourceBranch: 'x', state: 'opened' }), await found({ sourceBranch: 'y' })]).toEqual([1, 0])
  await forge.closePull('bot', PROJECT, 1)
  expect([await found({ state: 'opened' }), await found({ state: 'closed' })]).toEqual([0, 1])
})

it('the title makes a draft, and taking the prefix away makes it ready, with a system note for each', async (fixture) => {
  const { gitlab } = fixture
  const { MergeRequests, MergeRequestNotes } = gitlab('bot')
  expect(await MergeRequests.edit(PROJECT, 1, { title: 'Draft: Later' })).toMatchObject({
    title: 'Draft: Later',
    draft: true,
  })
  expect(await MergeRequests.edit(PROJECT, 1, { title: 'Now', addLabels: 'a', stateEvent: 'close' })).toMatchObject({
    title: 'Now',
    draft: false,
    labels: ['a'],
    state: 'closed',
  })
  const notes = await MergeRequestNotes.all(PROJECT, 1, { sort: 'asc' })
  expect(notes.every((note) => note.system)).toBe(true)
  expect(notes.map((note) => note.body)).toContain('marked this merge request as **ready**')
})

it('mergeability is looked for, then known, and conflicts show', async (scene) => {
  await expect.poll(() => detailedStatus(scene), { timeout: 10_000 }).toBe('mergeable')
  await scene.push(await scene.clone('maintainer'), 'main', { 'x.txt': 'other\n' })
  expect(await detailedStatus(scene)).toBe('checking')
  await expect.poll(() => detailedStatus(scene), { timeout: 10_000 }).toBe('conflict')
  expect(await scene.ask('bot', 'GET', ONE)).toMatchObject({
    body: { has_conflicts: true, merge_status: 'cannot_be_merged' },
  })
  expect(await scene.ask('bot', 'PUT', `${ONE}/merge`)).toMatchObject({
    status: 405,
    body: { message: '405 Method Not Allowed' },
  })
})

test('a merge wants the head that it names, and who may not write is unauthorized', async () => {
  await withRequest({ git: 'process' }, async ({ gitlab, ask, head, path }) => {
    expect(await ask('bot', 'PUT', `${ONE}/merge`, { sha: '1'.repeat(40) })).toMatchObject({
      status: 409,
      body: { message: 'SHA does not match HEAD of source branch' },
    })
    expect(await ask('reader', 'PUT', `${ONE}/merge`)).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
    const merged = await gitlab('bot').MergeRequests.merge(PROJECT, 1, { sha: head, shouldRemoveSourceBranch: true })
    expect(merged).toMatchObject({ state: 'merged', squash_commit_sha: null, merge_user: { username: 'bot' } })
    const sha = String(merged.merge_commit_sha)
    expect(await run(path, ['rev-parse', 'main'])).toBe(sha)
    expect(await run(path, ['log', '-1', '--format=%B', sha])).toBe(
      `Merge branch 'x' into 'main'\n\nTitle\n\nSee merge request ${PROJECT}!1`,
    )
    expect((await ask('bot', 'GET', ONE.replace(/merge_requests.*/, 'repository/branches/x'))).status).toBe(404)
    expect((await ask('bot', 'PUT', `${ONE}/merge`)).status).toBe(405)
    expect(await run(path, ['rev-parse', 'refs/merge-requests/1/head'])).toBe(head)
  })
})

test('a squash is one commit, which a merge commit takes in, and both are told', async () => {
  await withRequest({ git: 'process' }, async ({ gitlab, push, folder, path }) => {
    await push(folder, 'x', { 'z.txt': 'z\n' })
    const merged = await gitlab('bot').MergeRequests.merge(PROJECT, 1, { squash: true })
    const [whole, sha] = [String(merged.merge_commit_sha), String(merged.squash_commit_sha)]
    expect(await run(path, ['log', '-1', '--format=%s', sha])).toBe('Title')
    expect(await run(path, ['rev-parse', 'main'])).toBe(whole)
    expect(await run(path, ['rev-parse', `${whole}^2`])).toBe(sha)
    expect(await run(path, ['rev-list', '--count', 'main'])).toBe('3')
  })
})

test('a project of fast forwards keeps every sha, and who is behind has to rebase', async () => {
  await withRequest({ git: 'process', repository: { mergeMethods: ['rebase'] } }, async (scene) => {
    const { gitlab, head, path, clone, push, ask } = scene
    await push(await clone('maintainer'), 'main', { 'y.txt': 'y\n' })
    await expect.poll(() => detailedStatus(scene), { timeout: 10_000 }).toBe('need_rebase')
    expect((await ask('bot', 'PUT', `${ONE}/merge`)).status).toBe(405)
    await run(path, ['update-ref', 'refs/heads/main', `${head}^`])
    const merged = await gitlab('bot').MergeRequests.merge(PROJECT, 1, { sha: head })
    expect([merged.merge_commit_sha, await run(path, ['rev-parse', 'main'])]).toEqual([null, head])
    expect((await gitlab('bot').Projects.show(PROJECT)).merge_method).toBe('ff')
  })
})

test('what a protected branch still wants is told by the detailed status', async () => {
  const protection = { main: { requiredApprovals: 1, requiredChecks: ['test'] } }
  await withRequest({ repository: { protection } }, async (scene) => {
    const { gitlab, ask } = scene
    await expect.poll(() => detailedStatus(scene), { timeout: 10_000 }).toBe('not_approved')
    await gitlab('maintainer').MergeRequestApprovals.approve(PROJECT, 1)
    expect(await detailedStatus(scene)).toBe('ci_must_pass')
    const sha = String((await gitlab('bot').MergeRequests.show(PROJECT, 1)).sha)
    await ask('bot', 'POST', ONE.replace('merge_requests/1', `statuses/${sha}`), { state: 'running', name: 'test' })
    expect(await detailedStatus(scene)).toBe('ci_still_running')
    await ask('bot', 'POST', ONE.replace('merge_requests/1', `statuses/${sha}`), { state: 'success', name: 'test' })
    expect(await detailedStatus(scene)).toBe('mergeable')
  })
})

it('the author may approve, as in the free edition', async ({ ask }) => {
  expect((await ask('bot', 'POST', `${ONE}/approve`)).status).toBe(201)
})

it('an approval is for the head that it names, counts once, and can be taken back', async ({ gitlab, ask, head }) => {
  const { MergeRequestApprovals, MergeRequestNotes } = gitlab('maintainer')
  expect((await ask('maintainer', 'POST', `${ONE}/approve`, { sha: '1'.repeat(40) })).status).toBe(409)
  expect(await MergeRequestApprovals.approve(PROJECT, 1, { sha: head })).toMatchObject({
    approved: true,
    approved_by: [{ user: { username: 'maintainer' }, approved_at: expect.any(String) }],
  })
  const statuses = await Promise.all(
    ['maintainer', 'reader'].map(async (login) => (await ask(login, 'POST', `${ONE}/approve`)).status),
  )
  expect(statuses).toEqual([401, 401])
  await MergeRequestApprovals.unapprove(PROJECT, 1)
  expect((await ask('bot', 'GET', `${ONE}/approvals`)).body).toMatchObject({ approved_by: [] })
  expect((await ask('maintainer', 'POST', `${ONE}/unapprove`)).status).toBe(404)
  const notes = await MergeRequestNotes.all(PROJECT, 1, { sort: 'asc' })
  expect(notes.map((note) => [note.system, note.body, note.author.username])).toEqual([
    [true, 'approved this merge request', 'maintainer'],
    [true, 'unapproved this merge request', 'maintainer'],
  ])
})

it('a request for changes is a state of its reviewer, and its text is a note', async ({ gitlab, forge, ask }) => {
  const [reader] = await gitlab('bot').Users.all({ username: 'reader' })
  await gitlab('bot').MergeRequests.edit(PROJECT, 1, { reviewerIds: [reader?.id ?? 0] })
  await forge.review('maintainer', PROJECT, 1, { event: 'REQUEST_CHANGES', body: 'Not yet' })
  expect((await ask('bot', 'GET', `${ONE}/reviewers`)).body).toMatchObject([
    { user: { username: 'reader' }, state: 'unreviewed' },
    { user: { username: 'maintainer' }, state: 'requested_changes' },
  ])
  const notes = await gitlab('bot').MergeRequestNotes.all(PROJECT, 1, { sort: 'asc' })
  expect(notes.map((note) => [note.system, note.body])).toEqual([
    [true, 'requested changes'],
    [false, 'Not yet'],
  ])
  const written = forge.audit().filter(({ detail }) => detail?.['body'] === 'Not yet')
  expect(written.map(({ action, detail }) => [action, detail?.['comment']])).toEqual([['comment.create', notes[1]?.id]])
})
