/** Deliveries that show a subject or a thread in part: the forge is read, and what only the delivery knows is kept. */
import { expect } from 'vitest'
import type { SubjectAct, SubjectChange } from '../../change.ts'
import type { ForgeAccount } from '../../port.ts'
import { openChange } from '../../outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture } from '../../testing/fixture.ts'
import { testInside } from '../../../../testing/inside.ts'

const REPO = 'acme/library'

function openIssue(fixture: EdgeFixture, labels: readonly string[]): number {
  return fixture.forge.openIssue('maintainer', REPO, { title: 'Add mul', body: 'b', labels: [...labels] }).number
}

async function accountOf(fixture: EdgeFixture, login: 'maintainer' | 'reader'): Promise<ForgeAccount> {
  const { data } = await fixture.octokit(login).users.getAuthenticated()
  return { login, id: String(data.id), bot: false }
}

async function apply(
  fixture: EdgeFixture,
  change: Pick<SubjectChange, 'on' | 'number' | 'acts'> & Partial<SubjectChange>,
): Promise<void> {
  const by = await accountOf(fixture, 'maintainer')
  const text = { title: 'Add mul', body: 'b', updatedAt: 0 }
  await fixture.edge.mirror.apply('demo', { kind: 'subject', path: REPO, by, text, ...change }, 'one')
}

const labelled: SubjectAct = { action: 'labeled', label: 'platform' }

const it = testInside(withForgeEdge, {})

it('an issue is read whole, with its author, and its actor hears who set the trigger (MIRROR-9)', async (fixture) => {
  const number = openIssue(fixture, ['platform'])
  await apply(fixture, { on: 'issue', number, acts: [{ action: 'opened' }, labelled] })
  const known = await fixture.edge.mirror.issue('demo', 'library', number)
  expect(known).toMatchObject({
    issue: { title: 'Add mul', author: { login: 'maintainer' } },
    notes: { labelledBy: 'maintainer' },
  })
  expect(fixture.delivered.map(({ event }) => event.type)).toEqual(['issue.observed'])
})

it('of two acts in one delivery each counts: the text is another’s, and he set the trigger (MIRROR-9)', async (fixture) => {
  const number = openIssue(fixture, ['platform'])
  await apply(fixture, { on: 'issue', number, acts: [{ action: 'opened' }] })
  fixture.forge.editIssue('acme', REPO, number, { title: 'Delete it' })
  const text = { title: 'Delete it', body: 'b', updatedAt: Date.now() }
  const acts = [{ action: 'edited', before: { title: 'Add mul' } }, labelled] as const
  await apply(fixture, { on: 'issue', number, acts, text, by: await accountOf(fixture, 'reader') })
  expect((await fixture.edge.mirror.issue('demo', 'library', number))?.notes).toMatchObject({
    editedByOther: true,
    textBy: 'reader',
    labelledBy: 'reader',
  })
})

it('an issue that the forge shows us no more is gone, and one that was never there stays unknown (MIRROR-9)', async (fixture) => {
  const number = openIssue(fixture, ['platform'])
  await apply(fixture, { on: 'issue', number, acts: [labelled] })
  await fixture.forge.faults.inject({
    kind: 'errorBeforeWrite',
    method: 'GET',
    path: `/repos/${REPO}/issues/${number}`,
    status: 404,
    times: 10,
  })
  await apply(fixture, { on: 'issue', number, acts: [{ action: 'other' }] })
  expect((await fixture.edge.mirror.issue('demo', 'library', number))?.notes.deleted).toBe(true)
  await apply(fixture, { on: 'issue', number: 99, acts: [{ action: 'other' }] })
  expect(await fixture.edge.mirror.issue('demo', 'library', 99)).toBeUndefined()
})

it('reviews and comments that a delivery does not show are read with their merge request (MIRROR-9)', async (fixture) => {
  const { number } = await openChange(fixture)
  await fixture.edge.mirror.refresh('demo', 'library', 'mr', number)
  fixture.delivered.length = 0
  await fixture.forge.review('maintainer', REPO, number, { event: 'APPROVE', body: '' })
  await apply(fixture, { on: 'mr', number, acts: [{ action: 'other' }], thread: true })
  expect(fixture.delivered.map(({ event }) => event['command'])).toContain('goAhead')
  fixture.forge.comment('maintainer', REPO, number, 'One more thing.')
  const by = await accountOf(fixture, 'maintainer')
  await fixture.edge.mirror.apply('demo', { kind: 'thread', path: REPO, by, on: 'mr', number }, 'two')
  expect(fixture.delivered.map(({ event }) => event['text'])).toContain('One more thing.')
})

it('who pushed is known from the delivery alone (MIRROR-9)', async (fixture) => {
  const { number } = await openChange(fixture)
  await apply(fixture, { on: 'mr', number, acts: [{ action: 'pushed' }], by: await accountOf(fixture, 'reader') })
  expect((await fixture.edge.mirror.mergeRequest('demo', 'library', number))?.notes.pushedBy).toBe('reader')
})

it('a label vouches for the text that its delivery shows, and for none that came after it', async (fixture) => {
  const vouchedFor = async (title: string): Promise<string | undefined> => {
    const number = openIssue(fixture, ['platform'])
    fixture.forge.editIssue('acme', REPO, number, { title })
    await apply(fixture, { on: 'issue', number, acts: [labelled] })
    return (await fixture.edge.mirror.issue('demo', 'library', number))?.notes.vouchedText
  }
  const shown = await vouchedFor('Add mul')
  expect(shown).toBeDefined()
  expect(await vouchedFor('Drop it all')).toBe(shown)
})

it('who pushed is known of the head that the delivery names, and of no later one', async (fixture) => {
  const { number, sha, folder } = await openChange(fixture)
  await fixture.edge.mirror.refresh('demo', 'library', 'mr', number)
  const later = await fixture.push(folder, 'platform/implement-library-1-aaaaa', { 'b.js': '1\n' })
  const by = await accountOf(fixture, 'reader')
  const pushedBy = async (headSha: string): Promise<string | undefined> => {
    await apply(fixture, { on: 'mr', number, acts: [{ action: 'pushed' }], headSha, by })
    return (await fixture.edge.mirror.mergeRequest('demo', 'library', number))?.notes.pushedBy
  }
  expect(await pushedBy(sha)).not.toBe('reader')
  expect(await pushedBy(later)).toBe('reader')
})

it('checks of a merge’s result are its merge request’s, whose head is another commit', async (fixture) => {
  const { number, sha } = await openChange(fixture)
  await fixture.edge.mirror.refresh('demo', 'library', 'mr', number)
  const done = { status: 'completed', conclusion: 'success' } as const
  await fixture
    .octokit('maintainer')
    .checks.create({ owner: 'acme', repo: 'library', head_sha: sha, name: 'unit', ...done })
  const ciAfter = async (more: { readonly mergeRequest?: number }): Promise<string | undefined> => {
    const by = await accountOf(fixture, 'maintainer')
    await fixture.edge.mirror.apply('demo', { kind: 'ci', path: REPO, by, sha: 'f'.repeat(40), ...more }, 'one')
    return (await fixture.edge.mirror.mergeRequest('demo', 'library', number))?.notes.ci
  }
  expect(await ciAfter({})).toBe('none')
  expect(await ciAfter({ mergeRequest: number })).toBe('success')
})
