import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { messageFault } from './commit-messages.ts'
import { createRunGit, gitOrThrow } from '../store/run-git.ts'

const run = createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock })

interface Fixture {
  readonly dir: string
  readonly base: string
  commit(message: string): Promise<string>
  fault(there?: readonly string[]): Promise<string | undefined>
}

/** A clone whose remote has the base commit alone. */
async function withClone(use: (fixture: Fixture) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'messages-'))
  const git = (...args: readonly string[]): Promise<string> =>
    gitOrThrow(run, { dir, args: ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args] }).then((out) => out.trim())
  const commit = async (message: string): Promise<string> => {
    await git('commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '-m', message)
    return git('rev-parse', 'HEAD')
  }
  try {
    await git('init', '--quiet', '.')
    const base = await commit('Fixes #9, as a person said')
    await git('update-ref', 'refs/remotes/origin/main', base)
    const fault = async (there = [base]): Promise<string | undefined> =>
      messageFault((args, input) => run({ dir, args, ...(input && { input }) }), await git('rev-parse', 'HEAD'), there)
    await use({ dir, base, commit, fault })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const closing = [
  'Fixes #4',
  'Add mul\n\nCloses: acme/lib#4',
  'x\n\nresolves GH-4',
  'fix https://forge.test/a/b/issues/4',
]
const skipping = [
  ...['[skip ci]', '[CI skip]', '[no ci]', '[skip actions]', '[actions skip]'].map((word) => `Add mul ${word}`),
  'Add mul\n\n\nskip-checks: true',
  'Add mul\n\n\nSkip-Checks:true\n',
]
test.each([...closing, ...skipping])(
  'a commit that says %j is refused by its name, and the command that the refusal names mends it (EXECUTED-5, EXECUTED-6)',
  async (message) => {
    await withClone(async ({ dir, commit, fault }) => {
      const sha = await commit(message)
      await commit('Another')
      const said = await fault()
      expect(said).toContain(`commit ${sha.slice(0, 12)}`)
      const command = /git filter-branch .*? --remotes/.exec(said ?? '')?.[0] ?? 'false'
      const by = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b', FILTER_BRANCH_SQUELCH_WARNING: '1' }
      execFileSync('sh', ['-c', command], { cwd: dir, env: { ...process.env, ...by }, stdio: 'ignore' })
      expect(await fault()).toBe(undefined)
    })
  },
)

test('words that close nothing, and commits that the forge has, are none of it (EXECUTED-5)', async () => {
  await withClone(async ({ base, commit, fault }) => {
    expect(await fault()).toBe(undefined)
    await commit('Know weeks, see #4')
    await commit('Skip ci of drafts [skipped ci], and say why skip-checks: true is refused')
    expect(await fault()).toBe(undefined)
    expect(await fault([])).toContain(`commit ${base.slice(0, 12)}`)
  })
})
