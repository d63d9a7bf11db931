import { expect, test } from 'vitest'
import type { IssueHinted, MergeRequestHinted } from '../change.ts'
import { openChange } from '../outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture } from '../testing/fixture.ts'
import type { MirroredIssue, MirroredMergeRequest } from './records.ts'

const REPO = 'acme/library'
const MAINTAINER = { login: 'maintainer', id: '', bot: false }
const READER = { login: 'reader', id: '', bot: false }
const REPORTED = { title: 'Add mul', body: 'We need it.' }

function openReported(fixture: EdgeFixture): number {
  return fixture.forge.openIssue('reader', REPO, { ...REPORTED, labels: [] }).number
}

async function issueOf(fixture: EdgeFixture, number: number): Promise<MirroredIssue> {
  return (await fixture.edge.mirror.issue('demo', 'library', number)) as MirroredIssue
}

async function mergeRequestOf(fixture: EdgeFixture, number: number): Promise<MirroredMergeRequest> {
  return (await fixture.edge.mirror.mergeRequest('demo', 'library', number)) as MirroredMergeRequest
}

function hint(number: number, change: Partial<IssueHinted>): IssueHinted {
  return { kind: 'hint', on: 'issue', path: REPO, by: MAINTAINER, number, acts: [], ...change }
}

function mergeHint(number: number, change: Partial<MergeRequestHinted>): MergeRequestHinted {
  return { kind: 'hint', on: 'mr', path: REPO, by: MAINTAINER, number, acts: [], ...change }
}

function textAt(fixture: EdgeFixture, title: string): IssueHinted['text'] {
  return { ...REPORTED, title, updatedAt: fixture.clock.now() }
}

test('an event that does not name the author is read from the forge, and tells who did each thing', async () => {
  await withForgeEdge({}, async (fixture) => {
    const number = openReported(fixture)
    fixture.forge.editIssue('maintainer', REPO, number, { labels: ['platform'] })
    const acts = [{ action: 'other' }, { action: 'labeled', label: 'platform' }] as const
    await fixture.edge.mirror.apply('demo', hint(number, { acts, text: textAt(fixture, 'Add mul') }), 'one')
    const { issue, notes } = await issueOf(fixture, number)
    expect(issue).toMatchObject({ ...REPORTED, author: { login: 'reader' }, labels: ['platform'] })
    expect(notes.labelledBy).toBe('maintainer')
    expect(fixture.delivered.map(({ event }) => event.type)).toEqual(['issue.observed'])
  })
})

test('a label vouches for the text that its event speaks of, and for none that came after it', async () => {
  await withForgeEdge({}, async (fixture) => {
    const vouchedFor = async (title: string): Promise<string | undefined> => {
      const number = openReported(fixture)
      fixture.forge.editIssue('maintainer', REPO, number, { labels: ['platform'], title })
      const acts = [{ action: 'labeled', label: 'platform' }] as const
      await fixture.edge.mirror.apply('demo', hint(number, { acts, text: textAt(fixture, 'Add mul') }), title)
      return (await issueOf(fixture, number)).notes.vouchedText
    }
    const seen = await vouchedFor('Add mul')
    expect(seen).toBeDefined()
    // The text that stands there is another by now.
    expect(await vouchedFor('Drop it all')).toBe(seen)
  })
})

test('a label by which a maintainer begins it anew does so once, whatever else its event did', async () => {
  await withForgeEdge({}, async (fixture) => {
    const number = openReported(fixture)
    const label = async (labels: string[], action: 'labeled' | 'unlabeled', delivery: string): Promise<void> => {
      fixture.forge.editIssue('maintainer', REPO, number, { labels })
      const acts = [{ action: 'other' }, { action, label: 'platform' }] as const
      await fixture.edge.mirror.apply('demo', hint(number, { acts, text: textAt(fixture, 'Add mul') }), delivery)
    }
    await label(['platform'], 'labeled', 'one')
    await label([], 'unlabeled', 'two')
    await label(['platform'], 'labeled', 'three')
    await label(['platform'], 'labeled', 'three')
    expect(fixture.delivered.filter(({ event }) => event['retry'] === true).map(({ key }) => key)).toEqual([
      'labelled/three',
    ])
  })
})

