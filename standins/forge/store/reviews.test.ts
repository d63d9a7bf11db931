import { expect } from 'vitest'
import { failure, withForge, type ForgeFixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = { owner: 'acme', repo: 'library' }

/** A pull request of the bot's that changes line 15 of the 30 comment lines of `src/add.js`. */
async function withChange(
  use: (
    fixture: ForgeFixture & {
      folder: string
      pull: { owner: string; repo: string; pull_number: number }
      head: string
      lines: string[]
    },
  ) => Promise<void>,
): Promise<void> {
  await withForge({ git: 'memory' }, async (fixture) => {
    const folder = await fixture.clone('bot')
    const lines = [
      ...Array.from({ length: 30 }, (_, line) => `// line ${line + 1}`),
      'export function add(a, b) {',
      '  return a + b',
      '}',
      '',
    ]
    lines[14] = '// changed'
    const head = await fixture.push(folder, 'x', { 'src/add.js': lines.join('\n') })
    const { data } = await fixture.octokit('bot').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' })
    await use({ ...fixture, folder, head, lines, pull: { ...REPO, pull_number: data.number } })
  })
}

const it = testInside(withChange)

it('authors can comment on their own pull request, but neither approve it nor ask themselves for changes', async (fixture) => {
  const { octokit, pull } = fixture
  const bot = octokit('bot').pulls
  expect(await failure(bot.createReview({ ...pull, event: 'APPROVE' }))).toMatchObject({
    status: 422,
    errors: ['Can not approve your own pull request'],
  })
  expect(await failure(bot.createReview({ ...pull, event: 'REQUEST_CHANGES', body: 'No.' }))).toMatchObject({
    status: 422,
    errors: ['Can not request changes on your own pull request'],
  })
  expect((await bot.createReview({ ...pull, event: 'COMMENT', body: 'Looks right to me.' })).data.state).toBe(
    'COMMENTED',
  )
  expect(await failure(octokit('maintainer').pulls.createReview({ ...pull, event: 'COMMENT' }))).toMatchObject({
    status: 422,
  })
})

it('a line can be commented on where a hunk shows it, on its own side, and nowhere else', async (fixture) => {
  const { octokit, pull, head } = fixture
  const pulls = octokit('reader').pulls
  const on = (comment: object): Promise<unknown> =>
    pulls.createReview({ ...pull, event: 'COMMENT', comments: [{ path: 'src/add.js', body: 'Hm.', ...comment }] })
  for (const line of [12, 15, 18]) await on({ line })
  await on({ line: 15, side: 'LEFT' })
  await on({ line: 16, start_line: 14 })
  await on({ position: 1 })
  for (const wrong of [
    { line: 11 },
    { line: 19 },
    { line: 400 },
    { line: 11, side: 'LEFT' },
    { line: 14, start_line: 16 },
    { line: 15, start_line: 2 },
    { position: 99 },
    {},
  ]) {
    expect(await failure(on(wrong)), JSON.stringify(wrong)).toMatchObject({
      status: 422,
      errors: ['Line could not be resolved'],
    })
  }
  expect(await failure(on({ path: 'package.json', line: 1 }))).toMatchObject({
    status: 422,
    errors: ['Path could not be resolved'],
  })
  expect(
    await failure(pulls.createReview({ ...pull, event: 'COMMENT', body: 'x', commit_id: 'f'.repeat(40) })),
  ).toMatchObject({ status: 422 })
  const { data } = await pulls.listReviewComments(pull)
  expect(data.map((comment) => [comment.line, comment.side, comment.position])).toEqual([
    [12, 'RIGHT', 1],
    [15, 'RIGHT', 5],
    [18, 'RIGHT', 8],
    [15, 'LEFT', 4],
    [16, 'RIGHT', 6],
    [12, 'RIGHT', 1],
  ])
  expect(data[1]).toMatchObject({
    commit_id: head,
    diff_hunk: expect.stringMatching(/^@@ -12,7 \+12,7 @@[\s\S]*\n\+\/\/ changed$/),
  })
})

it('a single comment and its answers form a thread, each answer naming the first', async (fixture) => {
  const { octokit, pull, head, forge } = fixture
  const { data: first } = await octokit('maintainer').pulls.createReviewComment({
    ...pull,
    commit_id: head,
    path: 'src/add.js',
    line: 15,
    side: 'RIGHT',
    body: 'Why?',
  })
  const { data: reply } = await octokit('bot').pulls.createReplyForReviewComment({
    ...pull,
    comment_id: first.id,
    body: 'Because.',
  })
  const { data: again } = await octokit('maintainer').pulls.createReplyForReviewComment({
    ...pull,
    comment_id: reply.id,
    body: 'I see.',
  })
  expect([reply.in_reply_to_id, again.in_reply_to_id]).toEqual([first.id, first.id])
  expect(again).toMatchObject({ line: 15, path: 'src/add.js' })
  await octokit('bot').pulls.updateReviewComment({ ...REPO, comment_id: reply.id, body: 'Because of this.' })
  expect(await failure(octokit('reader').pulls.deleteReviewComment({ ...REPO, comment_id: reply.id }))).toMatchObject({
    status: 403,
  })
  await octokit('maintainer').pulls.deleteReviewComment({ ...REPO, comment_id: again.id })
  expect((await octokit('reader').pulls.listReviewComments(pull)).data.map((comment) => comment.body)).toEqual([
    'Why?',
    'Because of this.',
  ])
  expect(forge.audit().filter((entry) => entry.action.startsWith('review-comment'))).toHaveLength(5)
})

it('after a push a comment moves along while its file is the same, and loses its line when the file changes', async (fixture) => {
  const { octokit, pull, folder, push, lines, head } = fixture
  await octokit('maintainer').pulls.createReview({
    ...pull,
    event: 'REQUEST_CHANGES',
    comments: [{ path: 'src/add.js', line: 15, body: 'Say what.' }],
  })
  const next = await push(folder, 'x', { 'other.txt': 'other\n' })
  expect((await octokit('bot').pulls.listReviewComments(pull)).data[0]).toMatchObject({
    line: 15,
    commit_id: next,
    original_commit_id: head,
  })
  lines[14] = '// said'
  await push(folder, 'x', { 'src/add.js': lines.join('\n') })
  expect((await octokit('bot').pulls.listReviewComments(pull)).data[0]).toMatchObject({
    line: null,
    position: null,
    original_line: 15,
    original_commit_id: head,
  })
  expect((await octokit('bot').pulls.listReviews(pull)).data).toMatchObject([
    { state: 'CHANGES_REQUESTED', commit_id: head },
  ])
})

it("a review without an event is its author's secret until it is submitted", async ({ octokit, pull }) => {
  const mine = octokit('maintainer').pulls
  const { data: review } = await mine.createReview({
    ...pull,
    comments: [{ path: 'src/add.js', line: 15, body: 'Hm.' }],
  })
  expect(review.state).toBe('PENDING')
  const seen = async (login: string): Promise<number[]> => [
    (await octokit(login).pulls.listReviews(pull)).data.length,
    (await octokit(login).pulls.listReviewComments(pull)).data.length,
  ]
  expect(await seen('bot')).toEqual([0, 0])
  expect(await failure(mine.createReview({ ...pull, event: 'COMMENT', body: 'Second.' }))).toMatchObject({
    status: 422,
  })
  await mine.submitReview({ ...pull, review_id: review.id, event: 'APPROVE' })
  expect(await seen('bot')).toEqual([1, 1])
  expect((await mine.listCommentsForReview({ ...pull, review_id: review.id })).data).toHaveLength(1)
})

it('a second pull request for the same branches, for unknown ones, and without commits is refused with its reason', async (fixture) => {
  const { octokit } = fixture
  const open = (head: string, base = 'main'): Promise<unknown> =>
    octokit('bot').pulls.create({ ...REPO, title: 'Again', head, base })
  expect(await failure(open('x'))).toMatchObject({
    status: 422,
    errors: [{ message: 'A pull request already exists for acme:x.' }],
  })
  expect(await failure(open('acme:x'))).toMatchObject({
    status: 422,
    errors: [{ message: 'A pull request already exists for acme:x.' }],
  })
  expect(await failure(open('nowhere'))).toMatchObject({ status: 422, errors: [{ field: 'head', code: 'invalid' }] })
  expect(await failure(open('x', 'nowhere'))).toMatchObject({
    status: 422,
    errors: [{ field: 'base', code: 'invalid' }],
  })
  expect(await failure(open('main'))).toMatchObject({
    status: 422,
    errors: [{ message: 'No commits between main and main' }],
  })
  expect(await failure(octokit('reader').pulls.create({ ...REPO, title: 'X', head: 'x', base: 'main' }))).toMatchObject(
    { status: 403 },
  )
})

it('a closed pull request opens again only while its branch exists', async ({ octokit, pull, forge }) => {
  const bot = octokit('bot')
  await bot.pulls.update({ ...pull, state: 'closed', title: 'Renamed' })
  expect((await bot.pulls.list({ ...REPO, state: 'closed', head: 'acme:x' })).data).toMatchObject([
    { title: 'Renamed', merged_at: null },
  ])
  await bot.issues.update({ ...REPO, issue_number: pull.pull_number, state: 'open' })
  expect((await bot.pulls.get(pull)).data.state).toBe('open')
  await forge.deleteBranch('maintainer', 'acme/library', 'x')
  expect(await failure(bot.pulls.update({ ...pull, state: 'open' }))).toMatchObject({
    status: 422,
    errors: [{ field: 'state' }],
  })
})

it('the audit log holds what a review says, on each line too', async ({ forge, octokit, pull }) => {
  const { data } = await octokit('maintainer').pulls.createReview({
    ...pull,
    event: 'REQUEST_CHANGES',
    body: 'Not yet.',
    comments: [{ path: 'src/add.js', line: 15, body: 'Say what.' }],
  })
  const [comment] = (await octokit('maintainer').pulls.listReviewComments(pull)).data
  const entry = forge.audit().find(({ action }) => action === 'review.create')
  expect(entry?.detail).toEqual({
    review: data.id,
    event: 'REQUEST_CHANGES',
    body: 'Not yet.',
    comments: [{ comment: comment?.id, path: 'src/add.js', body: 'Say what.' }],
  })
})
