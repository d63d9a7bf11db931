/** MERGE-14: issues that a merge of ours closed by a word, and that are none of its Task's. */
import { expect, test } from 'vitest'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../testing/fixture.ts'
import type { ProjectSettings } from '../projects.ts'
import { merge, mergeWhenKnown, SUBJECT } from './testing/merges.ts'
import { testInside } from '../../../testing/inside.ts'

const REPO = 'acme/library'
const OTHER = 'acme/app'
const BRANCH = 'platform/implement-library-1-aaaaa'

/** The second repository is enrolled too. */
function both(project: ProjectSettings): ProjectSettings {
  const [library] = project.repositories
  const app = { ...library!, name: 'app', url: library!.url.replace('library', 'app') }
  return { ...project, repositories: [library!, app] }
}

interface Opened extends EdgeFixture {
  readonly change: { readonly number: number; readonly sha: string }
  edit(by: string, body: string): Promise<unknown>
}

const words = 'Of another Task'

/** Issue 1 is another Task's, issue 2 this Task's, 3 its merge request; and issue 1 of the other repository. */
async function withOpened(
  {
    message = 'Mul',
    there = 'write',
    ...options
  }: EdgeFixtureOptions & { message?: string; there?: 'write' | 'triage' },
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  await withForgeEdge({ project: both, ...options }, async (fixture) => {
    const { forge } = fixture
    await forge.createRepository({ owner: 'acme', name: 'app', permissions: { maintainer: 'admin', bot: there } })
    for (const [repository, title] of [
      [REPO, words],
      [REPO, 'Of this Task'],
      [OTHER, words],
    ] as const)
      forge.openIssue('maintainer', repository, { title })
    const files = { 'src/mul.js': 'export const mul = 1\n' }
    const sha = await fixture.push(await fixture.clone('bot'), BRANCH, files, message)
    const params = { ...SUBJECT, branch: BRANCH, title: 'Mul', body: 'Adds mul.', closes: [2], attempt: 1 }
    await fixture.edge.handlers.openMergeRequest.perform(params, fixture.context('task:t/1/0'))
    fixture.threads.push(
      { kind: 'issue', repository: 'library', number: 2 },
      { kind: 'mr', repository: 'library', number: 3 },
    )
    const place = { owner: 'acme', repo: 'library', pull_number: 3 }
    const edit = (by: string, body: string): Promise<unknown> => fixture.octokit(by).pulls.update({ ...place, body })
    await use({ ...fixture, change: { number: 3, sha }, edit })
  })
}

function stateOf({ forge }: EdgeFixture, repository: string, number: number): string {
  return forge.issue(repository, number).state
}

function commentsOn({ forge }: EdgeFixture, repository: string, number: number): readonly string[] {
  return [...forge.issue(repository, number).comments.values()].map(({ body }) => body)
}

const it = testInside(withOpened, {})

it('MERGE-14: a word that a person wrote into the body closes no other issue for long; the own one stays closed', async (opened) => {
  await opened.edit('maintainer', 'Adds mul.\n\nCloses #2, and this\nFixes #1')
  expect(await mergeWhenKnown(opened, opened.change)).toEqual([])
  expect([stateOf(opened, REPO, 1), stateOf(opened, REPO, 2)]).toEqual(['open', 'closed'])
  const [said, ...more] = commentsOn(opened, REPO, 1)
  expect(said).toMatch(/^The merge of library!3 closed this issue.*opened this one again, once/)
  expect(more).toEqual([])
  expect(commentsOn(opened, REPO, 2)).toEqual([])
})

test('MERGE-14: a word in the message of a commit is answered alike', async () => {
  await withOpened({ message: 'Mul\n\nResolves #1' }, async (opened) => {
    expect(await mergeWhenKnown(opened, opened.change)).toEqual([])
    expect(stateOf(opened, REPO, 1)).toBe('open')
    expect(commentsOn(opened, REPO, 1)).toHaveLength(1)
  })
})

