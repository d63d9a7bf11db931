/** GitLab's dialect behind the whole edge: hook, inbox, mirror and what the actors learn. */
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, vi } from 'vitest'
import type { IssueFacts } from '../../../machines/issue/events.ts'
import { threadReader } from '../mirror/threads.ts'
import { mergeWhenKnown } from '../outbound/testing/merges.ts'
import { PROJECT } from '../../../standins/forge/testing/gitlab.ts'
import { ofGitlab, withForgeEdge, type EdgeFixture } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

afterEach(() => {
  vi.useRealTimers()
})

const permissions = { maintainer: 'admin', bot: 'admin', reader: 'read' } as const
const repository = {
  dialect: 'gitlab',
  owner: 'acme/tools',
  permissions,
  labels: [{ name: 'platform', color: '5319e7' }],
} as const

async function withGitlabEdge(use: (fixture: EdgeFixture) => Promise<void>): Promise<void> {
  await withForgeEdge({ repository, project: ofGitlab }, async (fixture) => {
    const [checked] = await fixture.edge.handlers.checkProject.perform(
      { project: 'default/demo' },
      fixture.context('check'),
    )
    expect(checked?.event).toMatchObject({ ready: true })
    await use(fixture)
  })
}

async function ask(fixture: EdgeFixture, login: string, method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${fixture.forge.gitlabApiUrl}/projects/${encodeURIComponent(PROJECT)}${path}`, {
    method,
    headers: { 'private-token': `token-of-${login}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.ok).toBe(true)
}

async function resync(fixture: EdgeFixture): Promise<void> {
  await fixture.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, fixture.context('resync'))
  await fixture.quiet()
}

function facts(fixture: EdgeFixture): IssueFacts {
  return fixture.delivered.findLast(({ event }) => event.type === 'issue.observed')!.event['facts'] as IssueFacts
}

const it = testInside(withGitlabEdge)

it('an issue that a maintainer labels is wanted, and his comment approves it', async (fixture) => {
  const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
  const { number } = await fixture.quiet(fixture.forge.openIssue('maintainer', PROJECT, input))
  expect(facts(fixture)).toMatchObject({ wanted: true, approvals: [], state: 'open' })
  await fixture.quiet(fixture.forge.comment('maintainer', PROJECT, number, 'approve'))
  expect(facts(fixture).approvals).toMatchObject([{ author: 'maintainer' }])
  const known = fixture.delivered.length
  await resync(fixture)
  expect(fixture.delivered.slice(known).map(({ event }) => event.type)).toEqual([])
})

it('a mark of reviews in a comment of an issue hides no word', async (fixture) => {
  const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
  const { number } = fixture.forge.openIssue('maintainer', PROJECT, input)
  fixture.forge.comment('maintainer', PROJECT, number, 'approve')
  fixture.forge.comment('maintainer', PROJECT, number, `/hold\n\n<!-- platform:review=${'a'.repeat(40)} -->`)
  await fixture.quiet()
  const withdrawn = { approvals: [], withdrawnBy: 'maintainer' }
  expect(facts(fixture)).toMatchObject(withdrawn)
  await resync(fixture)
  expect(facts(fixture)).toMatchObject(withdrawn)
})

it('an issue that becomes confidential is gone at once, and is back when it is public again (PROJECT-SCM-22)', async (fixture) => {
  const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
  const { number } = await fixture.quiet(fixture.forge.openIssue('maintainer', PROJECT, input))
  await ask(fixture, 'maintainer', 'PUT', `/issues/${number}`, { confidential: true, description: 'a secret' })
  await fixture.quiet()
  const row = (): Promise<unknown> => fixture.edge.mirror.issue('demo', 'library', number)
  expect([facts(fixture).state, await row()]).toMatchObject(['closed', { notes: { deleted: true } }])
  await fixture.quiet(ask(fixture, 'maintainer', 'PUT', `/issues/${number}`, { confidential: false }))
  expect([facts(fixture).state, await row()]).toMatchObject([
    'open',
    { notes: expect.not.objectContaining({ deleted: true }) },
  ])
})

it('an issue that became confidential unheard is gone, and nothing of it is read any more (PROJECT-SCM-22)', async (fixture) => {
  const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
  const { number } = await fixture.quiet(fixture.forge.openIssue('maintainer', PROJECT, input))
  fixture.forge.faults.inject({ kind: 'drop', times: 100 })
  await ask(fixture, 'maintainer', 'PUT', `/issues/${number}`, { confidential: true, description: 'a secret' })
  await ask(fixture, 'maintainer', 'POST', `/issues/${number}/notes`, { body: 'a secret' })
  await resync(fixture)
  const row = await fixture.edge.mirror.issue('demo', 'library', number)
  expect(row).toMatchObject({ issue: { body: 'We need it.' }, notes: { deleted: true } })
  const words = await fixture.edge.mirror.comments('demo', 'library', 'issue', number)
  expect(words.map(({ comment }) => comment.body)).toEqual([])
})

