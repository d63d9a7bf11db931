/** What the forge does with the words of an agent: the stand-in executes closing keywords as GitHub does. */
import { expect } from 'vitest'
import { inert } from '../../../machines/rules/executed-text.ts'
import { withForgeEdge, type EdgeFixture } from '../testing/fixture.ts'
import { mergeWhenKnown, SUBJECT } from './testing/merges.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = 'acme/library'
const BRANCH = 'platform/implement-library-1-aaaaa'

/** Of issue 1: as each form of reference names it, in a body that also closes nothing of the Task. */
const forms = [
  'Closes #1.',
  'fixes: acme/library#1',
  'Resolved https://forge.test/acme/library/issues/1',
  'CLOSE GH-1',
  'Fix #9, fix #1',
  'fixed\n#1',
]

async function stateOf(fixture: EdgeFixture, number: number): Promise<string> {
  const place = { owner: 'acme', repo: 'library', issue_number: number }
  return (await fixture.octokit('bot').issues.get(place)).data.state
}

/** Two issues, of which the Task has the second, and its pushed branch. */
async function begin(fixture: EdgeFixture): Promise<string> {
  fixture.forge.openIssue('maintainer', REPO, { title: 'Of another Task' })
  fixture.forge.openIssue('maintainer', REPO, { title: 'Of this Task' })
  return fixture.push(await fixture.clone('bot'), BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
}

const it = testInside(withForgeEdge, {})

it.for(forms)(
  'a merge request that says %j closes the issue of its Task alone (EXECUTED-1, EXECUTED-4)',
  async (words, fixture) => {
    const sha = await begin(fixture)
    const params = { ...SUBJECT, branch: BRANCH, title: words, body: words, closes: [2], attempt: 1 }
    await fixture.edge.handlers.openMergeRequest.perform(params, fixture.context('task:t/1/0'))
    expect(await mergeWhenKnown(fixture, { number: 3, sha })).toEqual([])
    expect([await stateOf(fixture, 1), await stateOf(fixture, 2)]).toEqual(['open', 'closed'])
  },
)

it.for(forms)('control: the raw words %j close the issue of another Task (EXECUTED-1)', async (words, fixture) => {
  const sha = await begin(fixture)
  const raw = { title: 'Mul', body: words, head: BRANCH, base: 'main' }
  const { number } = await fixture.forge.openPull('bot', REPO, raw)
  expect(await mergeWhenKnown(fixture, { number, sha })).toEqual([])
  expect([await stateOf(fixture, 1), await stateOf(fixture, 2)]).toEqual(['closed', 'open'])
})

it('a comment, a review, its lines and an issue of ours hold no command (EXECUTED-1, EXECUTED-2, EXECUTED-3)', async (fixture) => {
  const sha = await begin(fixture)
  const { number } = await fixture.forge.openPull('bot', REPO, { title: 'M', body: '', head: BRANCH, base: 'main' })
  const { handlers } = fixture.edge
  const body = 'Fixes #1\n/close\n@dependabot rebase'
  const at = { repo: 'library', number, severity: 'low' as const, body }
  const findings = [{ ...at, path: 'src/mul.js', line: 1 }, at]
  await handlers.postReview.perform(
    { ...SUBJECT, number, sha, verdict: 'approve', body, findings },
    fixture.context('task:t/1/0'),
  )
  await handlers.postComment.perform({ ...SUBJECT, number: 1, on: 'issue', body }, fixture.context('task:t/1/1'))
  await handlers.closeIssue.perform({ ...SUBJECT, number: 2, comment: body }, fixture.context('task:t/1/2'))
  const filing = { ...SUBJECT, title: 'Fixes #1', body, sort: 'incident' as const, dedupe: 'a' }
  await handlers.fileIssue.perform(filing, fixture.context('task:t/1/3'))
  const api = fixture.octokit('bot')
  const place = { owner: 'acme', repo: 'library' }
  const filed = (await api.issues.get({ ...place, issue_number: 4 })).data
  const comments = [1, 2].map((issue_number) => api.issues.listComments({ ...place, issue_number }))
  const said = [
    ...(await Promise.all(comments)).flatMap(({ data }) => data.map((one) => one.body ?? '')),
    ...(await api.pulls.listReviews({ ...place, pull_number: number })).data.map((one) => one.body),
    ...(await api.pulls.listReviewComments({ ...place, pull_number: number })).data.map((one) => one.body),
    filed.body ?? '',
  ]
  expect(said).toHaveLength(5)
  for (const text of said) expect(text).toContain(inert(body).split('\n')[0])
  for (const text of said) expect(text).toMatch(/Fixes no\. 1\n *`\/close`\n *@ dependabot rebase/)
  expect(filed.title).toBe('Fixes no. 1')
})
