import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { plantTreeBomb } from '../testing/tree-bomb.ts'
import { makeOrigin, runGit } from '../testing/pod.ts'
import { openWorkspace, type WorkspaceFixture } from '../testing/workspace.ts'
import type { Checkout } from './outside/prepare.ts'
import { publishAll, push, readHeads } from './outside/publish.ts'

const branch = 'platform/task-1'

describe('the workspace', () => {
  let dir: string
  let origin: string
  let fixture: WorkspaceFixture
  let clone: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'workspace-'))
    origin = makeOrigin(dir)
    fixture = openWorkspace({ dir, url: origin, branch })
    clone = fixture.clone
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const boot = (extra: { sha?: string } = {}): Promise<Checkout> => fixture.boot(extra)
  const write = (name: string, text: string): void => writeFileSync(join(clone, name), text)
  const commit = (message: string): string => (
    runGit(clone, 'add', '-A'),
    runGit(clone, 'commit', '-qm', message),
    runGit(clone, 'rev-parse', 'HEAD')
  )
  const onOrigin = (ref: string, name: string, text: string): string => {
    const other = mkdtempSync(join(dir, 'other-'))
    runGit(other, 'clone', '-q', origin, '.')
    runGit(other, 'checkout', '-q', '-B', ref, `origin/${ref}`)
    writeFileSync(join(other, name), text)
    runGit(other, 'add', '-A')
    runGit(other, 'commit', '-qm', `change ${name}`)
    runGit(other, 'push', '-q', 'origin', ref)
    return runGit(other, 'rev-parse', 'HEAD')
  }
  const isClean = (): boolean => runGit(clone, 'status', '--porcelain') === ''
  const isLost = (text: string): boolean => {
    const objects = runGit(clone, 'rev-list', '--all', '--objects')
      .split('\n')
      .map((line) => line.split(' ')[0]!)
    return !objects.some((object) => execFileSync('git', ['cat-file', '-p', object], { cwd: clone }).includes(text))
  }

  test('clones onto the task branch and says that nothing was behind (WRAPPER-RULE-3)', async () => {
    const checkout = await boot()
    expect(checkout.result).toBe('up_to_date')
    expect(runGit(clone, 'symbolic-ref', '--short', 'HEAD')).toBe(branch)
    expect(checkout.findings).toEqual([])
  })

  test.each(['main', branch])(
    'checks out no commit of %s above its limit: four objects may be a terabyte (WRAPPER-BOOT-20)',
    async (ref) => {
      const bomb = plantTreeBomb(origin, 1000, 3)
      runGit(origin, 'update-ref', `refs/heads/${ref}`, bomb)
      const tight = openWorkspace({ dir, url: origin, branch, mostBytes: 32 * 3 * 3 * 1000 - 1 })
      await expect(tight.boot()).rejects.toThrow(
        `commit ${bomb} of lib has more than 287999 bytes: GIT_MOST_CHECKOUT_BYTES`,
      )
      expect(existsSync(join(clone, 'n0'))).toBe(false)
      if (ref !== 'main') return
      await boot()
      expect(existsSync(join(clone, 'n0', 'n0', 'n31'))).toBe(true)
    },
  )

  test.each(['', 'deep/'])(
    'tells the agent of files that %s.gitattributes gives to Git LFS (WORKSPACE-11)',
    async (folder) => {
      const seed = mkdtempSync(join(dir, 'seed-'))
      runGit(seed, 'clone', '-q', origin, '.')
      mkdirSync(join(seed, folder), { recursive: true })
      writeFileSync(join(seed, folder, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
      runGit(seed, 'add', '-A')
      runGit(seed, 'commit', '-qm', 'Keep binaries elsewhere')
      runGit(seed, 'push', '-q', 'origin', 'HEAD:main')
      expect((await boot()).findings).toEqual([expect.stringContaining('lib keeps files in Git LFS')])
    },
  )

  test('merges a base that moved into an existing task branch (WORKSPACE-1, WRAPPER-METRICS-10)', async () => {
    const first = await boot()
    write('mine.txt', 'mine')
    commit('mine')
    await push(fixture, first.bare)
    onOrigin('main', 'theirs.txt', 'theirs')
    rmSync(clone, { recursive: true })
    expect((await boot()).result).toBe('merged')
    expect(existsSync(join(clone, 'mine.txt')) && existsSync(join(clone, 'theirs.txt'))).toBe(true)
  })

  test('leaves a clean tree and a first job when the base conflicts (WORKSPACE-2)', async () => {
    await boot()
    write('README.md', 'ours\n')
    const head = commit('ours')
    onOrigin('main', 'README.md', 'theirs\n')
    const checkout = await boot()
    expect(checkout.result).toBe('conflict')
    expect(checkout.findings.join()).toMatch(/FIRST JOB in lib: merge the base branch main .*README\.md/)
    expect(isClean() && runGit(clone, 'rev-parse', 'HEAD') === head).toBe(true)
  })

  test('merges what another pod pushed to the task branch, never resets to it (WORKSPACE-7)', async () => {
    const first = await boot()
    write('a.txt', 'a')
    commit('a')
    await push(fixture, first.bare)
    onOrigin(branch, 'b.txt', 'b')
    write('c.txt', 'c')
    await boot()
    for (const name of ['a.txt', 'b.txt', 'c.txt']) expect(existsSync(join(clone, name))).toBe(true)
  })

  test('commits uncommitted work and sweeps stale locks (WORKSPACE-4, WORKSPACE-6)', async () => {
    await boot()
    write('README.md', 'changed\n')
    writeFileSync(join(clone, '.git', 'index.lock'), '')
    writeFileSync(join(clone, '.git', 'refs', 'heads', 'x.lock'), '')
    const { repaired } = await boot()
    expect(repaired).toMatchObject({
      committed: true,
      sweptLocks: expect.arrayContaining(['index.lock', 'refs/heads/x.lock']),
    })
    expect(isClean()).toBe(true)
    expect(runGit(clone, 'show', 'HEAD:README.md')).toBe('changed')
  })

  test.each(['merge', 'rebase', 'cherry-pick', 'revert', 'bisect'])(
    'aborts an unfinished %s and keeps what was written in it (WORKSPACE-5)',
    async (operation) => {
      await boot()
      write('README.md', 'one\n')
      const one = commit('one')
      write('README.md', 'two\n')
      commit('two')
      runGit(clone, 'branch', 'side', 'HEAD~2')
      runGit(clone, 'checkout', '-q', 'side')
      write('README.md', 'side\n')
      commit('side')
      runGit(clone, 'checkout', '-q', branch)
      const begin: Record<string, string[]> = {
        merge: ['merge', 'side'],
        rebase: ['rebase', 'side'],
        'cherry-pick': ['cherry-pick', 'side'],
        revert: ['revert', '--no-edit', one],
        bisect: ['bisect', 'start', 'HEAD', 'HEAD~2'],
      }
      try {
        runGit(clone, ...begin[operation]!)
      } catch {
        // A conflict is what the test wants.
      }
      write('README.md', `the agent resolved the ${operation} like this\n`)
      const checkout = await boot()
      expect(checkout.repaired?.aborted.length).toBeGreaterThan(0)
      expect(runGit(clone, 'symbolic-ref', '--short', 'HEAD')).toBe(branch)
      expect(isClean()).toBe(true)
      expect(isLost(`the agent resolved the ${operation}`)).toBe(false)
      for (const mark of ['MERGE_HEAD', 'rebase-merge', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG'])
        expect(existsSync(join(clone, '.git', mark))).toBe(false)
    },
  )

  test('clones anew under the old files when the repository data is unusable (WORKSPACE-3)', async () => {
    const first = await boot()
    write('pushed.txt', 'pushed')
    commit('pushed')
    await push(fixture, first.bare)
    write('fresh.txt', 'only in the work tree')
    rmSync(join(clone, '.git', 'HEAD'))
    const checkout = await boot()
    expect(checkout.findings.join()).toContain('unusable')
    expect(runGit(clone, 'show', 'HEAD:fresh.txt')).toBe('only in the work tree')
    expect(runGit(clone, 'show', 'HEAD:pushed.txt')).toBe('pushed')
  })

  test('carries commits that no remote has out of repository data that is unusable', async () => {
    await boot()
    runGit(clone, 'checkout', '-q', '-b', 'elsewhere')
    write('else.txt', 'only on another branch')
    commit('else')
    runGit(clone, 'checkout', '-q', branch)
    write('mine.txt', 'mine')
    commit('mine')
    write('stashed.txt', 'stashed away')
    runGit(clone, 'stash', '-q', '-u')
    for (const torn of ['HEAD', `refs/heads/${branch}`, 'refs/stash']) writeFileSync(join(clone, '.git', torn), '')
    const { findings } = await boot()
    expect(findings.join()).toContain('refs/heads/elsewhere')
    expect(runGit(clone, 'show', 'HEAD:mine.txt')).toBe('mine')
    expect(runGit(clone, 'log', '-1', '--format=%s')).toBe('mine')
    for (const text of ['only on another branch', 'stashed away']) expect(isLost(text)).toBe(false)
  })

  test('clones anew where an object of an unpushed commit is gone', async () => {
    await boot()
    write('mine.txt', 'mine')
    commit('mine')
    const blob = runGit(clone, 'rev-parse', 'HEAD:mine.txt')
    const object = join(clone, '.git', 'objects', blob.slice(0, 2), blob.slice(2))
    rmSync(object)
    write('mine.txt', 'mine, and more')
    const { findings } = await boot()
    expect(findings.join()).toContain('unusable')
    expect(isClean()).toBe(true)
    expect(isLost('mine, and more')).toBe(false)
  })

  test('keeps what was committed in the middle of a rebase, and says so until it is merged', async () => {
    await boot()
    write('README.md', 'one\n')
    commit('one')
    try {
      runGit(clone, 'rebase', '--no-ff', '--exec', 'false', 'HEAD~1')
    } catch {
      // It stops at the command that fails.
    }
    write('within.txt', 'written within the rebase')
    commit('within')
    expect((await boot()).findings.join()).toContain('refs/statewright/kept/')
    expect(isLost('written within the rebase')).toBe(false)
    expect((await boot()).findings.join()).toContain('is not merged')
    runGit(clone, 'merge', '-q', runGit(clone, 'for-each-ref', '--format=%(refname)', 'refs/statewright/kept'))
    expect((await boot()).findings).toEqual([])
  })

  test('leaves a repository inside a repository alone and commits the rest', async () => {
    const { bare } = await boot()
    write('a.txt', 'a')
    mkdirSync(join(clone, 'inner'))
    runGit(join(clone, 'inner'), 'init', '-q')
    writeFileSync(join(clone, 'inner', 'b.txt'), 'b')
    expect(await publishAll(fixture, [bare], new Map(), 't')).toEqual({ pushed: ['lib'], failed: [] })
    await boot()
    expect(readFileSync(join(clone, 'inner', 'b.txt'), 'utf8')).toBe('b')
  })

  test('starts over after a clone that a crash cut short', async () => {
    mkdirSync(`${clone}.cloning`, { recursive: true })
    mkdirSync(join(clone, '.git'), { recursive: true })
    expect((await boot()).result).toBe('up_to_date')
    expect(readFileSync(join(clone, 'README.md'), 'utf8')).toBe('# lib\n')
  })

  test('brings commits made on another branch back to the task branch', async () => {
    await boot()
    runGit(clone, 'checkout', '-q', '-b', 'elsewhere')
    write('else.txt', 'else')
    commit('else')
    await boot()
    expect(runGit(clone, 'symbolic-ref', '--short', 'HEAD')).toBe(branch)
    expect(existsSync(join(clone, 'else.txt'))).toBe(true)
  })

  test('checks out the exact head under review on the task branch and keeps leftovers aside (WORKSPACE-10)', async () => {
    const first = await boot()
    write('a.txt', 'a')
    const reviewed = commit('a')
    await push(fixture, first.bare)
    onOrigin('main', 'base.txt', 'moved on')
    write('left.txt', 'left over by the pod before')
    const checkout = await boot({ sha: reviewed })
    expect(runGit(clone, 'rev-parse', 'HEAD')).toBe(reviewed)
    expect(runGit(clone, 'symbolic-ref', '--short', 'HEAD')).toBe(branch)
    expect(checkout.findings.join()).toContain('refs/statewright/kept/')
    expect(isLost('left over by the pod before')).toBe(false)
  })

  test('pushes every touched repository at the end of a turn and nothing for an untouched one (WORK-PUSH-5, WORK-PUSH-6)', async () => {
    const { bare } = await boot()
    const heads = await readHeads(fixture.git, [bare])
    expect(await publishAll(fixture, [bare], heads, 't')).toEqual({ pushed: [], failed: [] })
    write('new.txt', 'new')
    expect(await publishAll(fixture, [bare], heads, 't')).toEqual({ pushed: ['lib'], failed: [] })
    expect(runGit(origin, 'show', `${branch}:new.txt`)).toBe('new')
  })

  test('counts work that the mid-turn push already published', async () => {
    const { bare } = await boot()
    const heads = await readHeads(fixture.git, [bare])
    write('new.txt', 'new')
    commit('new')
    expect(await push(fixture, bare)).toEqual({ state: 'pushed' })
    expect(await push(fixture, bare)).toEqual({ state: 'nothing' })
    expect((await publishAll(fixture, [bare], heads, 't')).pushed).toEqual(['lib'])
  })

  test('counts work that a pod pushed and was killed before it could say so', async () => {
    const { bare } = await boot()
    write('new.txt', 'new')
    commit('new')
    expect(await push(fixture, bare)).toEqual({ state: 'pushed' })
    const next = await boot()
    const heads = await readHeads(fixture.git, [next.bare])
    expect(await publishAll(fixture, [next.bare], heads, 't')).toEqual({ pushed: ['lib'], failed: [] })
  })

  test('merges a task branch that moved at the remote before pushing again', async () => {
    const { bare } = await boot()
    write('a.txt', 'a')
    await publishAll(fixture, [bare], new Map(), 't')
    onOrigin(branch, 'b.txt', 'b')
    write('c.txt', 'c')
    expect(await publishAll(fixture, [bare], new Map(), 't')).toEqual({ pushed: ['lib'], failed: [] })
    expect(runGit(origin, 'show', `${branch}:b.txt`)).toBe('b')
  })

  test('reports a refusal with the words of the gateway and keeps the work (WORK-PUSH-6, WORK-PUSH-7, GIT-5)', async () => {
    const { bare } = await boot()
    writeFileSync(
      join(origin, 'hooks', 'pre-receive'),
      '#!/bin/sh\necho "approval-required: no maintainer said yes" >&2\nexit 1\n',
      { mode: 0o755 },
    )
    write('a.txt', 'a')
    const published = await publishAll(fixture, [bare], new Map(), 't')
    expect(published.pushed).toEqual([])
    expect(published.failed).toMatchObject([
      { repo: 'lib', error: expect.stringContaining('approval-required: no maintainer said yes') },
    ])
    expect(runGit(clone, 'show', 'HEAD:a.txt')).toBe('a')
  })

  test('runs no program that the agent configured in the clone', async () => {
    const { bare } = await boot()
    const mark = join(dir, 'ran')
    for (const hook of ['pre-commit', 'pre-push', 'post-commit', 'post-checkout'])
      writeFileSync(join(clone, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 })
    runGit(clone, 'config', 'core.fsmonitor', `touch ${mark};false`)
    write('a.txt', 'a')
    await publishAll(fixture, [bare], new Map(), 't')
    expect(existsSync(mark)).toBe(false)
  })
})