it('a person’s Approve is a review of the head that he saw, and is gone when he takes it back: heard at once, unheard by a second reading (MIRROR-10, MIRROR-12)', async (fixture) => {
  const sha = await fixture.push(await fixture.clone('bot'), 'feature', { 'a.js': '1\n' })
  const { number } = await fixture.forge.openPull('bot', PROJECT, {
    title: 'A',
    body: '',
    head: 'feature',
    base: 'main',
  })
  await fixture.quiet()
  const reviews = async (): Promise<unknown[]> =>
    (await fixture.edge.mirror.comments('demo', 'library', 'mr', number))
      .filter(({ comment, deletedAt }) => comment.sort === 'review' && deletedAt === undefined)
      .map(({ comment }) => [comment.author.login, comment.verdict, comment.sha])
  await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/approve`, {}))
  expect(await reviews()).toEqual([['maintainer', 'approved', sha]])
  await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/unapprove`, {}))
  expect(await reviews()).toEqual([])
  await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/approve`, {}))
  fixture.forge.faults.inject({ kind: 'drop', times: 100 })
  await ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/unapprove`, {})
  for (const expected of [1, 0]) {
    await fixture.edge.mirror.refresh('default/demo', 'library', 'mr', number)
    expect(await reviews()).toHaveLength(expected)
    fixture.clock.advance(60_000)
  }
})

it('a comment on an issue that became confidential unheard tells that it is gone (PROJECT-SCM-22)', async (fixture) => {
  const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
  const { number } = await fixture.quiet(fixture.forge.openIssue('maintainer', PROJECT, input))
  fixture.forge.faults.inject({ kind: 'drop', times: 1 })
  await ask(fixture, 'maintainer', 'PUT', `/issues/${number}`, { confidential: true, description: 'a secret' })
  await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/issues/${number}/notes`, { body: 'a secret' }))
  expect(facts(fixture).state).toBe('closed')
  expect(JSON.stringify(fixture.delivered)).not.toContain('a secret')
})

it.for([
  { said: ['/approve'], held: false },
  { said: ['/approve', '/unapprove'], held: true },
])('after a /hold and $said of a maintainer the merge is held: $held', async ({ said, held }, fixture) => {
  const sha = await fixture.push(await fixture.clone('bot'), 'platform/a', { 'a.js': '1\n' })
  const pull = { title: 'A', body: '', head: 'platform/a', base: 'main' }
  const { number } = await fixture.forge.openPull('bot', PROJECT, pull)
  for (const body of ['/hold', ...said]) {
    await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/notes`, { body }))
    // A word of the same second lifts nothing, and what is young may be missing in a list.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
    fixture.clock.advance(120_000)
  }
  expect(await mergeWhenKnown(fixture, { number, sha })).toHaveLength(held ? 1 : 0)
})

it('of `/unapprove` without an approval GitLab keeps nothing that could be heard', async (fixture) => {
  await fixture.push(await fixture.clone('bot'), 'feature', { 'a.js': '1\n' })
  const pull = { title: 'A', body: '', head: 'feature', base: 'main' }
  const { number } = await fixture.forge.openPull('bot', PROJECT, pull)
  await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/notes`, { body: '/unapprove' }))
  expect(await fixture.edge.mirror.comments('demo', 'library', 'mr', number)).toEqual([])
})

describe('an internal note of a maintainer', () => {
  const secret = 'Fabrikam has not paid'
  const note = (body: string): object => ({ body, internal: true })

  it.for([`/hold\n\n${secret}.`, `Please hold off, ${secret}.`, `${secret}, do not merge.`, `/cancel\n\n${secret}`])(
    '%j withholds the merge, and nobody is shown a word of it (PROJECT-SCM-22)',
    async (body, fixture) => {
      const sha = await fixture.push(await fixture.clone('bot'), 'platform/a', { 'a.js': '1\n' })
      const pull = { title: 'A', body: '', head: 'platform/a', base: 'main' }
      const { number } = await fixture.forge.openPull('bot', PROJECT, pull)
      await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/notes`, note(body)))
      const [refused] = await mergeWhenKnown(fixture, { number, sha })
      expect(refused?.event.reason).toMatch(/maintainer .*internal note/)
      const rows = await fixture.edge.mirror.comments('demo', 'library', 'mr', number)
      expect(JSON.stringify([refused, rows, fixture.delivered])).not.toContain(secret)
      const reader = threadReader(fixture.edge.mirror, fixture.directory)
      expect(await reader.comments('demo', 'library', number, 'mr')).toEqual([])
      expect(fixture.delivered.filter(({ event }) => event.type === 'mr.commented')).toEqual([])
    },
  )

  it('is quoted nowhere in public where a Project lets its agents read such notes', async (fixture) => {
    Object.assign(fixture.project.scm, { includeConfidential: true })
    const sha = await fixture.push(await fixture.clone('bot'), 'platform/a', { 'a.js': '1\n' })
    const pull = { title: 'A', body: '', head: 'platform/a', base: 'main' }
    const { number } = await fixture.forge.openPull('bot', PROJECT, pull)
    await ask(fixture, 'maintainer', 'POST', `/merge_requests/${number}/notes`, note(`${secret}, do not merge.`))
    await fixture.quiet()
    const [refused] = await mergeWhenKnown(fixture, { number, sha })
    expect(refused?.event.reason).toMatch(/^maintainer wrote \(http/)
    const rows = await fixture.edge.mirror.comments('demo', 'library', 'mr', number)
    expect([JSON.stringify(refused).includes(secret), JSON.stringify(rows).includes(secret)]).toEqual([false, true])
  })
  it('without a no is not mirrored, and one of an issue takes its approval back (PROJECT-SCM-22)', async (fixture) => {
    const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
    const { number } = fixture.forge.openIssue('maintainer', PROJECT, input)
    fixture.forge.comment('maintainer', PROJECT, number, 'approve')
    await ask(fixture, 'maintainer', 'POST', `/issues/${number}/notes`, note(`approve, though ${secret}`))
    await fixture.quiet()
    expect(facts(fixture).approvals).toHaveLength(1)
    expect(await fixture.edge.mirror.comments('demo', 'library', 'issue', number)).toHaveLength(1)
    await fixture.quiet(ask(fixture, 'maintainer', 'POST', `/issues/${number}/notes`, note(`/hold ${secret}`)))
    expect(facts(fixture)).toMatchObject({ approvals: [], withdrawnBy: 'maintainer' })
    expect(fixture.delivered.filter(({ event }) => JSON.stringify(event).includes(secret))).toEqual([])
  })
})