test('an edit is its hand’s, when the event tells the text that stands there', async () => {
  await withForgeEdge({}, async (fixture) => {
    const number = openReported(fixture)
    await fixture.edge.mirror.refresh('demo', 'library', 'issue', number)
    fixture.forge.editIssue('reader', REPO, number, { title: 'Add div' })
    const edit = { acts: [{ action: 'edited' }], before: { title: 'Add mul' } } as const
    await fixture.edge.mirror.apply('demo', hint(number, { ...edit, text: textAt(fixture, 'Add div') }), 'one')
    expect((await issueOf(fixture, number)).notes).toMatchObject({ editedByOther: false, textBy: 'maintainer' })
    fixture.forge.editIssue('reader', REPO, number, { title: 'Add pow' })
    await fixture.edge.mirror.apply('demo', hint(number, { ...edit, text: textAt(fixture, 'Add div') }), 'two')
    expect((await issueOf(fixture, number)).notes.editedByOther).toBe(true)
  })
})

test('who pushes is known of the head that the event names, and of no later one', async () => {
  await withForgeEdge({}, async (fixture) => {
    const { number, sha, folder } = await openChange(fixture)
    await fixture.edge.mirror.refresh('demo', 'library', 'mr', number)
    const later = await fixture.push(folder, 'platform/implement-library-1-aaaaa', { 'b.js': '1\n' })
    const pushed = { acts: [{ action: 'pushed' }], by: READER } as const
    await fixture.edge.mirror.apply('demo', mergeHint(number, { ...pushed, headSha: sha }), 'one')
    const early = await mergeRequestOf(fixture, number)
    expect(early.mergeRequest.headSha).toBe(later)
    expect(early.notes.pushedBy).not.toBe('reader')
    await fixture.edge.mirror.apply('demo', mergeHint(number, { ...pushed, headSha: later }), 'two')
    expect((await mergeRequestOf(fixture, number)).notes.pushedBy).toBe('reader')
  })
})

test('a thread that changed in what no event carries is read, and only then', async () => {
  await withForgeEdge({}, async (fixture) => {
    const { number } = await openChange(fixture)
    await fixture.edge.mirror.refresh('demo', 'library', 'mr', number)
    await fixture.forge.review('maintainer', REPO, number, { event: 'APPROVE', body: '', comments: [] })
    const verdicts = async (): Promise<unknown[]> =>
      (await fixture.edge.mirror.comments('demo', 'library', 'mr', number)).map(({ comment }) => comment.verdict)
    await fixture.edge.mirror.apply('demo', mergeHint(number, { acts: [{ action: 'other' }] }), 'one')
    expect(await verdicts()).toEqual([])
    await fixture.edge.mirror.apply('demo', mergeHint(number, { thread: true }), 'two')
    expect(await verdicts()).toEqual(['approved'])
  })
})

test('checks of a merge’s result are its merge request’s, whose head is another commit', async () => {
  await withForgeEdge({}, async (fixture) => {
    const { number, sha } = await openChange(fixture)
    await fixture.edge.mirror.refresh('demo', 'library', 'mr', number)
    const { checks } = fixture.octokit('bot')
    const done = { status: 'completed', conclusion: 'success' } as const
    await checks.create({ owner: 'acme', repo: 'library', head_sha: sha, name: 'unit', ...done })
    const result = { kind: 'ci', path: REPO, by: MAINTAINER, sha: 'f'.repeat(40) } as const
    await fixture.edge.mirror.apply('demo', result, 'one')
    expect((await mergeRequestOf(fixture, number)).notes.ci).toBe('none')
    await fixture.edge.mirror.apply('demo', { ...result, mergeRequest: number }, 'two')
    expect((await mergeRequestOf(fixture, number)).notes.ci).toBe('success')
  })
})
