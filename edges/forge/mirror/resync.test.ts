import { expect, test } from 'vitest'
import type { IssueFacts } from '../../../machines/issue/events.ts'
import type { Fetch } from '../../../http/ports.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import { createOpenForge } from '../transport/open-forge.ts'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../testing/fixture.ts'
import { createMirror } from './mirror.ts'
import { mirrorRules } from './facts/rules.ts'
import { loadCursor } from './store/cursors.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = 'acme/library'

async function resync(fixture: EdgeFixture): Promise<void> {
  await fixture.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, fixture.context('resync'))
}

function openWanted({ forge }: EdgeFixture): number {
  return forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'We need it.', labels: ['platform'] }).number
}

function lastFacts({ delivered }: EdgeFixture): IssueFacts {
  return delivered.findLast(({ event }) => event.type === 'issue.observed')!.event['facts'] as IssueFacts
}

async function said({ edge }: EdgeFixture, on: 'issue' | 'mr', number: number): Promise<readonly string[]> {
  const thread = await edge.mirror.comments('demo', 'library', on, number)
  return thread
    .filter(({ deletedAt, comment }) => deletedAt === undefined && comment.body !== '')
    .map(({ comment }) => comment.body)
}

/** Changes of people are not reviewed unless they ask. */
const unasked: EdgeFixtureOptions = {
  project: (given) => ({ ...given, scm: { ...given.scm, prReactionScope: 'labeledOrMentioned' } }),
}

async function openChange(fixture: EdgeFixture): Promise<number> {
  await fixture.push(await fixture.clone('maintainer'), 'fix', { 'fix.txt': 'fixed' })
  const { number } = await fixture.forge.openPull('maintainer', REPO, {
    title: 'Fix',
    body: '',
    head: 'fix',
    base: 'main',
  })
  return number
}

const it = testInside(withForgeEdge, {})

it.for([
  ['an address that the forge cannot reach', 'POST', 422],
  ['no right to see hooks', 'GET', 403],
] as const)(
  'a hook refused for %s stops no resync: what people closed is seen by the next one (TOOL-SCM-READ-8)',
  async ([, method, status], fixture) => {
    const path = `/repos/${REPO}/hooks/**`
    fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method, path, status, times: 10_000 })
    const number = openWanted(fixture)
    await resync(fixture)
    expect(lastFacts(fixture)).toMatchObject({ number, state: 'open' })
    fixture.forge.closeIssue('maintainer', REPO, number)
    fixture.clock.advance(30 * 60_000)
    await resync(fixture)
    expect(lastFacts(fixture)).toMatchObject({ number, state: 'closed' })
  },
)

it('a forge that fails at the hooks is asked again, and what was read is not read anew (TOOL-SCM-READ-8)', async (fixture) => {
  const path = `/repos/${REPO}/hooks/**`
  fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method: 'GET', path, status: 502 })
  await expect(resync(fixture)).rejects.toThrow(RetryableError)
  expect(await loadCursor(fixture.sql, await fixture.edge.mirror.repositoryKey('demo', 'library'))).toMatchObject({
    since: fixture.clock.now() - 24 * 3_600_000,
  })
  await resync(fixture)
})

