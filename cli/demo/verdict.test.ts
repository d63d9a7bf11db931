import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AuditAction, AuditEntry } from '../../standins/forge/store/audit.ts'
import { git } from '../local/git-seed.ts'
import { judge, type Verdict } from './verdict.ts'

const author = ['-c', 'user.name=Bot', '-c', 'user.email=bot@acme.invalid', '-c', 'commit.gpgsign=false']
const bot = 'statewright-bot'

interface Work {
  /** Runs git in the working copy. */
  git(...args: string[]): Promise<string>
  /** Writes the file and commits it; the new head. */
  commit(file: string, text: string): Promise<string>
  judge(audit: readonly AuditEntry[], testCommand?: string): Promise<Verdict>
}

/** A bare repository as the local forge keeps it and a copy to work in: one commit on main, on `change` whatever the test makes. */
async function withWork(use: (work: Work) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'statewright-verdict-test-'))
  const [barePath, copy] = [join(root, 'bare.git'), join(root, 'copy')]
  const work: Work = {
    git: (...args) => git(copy, ...author, ...args),
    commit: async (file, text) => {
      writeFileSync(join(copy, file), text)
      await work.git('add', '--all')
      await work.git('commit', '--quiet', '--message', `Write ${file}`)
      return work.git('rev-parse', 'HEAD')
    },
    judge: async (audit, testCommand) => {
      await work.git('push', '--quiet', '--all', 'origin')
      return judge(audit, { barePath, defaultBranch: 'main', testCommand })
    },
  }
  try {
    await git(root, 'init', '--quiet', '--bare', '--initial-branch=main', barePath)
    await git(barePath, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
    await git(root, 'clone', '--quiet', barePath, copy)
    await work.git('checkout', '--quiet', '-b', 'main')
    await work.commit('README', 'A library.\n')
    await work.git('checkout', '--quiet', '-b', 'change')
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

async function merge(work: Work, ...how: string[]): Promise<string> {
  await work.git('checkout', '--quiet', 'main')
  await work.git('merge', '--quiet', ...how, 'change')
  if (how.includes('--squash')) await work.git('commit', '--quiet', '--message', 'Squashed')
  return work.git('rev-parse', 'HEAD')
}

describe('a job that went well', () => {
  test('is one reviewed head, merged by the bot, held by main', async () => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      const merged = await merge(work, '--no-ff')
      expect(await work.judge(goodAudit(head, merged))).toEqual({
        ok: true,
        faults: [],
        mergeRequest: { number: 2, reviewedSha: head, mergeCommit: merged },
      })
    })
  })

  test.each([
    ['a squash', '--squash'],
    ['a fast-forward', '--ff-only'],
  ])('may be merged by %s: content counts, not ancestry (MERGE-8)', async (_what, how) => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      expect((await work.judge(goodAudit(head, await merge(work, how)))).faults).toEqual([])
    })
  })

  test('may find other work on main beside its own', async () => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      await work.git('checkout', '--quiet', 'main')
      await work.commit('other', 'by somebody else')
      expect((await work.judge(goodAudit(head, await merge(work, '--squash')))).faults).toEqual([])
    })
  })

  test('passes its tests on main, those of its manifest or those it is told', async () => {
    await withWork(async (work) => {
      await work.commit('package.json', '{"scripts": {"test": "test -f change && test \\"$CI\\" = true"}}')
      const head = await work.commit('change', 'new')
      const audit = goodAudit(head, await merge(work, '--no-ff'))
      expect((await work.judge(audit)).faults).toEqual([])
      expect((await work.judge(audit, 'grep -q new change')).faults).toEqual([])
    })
  })

  test('may say the same on two threads, of two heads, or on two lines; people may repeat themselves', async () => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      const merged = await merge(work, '--no-ff')
      const same = { detail: { body: 'Please change this.' } }
      const audit = [
        ...goodAudit(head, merged),
        entry('comment.create', { number: 1, ...same }),
        entry('comment.create', { number: 2, ...same }),
        entry('review.create', { sha: 'an-earlier-head', ...same }),
        entry('review.create', { sha: head, ...same }),
        entry('review-comment.create', { detail: { body: 'nit', path: 'a', line: 1 } }),
        entry('review-comment.create', { detail: { body: 'nit', path: 'a', line: 2 } }),
        entry('comment.create', { actor: 'maria', number: 1, detail: { body: 'Go ahead' } }),
        entry('comment.create', { detail: { body: '<!-- only a marker -->' } }),
        entry('comment.create', { detail: { body: '<!-- only a marker -->' } }),
      ]
      expect((await work.judge(audit)).faults).toEqual([])
    })
  })
})

const again = [
  ['a head may be reviewed again', 'review.create'],
  ['an approval may be refused again', 'comment.create'],
] as const

