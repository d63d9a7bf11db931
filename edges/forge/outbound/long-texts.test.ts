/** Texts that are longer than a forge takes: the stand-in refuses them as GitHub does, above 65,536 characters. */
import { expect, test } from 'vitest'
import type { Finding } from '../../../machines/effect.ts'
import { ValidationError } from '../errors.ts'
import { withForgeEdge, type EdgeFixture } from '../testing/fixture.ts'
import { SUBJECT } from './testing/merges.ts'
import { longestText, textsOf } from './long-texts.ts'

const REPO = 'acme/library'
const PLACE = { owner: 'acme', repo: 'library' }
const BRANCH = 'platform/implement-library-1-aaaaa'
const lines = Array.from({ length: 2400 }, (_, n) => `Line ${n} of a long text, which nobody may lose.`)

function reviewed(fixture: EdgeFixture, number: number): Promise<string[]> {
  return fixture
    .octokit('bot')
    .pulls.listReviews({ ...PLACE, pull_number: number })
    .then(({ data }) => data.map((one) => one.body))
}

async function commented(fixture: EdgeFixture, number: number): Promise<string[]> {
  const { data } = await fixture.octokit('bot').issues.listComments({ ...PLACE, issue_number: number, per_page: 100 })
  return data.map((one) => one.body ?? '')
}

async function pullOf(fixture: EdgeFixture): Promise<{ readonly number: number; readonly sha: string }> {
  const sha = await fixture.push(await fixture.clone('bot'), BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
  const { number } = await fixture.forge.openPull('bot', REPO, { title: 'Mul', body: '', head: BRANCH, base: 'main' })
  return { number, sha }
}

test('150 findings reach the merge request in as many reviews as they need, each once after a lost answer (OUTCOME-REVIEW-11)', async () => {
  const path = '/repos/acme/library/pulls/*/reviews'
  const faults = [{ kind: 'errorAfterWrite', method: 'POST', path, times: 1 } as const]
  await withForgeEdge({ faults }, async (fixture) => {
    const { number, sha } = await pullOf(fixture)
    const at = { repo: 'library', number, severity: 'low' } as const
    const findings: Finding[] = [
      { ...at, path: 'src/mul.js', line: 1, body: 'Name it.' },
      ...Array.from({ length: 150 }, (_, n) => ({ ...at, body: `Finding ${n}. ${'It is so. '.repeat(55)}` })),
    ]
    const params = { ...SUBJECT, number, sha, verdict: 'request_changes' as const, body: 'Please look.', findings }
    const review = () => fixture.edge.handlers.postReview.perform(params, fixture.context('task:t/5/1'))
    await review().catch(() => undefined)
    await review()
    await review()
    const bodies = await reviewed(fixture, number)
    expect(bodies).toHaveLength(2)
    for (let n = 0; n < 150; n += 1) expect(bodies.join('').split(`Finding ${n}. `)).toHaveLength(2)
    const { data: inline } = await fixture.octokit('bot').pulls.listReviewComments({ ...PLACE, pull_number: number })
    expect(inline).toHaveLength(1)
  })
})

test('one finding that is longer than a text stands in several, at its place', async () => {
  await withForgeEdge({}, async (fixture) => {
    const { number, sha } = await pullOf(fixture)
    const body = lines.join('\n')
    const findings: Finding[] = [{ repo: 'library', number, path: 'src/none.js', line: 3, severity: 'high', body }]
    const params = { ...SUBJECT, number, sha, verdict: 'request_changes' as const, body: 'Please look.', findings }
    await fixture.edge.handlers.postReview.perform(params, fixture.context('task:t/5/1'))
    const bodies = await reviewed(fixture, number)
    expect(bodies.every((one) => one.includes('`src/none.js:3`'))).toBe(true)
    for (const line of [lines[0], lines[1200], lines.at(-1)]) expect(bodies.join('\n')).toContain(line)
  })
})

test('a comment, an issue and a merge request of ours hold the whole text, the rest in comments, once', async () => {
  await withForgeEdge({}, async (fixture) => {
    await fixture.push(await fixture.clone('bot'), BRANCH, { 'src/mul.js': 'export const mul = 1\n' })
    const body = lines.join('\n')
    const { handlers } = fixture.edge
    fixture.forge.openIssue('maintainer', REPO, { title: 'Add mul' })
    const filing = { ...SUBJECT, title: 'Disk', body, sort: 'incident' as const, dedupe: 'a' }
    const opening = { ...SUBJECT, branch: BRANCH, title: 'Mul', body, closes: [1], attempt: 1 }
    for (const _ of [1, 2]) {
      await handlers.postComment.perform({ ...SUBJECT, number: 1, on: 'issue', body }, fixture.context('task:t/1/0'))
      await handlers.fileIssue.perform(filing, fixture.context('task:t/1/1'))
      await handlers.openMergeRequest.perform(opening, fixture.context('task:t/1/2'))
    }
    const api = fixture.octokit('bot')
    const filed = (await api.issues.get({ ...PLACE, issue_number: 2 })).data.body ?? ''
    const opened = (await api.pulls.get({ ...PLACE, pull_number: 3 })).data.body ?? ''
    const whole = [
      await commented(fixture, 1),
      [filed, ...(await commented(fixture, 2))],
      [opened, ...(await commented(fixture, 3))],
    ].map((texts) => texts.join('\n'))
    for (const text of whole) for (const line of lines) expect(text.split(`${line}\n`)).toHaveLength(2)
    expect(opened).toContain('Closes #1')
  })
})

test.each([
  ['fits', 'x'.repeat(longestText), 1],
  ['has no line to end at', 'x'.repeat(2 * longestText + 1), 3],
  ['has letters of two units', `x${'😀'.repeat(longestText)}`, 3],
])('a text that %s comes whole in texts that fit', (_what, text, least) => {
  const texts = textsOf(text)
  expect(texts.length).toBe(least)
  expect(texts.join('')).toBe(text)
  expect(texts.every((one) => one.length <= longestText && one.isWellFormed())).toBe(true)
})

test('a cut makes no command of the words behind it (EXECUTED-2)', () => {
  const [, second = ''] = textsOf(`${'x'.repeat(longestText)}/close\n`)
  expect(second).toMatch(/^`\/close`/)
})

test('the forge’s words stand beside the code of a refusal, on one line, bounded and without markup (R7)', () => {
  const words = `Validation Failed; body is too long (maximum is 65536 characters)\n/close @maria \`x\` ${'y'.repeat(900)}`
  const { reason, words: shown = '' } = new ValidationError('post review', words)
  expect(reason).toBe('forge-invalid')
  expect(shown).toMatch(
    /^`Validation Failed; body is too long \(maximum is 65536 characters\) \/close @maria 'x' y+…`$/,
  )
  expect(shown.length).toBeLessThan(310)
})
