import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { AuditAction, AuditEntry } from '../../standins/forge/store/audit.ts'
import { git } from '../local/git-seed.ts'
import { judge, type Verdict } from './verdict.ts'
import { testInside } from '../../testing/inside.ts'

const author = ['-c', 'user.name=Bot', '-c', 'user.email=bot@acme.invalid', '-c', 'commit.gpgsign=false']
const bot = 'statewright-bot'

interface Work {
  readonly barePath: string
  /** Runs git in the working copy. */
  git(...args: string[]): Promise<string>
  /** Writes the file and commits it; the new head. */
  commit(file: string, text: string): Promise<string>
  /** Merges the branch `change`; the new head of main. */
  merge(...how: string[]): Promise<string>
  judge(audit: readonly AuditEntry[], testCommand?: string): Promise<Verdict>
}

/** A bare repository as the local forge keeps it and a copy to work in: one commit on main, on `change` whatever the test makes. */
async function withWork(use: (work: Work) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'statewright-verdict-test-'))
  const [barePath, copy] = [join(root, 'bare.git'), join(root, 'copy')]
  const inCopy: Work['git'] = (...args) => git(copy, ...author, ...args)
  const work: Work = {
    barePath,
    git: inCopy,
    commit: async (file, text) => {
      writeFileSync(join(copy, file), text)
      await inCopy('add', '--all')
      await inCopy('commit', '--quiet', '--message', `Write ${file}`)
      return inCopy('rev-parse', 'HEAD')
    },
    merge: async (...how) => {
      await inCopy('checkout', '--quiet', 'main')
      await inCopy('merge', '--quiet', ...how, 'change')
      if (how.includes('--squash')) await inCopy('commit', '--quiet', '--message', 'Squashed')
      return inCopy('rev-parse', 'HEAD')
    },
    judge: async (audit, testCommand) => {
      await inCopy('push', '--quiet', '--all', 'origin')
      return judge(audit, { barePath, defaultBranch: 'main', testCommand })
    },
  }
  try {
    await git(root, 'init', '--quiet', '--bare', '--initial-branch=main', barePath)
    await git(barePath, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    await git(root, 'clone', '--quiet', barePath, copy)
    await inCopy('checkout', '--quiet', '-b', 'main')
    await work.commit('README', 'A library.\n')
    await inCopy('checkout', '--quiet', '-b', 'change')
    await use(work)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function entry(action: AuditAction, more: Partial<AuditEntry> = {}): AuditEntry {
  return { at: '2026-01-02T03:04:05Z', actor: bot, action, repository: 'acme/a', number: 2, ...more }
}

/** The log of a job that went well. */
function goodAudit(head: string, merged: string): AuditEntry[] {
  return [
    entry('issue.open', { actor: 'rita', number: 1 }),
    entry('comment.create', { number: 1, detail: { body: 'The plan. <!-- key-1 -->' } }),
    entry('comment.create', { actor: 'maria', number: 1, detail: { body: 'Go ahead' } }),
    entry('pull.open'),
    entry('review.create', { sha: head, detail: { body: 'Approve: it does what the plan says.' } }),
    entry('pull.merge', { sha: head, after: merged }),
  ]
}

const same = { detail: { body: 'Please change this.' } }
const marker = { detail: { body: '<!-- only a marker -->' } }
const nit = (line: number) => entry('review-comment.create', { detail: { body: 'nit', path: 'a', line } })
const unreviewed = [expect.stringMatching(/^the merged head [0-9a-f]{40} has no review$/)]
const twice = ['the bot wrote twice on #2: Twice']
const say = (body: string): AuditEntry => entry('comment.create', { actor: 'maria', detail: { body } })

type Change = (audit: AuditEntry[]) => readonly AuditEntry[]
/** Before the merge. */
const withMore =
  (...more: AuditEntry[]): Change =>
  (audit) =>
    audit.toSpliced(-1, 0, ...more)
const reviewed =
  (change: (review: AuditEntry) => AuditEntry): Change =>
  (audit) =>
    audit.map((one) => (one.action === 'review.create' ? change(one) : one))
/** As on GitLab. */
const commented = (more: Partial<AuditEntry>): Change =>
  reviewed(({ sha }) => {
    const detail = { body: `Approve.\n\n<!-- platform:review=${sha} -->` }
    return entry('comment.create', { kind: 'pull', detail, ...more })
  })
const byOther: Change = (audit) => audit.map((one) => (one.action === 'pull.merge' ? { ...one, actor: 'maria' } : one))

const logs: readonly (readonly [string, Change, readonly unknown[]])[] = [
  [
    'with the same on two threads and of two heads, and what people and hidden markers repeat',
    (audit) => [
      ...audit,
      ...[1, 2].map((number) => entry('comment.create', { number, ...same })),
      ...['an-earlier-head', 'another'].map((sha) => entry('review.create', { sha, ...same })),
      ...[1, 2].map(nit),
      entry('comment.create', { actor: 'maria', number: 1, detail: { body: 'Go ahead' } }),
      ...[1, 2].map(() => entry('comment.create', marker)),
    ],
    [],
  ],
  ['with two merge requests', withMore(entry('pull.open', { number: 3 })), ['2 merge requests were opened, not one']],
  ['with two merges', (audit) => [...audit, audit.at(-1)!], ['2 merges were made, not one']],
  ['with a merge by somebody else', byOther, ['the merge was made by maria']],
  ['with a review of another head', reviewed((one) => ({ ...one, sha: '0'.repeat(40) })), unreviewed],
  ['with a review of another merge request', reviewed((one) => ({ ...one, number: 3 })), unreviewed],
  ['with a review by a person', reviewed((one) => ({ ...one, actor: 'maria' })), unreviewed],
  ['with a comment that names the reviewed head', commented({}), []],
  ['with such a comment on the issue', commented({ kind: 'issue' }), unreviewed],
  ['with such a comment by a person', commented({ actor: 'maria' }), unreviewed],
]

const written = (action: AuditAction, ...markers: readonly (string | AuditEntry)[]): Change =>
  withMore(
    ...markers.map((one) => {
      const detail = { body: `Twice <!-- ${String(one)} -->`, path: 'a', line: 1 }
      return typeof one === 'string' ? entry(action, { sha: 's', detail }) : one
    }),
  )
const [stop, lift] = [say('/hold'), say('/approve')]
const again = (['comment.create', 'review.create'] as const).flatMap((action): typeof logs => [
  [`with a ${action} again after a word that withheld it, as another one`, written(action, stop, '1', lift, '2'), []],
  [`with a ${action} again that nobody withheld`, written(action, '1', lift, '2'), twice],
  [`with a ${action} again before it was withheld`, written(action, '1', '2', stop, lift), twice],
  [`with the same ${action} again after a word that withheld it`, written(action, stop, '1', lift, '1'), twice],
  [`with a ${action} three times after one word`, written(action, stop, '1', '2', '3'), twice],
])
const line: (typeof logs)[number] = ['with a line twice', written('review-comment.create', stop, '1', '2'), twice]

const it = testInside(withWork)

describe('a verdict', () => {
  it('names what each log of the forge shows', async (work) => {
    const head = await work.commit('change', 'new')
    const merged = await work.merge('--no-ff')
    expect((await work.judge(goodAudit(head, merged))).faults).toEqual([])
    const repository = { barePath: work.barePath, defaultBranch: 'main', testCommand: undefined }
    for (const [what, change, faults] of [...logs, ...again, line]) {
      const verdict = await judge(change(goodAudit(head, merged)), repository)
      const mergeRequest = { number: 2, reviewedSha: head, mergeCommit: merged }
      expect(verdict, what).toEqual({ faults, mergeRequest })
    }
    const none = ['0 merge requests were opened, not one', '0 merges were made, not one']
    expect(await work.judge([])).toEqual({ faults: none, mergeRequest: null })
  })

  it.for(['--squash', '--ff-only'])(
    'counts content, not ancestry, beside the work of others (MERGE-8): %s',
    async (how, work) => {
      const head = await work.commit('change', 'new')
      if (how === '--squash') {
        await work.git('checkout', '--quiet', 'main')
        await work.commit('other', 'by somebody else')
      }
      const audit = goodAudit(head, await work.merge(how))
      expect((await work.judge(audit)).faults).toEqual([])
      await work.commit('change', 'taken back')
      expect((await work.judge(audit)).faults).toEqual(['main does not contain the change: change'])
    },
  )

  it('runs the tests on main, those of its manifest or those it is told, and has the last words of what fails', async (work) => {
    await work.commit('package.json', '{"scripts": {"test": "test -f change && test \\"$CI\\" = true"}}')
    const head = await work.commit('change', 'new')
    const audit = goodAudit(head, await work.merge('--no-ff'))
    expect((await work.judge(audit)).faults).toEqual([])
    expect((await work.judge(audit, 'grep -q new change')).faults).toEqual([])
    const failing = ['the tests of the merged branch fail: one thing is wrong']
    expect((await work.judge(audit, 'echo one thing is wrong; exit 1')).faults).toEqual(failing)
  })

  it('refuses a merge that changes nothing', async (work) => {
    await work.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing')
    const head = await work.git('rev-parse', 'HEAD')
    const audit = goodAudit(head, await work.merge('--no-ff'))
    expect((await work.judge(audit)).faults).toEqual(['the merged head changes nothing'])
  })
})