test.each(again)(
  '%s with the same words once for each word that withheld it, as another one',
  async (_name, action) => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      const merged = await merge(work, '--no-ff')
      const written = (marker: string): AuditEntry =>
        entry(action, { sha: head, detail: { body: `It may not merge. <!-- ${marker} -->` } })
      const say = (body: string): AuditEntry => entry('comment.create', { actor: 'maria', detail: { body } })
      const [merging, ...before] = goodAudit(head, merged).toReversed()
      const judged = async (...more: AuditEntry[]): Promise<readonly string[]> =>
        (await work.judge([...before.toReversed(), ...more, merging!])).faults
      const twice = ['the bot wrote twice on #2: It may not merge.']
      expect(await judged(say('/hold'), written('1'), say('/approve'), written('2'))).toEqual([])
      expect(await judged(written('1'), say('/approve'), written('2'))).toEqual(twice)
      expect(await judged(written('1'), written('2'), say('/hold'), say('/approve'))).toEqual(twice)
      expect(await judged(say('/hold'), written('1'), say('/approve'), written('1'))).toEqual(twice)
      expect(await judged(say('/hold'), written('1'), written('2'), written('3'))).toEqual(twice)
    })
  },
)

describe('a fault is found', () => {
  /** The faults after the log of a good job was changed. */
  async function faultsAfter(
    change: (audit: AuditEntry[], head: string) => readonly AuditEntry[],
  ): Promise<readonly string[]> {
    let faults: readonly string[] = []
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      const verdict = await work.judge(change(goodAudit(head, await merge(work, '--no-ff')), head))
      expect(verdict.ok).toBe(verdict.faults.length === 0)
      faults = verdict.faults
    })
    return faults
  }

  test('in two merge requests', async () => {
    expect(await faultsAfter((audit) => [...audit, entry('pull.open', { number: 3 })])).toEqual([
      '2 merge requests were opened, not one',
    ])
  })

  test('in two merges', async () => {
    expect(await faultsAfter((audit) => [...audit, ...audit.filter(({ action }) => action === 'pull.merge')])).toEqual([
      '2 merges were made, not one',
    ])
  })

  test('in nothing merged at all', async () => {
    await withWork(async (work) => {
      await work.commit('change', 'new')
      expect(await work.judge([])).toEqual({
        ok: false,
        faults: ['0 merge requests were opened, not one', '0 merges were made, not one'],
        mergeRequest: null,
      })
    })
  })

  test('in a merge by somebody else', async () => {
    expect(
      await faultsAfter((audit) =>
        audit.map((one) => (one.action === 'pull.merge' ? { ...one, actor: 'maria' } : one)),
      ),
    ).toEqual(['the merge was made by maria'])
  })

  test.each(['comment.create', 'review.create', 'review-comment.create'] as const)(
    'in a %s made twice, under whatever hidden marker',
    async (action) => {
      const twice = ['<!-- one -->', '<!-- two -->'].map((marker) =>
        entry(action, { sha: 's', detail: { body: `Twice ${marker}`, path: 'a', line: 1 } }),
      )
      expect(await faultsAfter((audit) => [...audit, ...twice])).toEqual(['the bot wrote twice on #2: Twice'])
    },
  )

  test('in a merged head that the platform did not review, be it that another head, another merge request or a person was', async () => {
    const reviewOf = (more: Partial<AuditEntry>) => (audit: AuditEntry[]) =>
      audit.map((one) => (one.action === 'review.create' ? { ...one, ...more } : one))
    const unreviewed = [expect.stringMatching(/^the merged head [0-9a-f]{40} has no review$/)]
    expect(await faultsAfter(reviewOf({ sha: '0'.repeat(40) }))).toEqual(unreviewed)
    expect(await faultsAfter(reviewOf({ number: 3 }))).toEqual(unreviewed)
    expect(await faultsAfter(reviewOf({ actor: 'maria' }))).toEqual(unreviewed)
  })

  test('in none that the bot’s comment on the merge request names as reviewed, which is GitLab’s form, and in one that others name', async () => {
    const commented = (more: Partial<AuditEntry>) => (audit: AuditEntry[]) =>
      audit.map((one) => {
        if (one.action !== 'review.create') return one
        const detail = { body: `Approve.\n\n<!-- platform:review=${one.sha} -->` }
        return entry('comment.create', { kind: 'pull', detail, ...more })
      })
    const unreviewed = [expect.stringMatching(/has no review$/)]
    expect(await faultsAfter(commented({}))).toEqual([])
    expect(await faultsAfter(commented({ kind: 'issue' }))).toEqual(unreviewed)
    expect(await faultsAfter(commented({ actor: 'maria' }))).toEqual(unreviewed)
  })

  test('in a change that main does not hold', async () => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      await merge(work, '--no-ff')
      const merged = await work.commit('change', 'taken back')
      expect((await work.judge(goodAudit(head, merged))).faults).toEqual(['main does not contain the change: change'])
    })
  })

  test('in a merge that changes nothing', async () => {
    await withWork(async (work) => {
      await work.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing')
      const head = await work.git('rev-parse', 'HEAD')
      expect((await work.judge(goodAudit(head, await merge(work, '--no-ff')))).faults).toEqual([
        'the merged head changes nothing',
      ])
    })
  })

  test('in tests that fail on main, with their last words', async () => {
    await withWork(async (work) => {
      const head = await work.commit('change', 'new')
      const audit = goodAudit(head, await merge(work, '--no-ff'))
      expect((await work.judge(audit, 'echo one thing is wrong; exit 1')).faults).toEqual([
        'the tests of the merged branch fail: one thing is wrong',
      ])
    })
  })
})
