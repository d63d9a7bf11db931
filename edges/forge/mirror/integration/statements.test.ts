/** What one webhook costs the store: each row and each thread is loaded once, and again only where something changed it. */
import { expect, test } from 'vitest'
import type { EdgeFixture } from '../../testing/fixture.ts'
import { withApprovedIssue, type ApprovedIssue } from '../testing/approved-issue.ts'

const REPO = 'acme/library'

interface Cost {
  readonly subjects: number
  readonly threads: number
  readonly all: number
}

async function costOf(fixture: EdgeFixture, act: () => unknown): Promise<Cost> {
  await fixture.quiet()
  fixture.statements.length = 0
  await fixture.quiet(act())
  const about = fixture.statements.filter((text) => !text.includes('forge_delivery') && !text.includes('forge_budget'))
  const reads = (table: string): number =>
    about.filter((text) => text.startsWith('select project') && text.includes(`from ${table} `)).length
  return {
    subjects: reads('forge_subject'),
    threads: about.filter((text) => text.startsWith('select') && text.includes('on_sort = $3')).length,
    all: about.length,
  }
}

interface Webhook {
  readonly act: (approved: ApprovedIssue) => unknown
  /** How often rows of subjects and whole threads may be read; one row more than usual, for two tellings of one second. */
  readonly most: Pick<Cost, 'subjects' | 'threads'>
}

const webhooks: Record<string, Webhook> = {
  // The thread of the issue, and that of the merge request of its Task.
  'a label on the issue': {
    act: ({ fixture, number }) => fixture.forge.addLabel('maintainer', REPO, number, 'help wanted'),
    most: { subjects: 2, threads: 2 },
  },
  'an edit of the issue': {
    act: ({ fixture, number }) => fixture.forge.editIssue('maintainer', REPO, number, { body: 'We need it soon.' }),
    most: { subjects: 2, threads: 2 },
  },
  // The issue comes along with the comment.
  'a comment on the issue': {
    act: (approved) => approved.say('maintainer', 'Please also add a test.'),
    most: { subjects: 3, threads: 2 },
  },
  // The Issue of its Task judges by it too.
  'a comment on the merge request': {
    act: async (approved) =>
      approved.fixture.forge.comment('maintainer', REPO, (await approved.change()).number, 'Looks fine.'),
    most: { subjects: 2, threads: 3 },
  },
  // Two webhooks, and the checks of the new head.
  'a push to the merge request': { act: (approved) => approved.pushAgain(), most: { subjects: 6, threads: 2 } },
}

test.for(Object.entries(webhooks))('%s reads each row once for each that it changes', async ([, { act, most }]) => {
  await withApprovedIssue({}, async (approved) => {
    await approved.change()
    const cost = await costOf(approved.fixture, () => act(approved))
    expect(cost.subjects, JSON.stringify(cost)).toBeLessThanOrEqual(most.subjects)
    expect(cost.threads, JSON.stringify(cost)).toBeLessThanOrEqual(most.threads)
    expect(cost.subjects).toBeGreaterThan(0)
  })
})