it.for(['Closes acme/app#1', 'Fixes https://forge.test/acme/app/issues/1'])(
  'MERGE-14: %j closes an issue of another repository of the Project, and that is opened again',
  async (text, opened) => {
    await opened.edit('maintainer', text)
    expect(await mergeWhenKnown(opened, opened.change)).toEqual([])
    expect([stateOf(opened, OTHER, 1), stateOf(opened, REPO, 1)]).toEqual(['open', 'open'])
    expect([commentsOn(opened, OTHER, 1).length, commentsOn(opened, REPO, 1).length]).toEqual([1, 0])
  },
)

/** The forge reads the time of the process, which is right again when the call has returned. */
function anHourAgo(act: () => unknown): void {
  const { now } = Date
  const then = now() - 3_600_000
  Date.now = () => then
  try {
    act()
  } finally {
    Date.now = now
  }
}

it('MERGE-14: an issue that a person closed, or the bot before the merge, stays closed', async (opened) => {
  await opened.edit('maintainer', 'Closes #1, closes acme/app#1')
  opened.forge.closeIssue('maintainer', REPO, 1)
  anHourAgo(() => opened.forge.closeIssue('bot', OTHER, 1))
  expect(await mergeWhenKnown(opened, opened.change)).toEqual([])
  expect([stateOf(opened, REPO, 1), stateOf(opened, OTHER, 1)]).toEqual(['closed', 'closed'])
  expect([...commentsOn(opened, REPO, 1), ...commentsOn(opened, OTHER, 1)]).toEqual([])
})

const place = '/repos/acme/library/issues/1'
test.each([
  ['errorBeforeWrite', 'GET', place],
  ['errorBeforeWrite', 'POST', `${place}/comments`],
  ['errorAfterWrite', 'POST', `${place}/comments`],
  ['errorBeforeWrite', 'PATCH', place],
  ['errorAfterWrite', 'PATCH', place],
] as const)(
  'MERGE-14: %s at %s %s, as in a crash after the merge: the repeated effect opens it once, under one comment',
  async (kind, method, path) => {
    const faults = [{ kind, method, path, times: 1 } as const]
    await withOpened({ faults }, async (opened) => {
      await opened.edit('maintainer', 'Closes #2, closes #1')
      await expect(mergeWhenKnown(opened, opened.change)).rejects.toThrow()
      expect(stateOf(opened, REPO, 2)).toBe('closed')
      for (let again = 0; again < 2; again += 1) expect(await merge(opened, opened.change)).toEqual([])
      expect(stateOf(opened, REPO, 1)).toBe('open')
      expect(commentsOn(opened, REPO, 1)).toHaveLength(1)
    })
  },
)

it('MERGE-14: who closes it again afterwards is obeyed, when the effect comes twice', async (opened) => {
  await opened.edit('maintainer', 'Closes #1')
  await mergeWhenKnown(opened, opened.change)
  opened.forge.closeIssue('maintainer', REPO, 1)
  await merge(opened, opened.change)
  expect(stateOf(opened, REPO, 1)).toBe('closed')
  expect(commentsOn(opened, REPO, 1)).toHaveLength(1)
})

it('MERGE-14 control: without the Task’s threads nobody knows what is its own, and the issue stays closed', async (opened) => {
  await opened.edit('maintainer', 'Closes #1')
  opened.threads.length = 0
  expect(await mergeWhenKnown(opened, opened.change)).toEqual([])
  expect(stateOf(opened, REPO, 1)).toBe('closed')
})

test('MERGE-14: what is still open is looked at again, since a forge closes after it has answered', async () => {
  await withOpened({ there: 'triage' }, async (opened) => {
    await opened.edit('maintainer', 'Closes acme/app#1')
    const { setTimer } = opened.clock
    const waits: number[] = []
    opened.clock.setTimer = (delayMs, callback) => {
      waits.push(delayMs)
      if (delayMs !== 2000) return setTimer(delayMs, callback)
      opened.forge.closeIssue('bot', OTHER, 1)
      return setTimer(0, callback)
    }
    const merging = mergeWhenKnown(opened, opened.change)
    const progress = { isDone: false }
    void merging.then(() => (progress.isDone = true))
    while (!progress.isDone) {
      opened.clock.advance(0)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(waits.filter((delayMs) => delayMs === 2000)).toHaveLength(1)
    expect(stateOf(opened, OTHER, 1)).toBe('open')
    expect(commentsOn(opened, OTHER, 1)).toHaveLength(1)
  })
})