it('a resync by a clock that runs ahead loses nothing that came after it (TOOL-SCM-READ-5)', async (fixture) => {
  const [first, second] = [openWanted(fixture), openWanted(fixture)]
  fixture.clock.advance(10 * 60_000)
  await fixture.edge.mirror.resync('demo')
  const third = openWanted(fixture)
  await fixture.edge.mirror.resync('demo')
  const known = await fixture.edge.mirror.issues('demo')
  expect(known.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([first, second, third])
})

it('a resync goes on by a clock that counts parts of milliseconds', async (fixture) => {
  openWanted(fixture)
  let parts = 0
  const clock = { ...fixture.clock, elapsed: () => fixture.clock.elapsed() + (parts += 0.3) }
  const { directory, sql } = fixture
  const openForge = createOpenForge({ directory, fetch, clock, sql })
  const deliver = async ({ key }: { readonly key: string }) => ({ key, applied: true, seq: 1 })
  const mirror = createMirror({ ...fixture, rules: mirrorRules, clock, openForge, deliver })
  await mirror.resync('demo')
  const { since } = (await loadCursor(sql, await mirror.repositoryKey('demo', 'library')))!
  expect([since > 0, Number.isInteger(since)]).toEqual([true, true])
})

it('a thread that no Task owns is in the mirror, without what was deleted in it unheard (TOOL-SCM-READ-6)', async (fixture) => {
  const { forge } = fixture
  const { mirror } = fixture.edge
  const { number } = forge.openIssue('reader', REPO, { title: 'Idea', body: '' })
  const first = forge.comment('reader', REPO, number, 'first')
  await mirror.resync('demo')
  expect(await said(fixture, 'issue', number)).toEqual(['first'])
  const second = forge.comment('maintainer', REPO, number, 'second')
  await mirror.resync('demo')
  expect(await said(fixture, 'issue', number)).toEqual(['first', 'second'])
  for (const { id } of [first, second]) forge.deleteComment('maintainer', REPO, id)
  fixture.clock.advance(2 * 60_000)
  await mirror.resync('demo')
  expect(await said(fixture, 'issue', number)).toEqual([])
  expect(fixture.delivered).toEqual([])
})

test('what people said of a change that nobody asked us about is in the mirror, reviews included (TOOL-SCM-READ-6)', async () => {
  await withForgeEdge(unasked, async (fixture) => {
    const { mirror } = fixture.edge
    const number = await openChange(fixture)
    await mirror.resync('demo')
    await fixture.forge.review('maintainer', REPO, number, { event: 'COMMENT', body: 'Looks odd', comments: [] })
    await fixture.forge.closePull('maintainer', REPO, number)
    await mirror.resync('demo')
    expect(await said(fixture, 'mr', number)).toEqual(['Looks odd'])
    expect(fixture.delivered).toEqual([])
  })
})

test('what was over before the repository was enrolled is in the mirror with its threads, and wakes nobody (TOOL-SCM-READ-7)', async () => {
  await withForgeEdge(unasked, async (fixture) => {
    const { forge } = fixture
    const { mirror } = fixture.edge
    const issue = openWanted(fixture)
    forge.comment('maintainer', REPO, issue, 'done long ago')
    forge.closeIssue('maintainer', REPO, issue)
    const change = await openChange(fixture)
    await forge.review('maintainer', REPO, change, { event: 'COMMENT', body: 'fine', comments: [] })
    await forge.mergePull('maintainer', REPO, change)
    await mirror.resync('demo')
    expect(await mirror.issue('demo', 'library', issue)).toMatchObject({ issue: { state: 'closed' } })
    expect(await said(fixture, 'issue', issue)).toEqual(['done long ago'])
    expect(await mirror.mergeRequest('demo', 'library', change)).toMatchObject({ mergeRequest: { state: 'merged' } })
    expect(await said(fixture, 'mr', change)).toEqual(['fine'])
    expect(fixture.delivered).toEqual([])
  })
})

it('a long history is read page by page, and a limit in the middle of it ends no resync (TOOL-SCM-READ-7)', async (fixture) => {
  for (let n = 0; n < 250; n++) {
    const { number } = fixture.forge.openIssue('maintainer', REPO, { title: `Issue ${n}`, body: '' })
    fixture.forge.closeIssue('maintainer', REPO, number)
  }
  const pages: string[] = []
  const limitedAtTheSecond: Fetch = async (input, init) => {
    const { pathname, searchParams } = new URL(String(input))
    if (!pathname.endsWith('/issues') || searchParams.get('direction') !== 'desc') return fetch(input, init)
    pages.push(searchParams.get('page') ?? '1')
    return pages.length === 2
      ? new Response('{}', { status: 429, headers: { 'retry-after': '60' } })
      : fetch(input, init)
  }
  const mirror = createMirror({
    rules: mirrorRules,
    ...fixture,
    openForge: createOpenForge({ ...fixture, fetch: limitedAtTheSecond }),
    deliver: async ({ key }) => ({ key, applied: true, seq: 1 }),
  })
  // What was closed is older than any change that is read back.
  fixture.clock.advance(3_600_000)
  await mirror.resync('demo')
  expect(await mirror.issues('demo')).toHaveLength(100)
  fixture.clock.advance(30 * 60_000)
  await mirror.resync('demo')
  expect(await mirror.issues('demo')).toHaveLength(250)
  expect(pages).toEqual(['1', '2', '2', '3'])
})

test('MIRROR-4: an issue that was deleted while its webhook was lost costs nobody else the resync, and its actor learns it', async () => {
  await withForgeEdge(unasked, async (fixture) => {
    const number = openWanted(fixture)
    const change = await openChange(fixture)
    await resync(fixture)
    for (const path of [`/repos/${REPO}/issues/${number}`, `/repos/${REPO}/issues/${number}/**`])
      fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method: 'GET', path, status: 410, times: 10_000 })
    await fixture.forge.closePull('maintainer', REPO, change)
    fixture.clock.advance(60_000)
    await resync(fixture)
    expect(lastFacts(fixture)).toMatchObject({ number, state: 'closed' })
    expect((await fixture.edge.mirror.mergeRequest('demo', 'library', change))?.mergeRequest.state).toBe('closed')
    // Whoever sees it again has it again.
    fixture.forge.faults.clear()
    await resync(fixture)
    expect(lastFacts(fixture)).toMatchObject({ number, state: 'open' })
  })
})