it('the platform reviews a change on its lines and merges exactly its head', async (fixture) => {
  const branch = 'platform/implement-library-1-aaaaa'
  const sha = await fixture.push(await fixture.clone('bot'), branch, { 'a.js': 'one\n' })
  const pull = { title: 'A', body: '', head: branch, base: 'main' }
  const { number } = await fixture.quiet(fixture.forge.openPull('bot', PROJECT, pull))
  const subject = { project: 'default/demo', repository: 'library', number, sha }
  const finding = { repo: 'library', number, severity: 'high', path: 'a.js', body: 'why one?' } as const
  const findings = [
    { ...finding, line: 1 },
    { ...finding, line: 9 },
  ]
  const review = { ...subject, verdict: 'request_changes', body: 'look', findings } as const
  for (const attempt of [1, 2])
    await fixture.edge.handlers.postReview.perform(review, fixture.context('review', attempt))
  await fixture.quiet()
  const words = await fixture.edge.mirror.comments('demo', 'library', 'mr', number)
  expect(words.map(({ comment }) => [comment.sort, comment.line, comment.author.login])).toEqual([
    ['inline', 1, 'bot'],
    ['review', undefined, 'bot'],
  ])
  expect(words[1]!.comment.body).toContain('`a.js:9`')

  // A merge answers nothing: its own event says that it is merged.
  expect(await mergeWhenKnown(fixture, { number, sha })).toEqual([])
  await fixture.quiet()
  const merged = await fixture.edge.mirror.mergeRequest('demo', 'library', number)
  expect(merged?.mergeRequest).toMatchObject({ state: 'merged', headSha: sha })
})

it('a comment that others wrote over approves nothing, though GitLab names its author as the one who edited it', async (fixture) => {
  const { number } = fixture.forge.openIssue('maintainer', PROJECT, { title: 'T', body: 'B', labels: ['platform'] })
  const { id } = await fixture.quiet(fixture.forge.comment('maintainer', PROJECT, number, 'Let me think.'))
  await fixture.quiet(fixture.forge.editComment('bot', PROJECT, id, 'approve'))
  expect(facts(fixture).approvals).toEqual([])
})

it('as many missed deliveries are asked for again as GitLab allows at once, and the rest is read back', async (fixture) => {
  fixture.forge.faults.inject({ kind: 'drop', event: 'Issue Hook', times: 8 })
  for (let nth = 1; nth <= 8; nth++)
    fixture.forge.openIssue('maintainer', PROJECT, { title: `T${nth}`, body: 'B', labels: ['platform'] })
  await fixture.quiet()
  fixture.clock.advance(120_000)
  await resync(fixture)
  expect(fixture.forge.deliveries().filter(({ redelivery }) => redelivery)).toHaveLength(5)
  const known = await Promise.all([1, 8].map((nth) => fixture.edge.mirror.issue('demo', 'library', nth)))
  expect(known.map((row) => row?.issue.title)).toEqual(['T1', 'T8'])
})

it('LAW-24: what another made of a comment within its second approves nothing, whatever of it is lost or late', async (fixture) => {
  const input = { title: 'Add mul', body: 'We need it.', labels: ['platform'] }
  const { number } = await fixture.quiet(fixture.forge.openIssue('maintainer', PROJECT, input))
  fixture.forge.faults.inject({ kind: 'drop', times: 100 })
  const said = fixture.forge.comment('maintainer', PROJECT, number, 'Hm, no.')
  await setTimeout(2)
  await ask(fixture, 'bot', 'PUT', `/issues/${number}/notes/${said.id}`, { body: 'approve' })
  await resync(fixture)
  expect(facts(fixture)).toMatchObject({ approvals: [], unclear: [String(said.id)] })
})