test('MIRROR-4: a merge request that could not be read is read first by the next resync, whatever changed since', async () => {
  await withForgeEdge(unasked, async (fixture) => {
    const hooks = `/repos/${REPO}/hooks/**`
    fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method: 'GET', path: hooks, status: 403, times: 10_000 })
    const change = await openChange(fixture)
    await resync(fixture)
    await fixture.forge.closePull('maintainer', REPO, change)
    fixture.clock.advance(10 * 60_000)
    const path = `/repos/${REPO}/pulls/${change}`
    fixture.forge.faults.inject({ kind: 'errorBeforeWrite', method: 'GET', path, status: 502, times: 1 })
    await resync(fixture)
    const state = async (): Promise<unknown> =>
      (await fixture.edge.mirror.mergeRequest('demo', 'library', change))?.mergeRequest.state
    expect(await state()).toBe('open')
    fixture.clock.advance(10 * 60_000)
    await resync(fixture)
    expect(await state()).toBe('closed')
  })
})

it('MIRROR-5: three resyncs in a row that fail are said in a condition, until one gets through', async (fixture) => {
  const faults = async (): Promise<unknown> => {
    const [answer] = await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('c'))
    return answer!.event['faults']
  }
  const path = `/repos/${REPO}/issues`
  const mend = fixture.forge.faults.inject({
    kind: 'errorBeforeWrite',
    method: 'GET',
    path,
    status: 500,
    times: 10_000,
  })
  for (let failed = 0; failed < 3; failed++) {
    expect(await faults()).toEqual([])
    // Tried again within moments it is the same one.
    await expect(resync(fixture)).rejects.toThrow('list issues: 500')
    await expect(resync(fixture)).rejects.toThrow('list issues: 500')
    fixture.clock.advance(30 * 60_000)
  }
  expect(await faults()).toMatchObject([
    {
      reason: 'ResyncFailing',
      blocks: false,
      message: expect.stringContaining('3 times in a row (list issues: 500)'),
    },
  ])
  mend()
  await resync(fixture)
  expect(await faults()).toEqual([])
})
