/** Law B2: a pod starts from nothing that an earlier pod's agent could make obey, and loses nothing of its work. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeOrigin, runGit } from '../testing/pod.ts'
import { openWorkspace, type WorkspaceFixture } from '../testing/workspace.ts'
import { publishAll, push } from './outside/publish.ts'

const branch = 'platform/task-1'

describe('a fresh start', () => {
  let dir: string
  let origin: string
  let fixture: WorkspaceFixture
  let clone: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'fresh-'))
    origin = makeOrigin(dir)
    fixture = openWorkspace({ dir, url: origin, branch })
    clone = fixture.clone
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const write = (path: string, text = 'x'): void => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  const commit = (message = 'work'): string => (
    runGit(clone, 'add', '-A', '--sparse'),
    runGit(clone, 'commit', '-qm', message),
    runGit(clone, 'rev-parse', 'HEAD')
  )
  const has = (path: string): boolean => existsSync(join(clone, path))
  const inWorkspace = (path: string): boolean => existsSync(join(dir, 'ws', path))
  const isClean = (): boolean => runGit(clone, 'status', '--porcelain') === ''

  test('has a .git with nothing in it but the platform’s configuration', async () => {
    await fixture.boot()
    const first = readFileSync(join(clone, '.git', 'config'), 'utf8')
    runGit(clone, 'config', 'alias.x', '!true')
    write('.git/hooks/pre-commit')
    write('.git/info/attributes')
    write('.git/info/exclude', '*\n')
    write('.git/unknown-to-git')
    mkdirSync(join(clone, '.git', 'modules', 'm'), { recursive: true })
    await fixture.boot()
    expect(readFileSync(join(clone, '.git', 'config'), 'utf8')).toBe(first)
    expect(readdirSync(join(clone, '.git', 'hooks'))).toEqual([])
    expect(readdirSync(join(clone, '.git', 'info')).toSorted()).not.toContain('attributes')
    for (const name of ['.git/info/exclude', '.git/unknown-to-git', '.git/modules']) expect(has(name)).toBe(false)
    expect(inWorkspace('.broken/lib.git')).toBe(false)
  })

  test('has no origin that git could ask', async () => {
    await fixture.boot()
    expect(runGit(clone, 'remote', 'get-url', 'origin')).toContain('the-platform-fetches-and-pushes.invalid')
    expect(runGit(clone, 'rev-parse', 'refs/remotes/origin/main')).toBe(runGit(origin, 'rev-parse', 'main'))
  })

  test('keeps branches, tags, the stash in its order, a detached head and the head of another work tree', async () => {
    await fixture.boot()
    runGit(clone, 'checkout', '-q', '-b', 'side')
    write('side.txt')
    const side = commit('side')
    runGit(clone, 'checkout', '-q', branch)
    for (const text of ['older', 'newer']) {
      write('stashed.txt', text)
      runGit(clone, 'stash', 'push', '-q', '-u', '-m', text)
    }
    runGit(clone, 'checkout', '-q', '--detach')
    write('tagged.txt')
    const tagged = commit('tagged')
    runGit(clone, 'tag', '-a', '-m', 'v', 'v1')
    runGit(clone, 'checkout', '-q', '--detach', branch)
    write('detached.txt')
    commit('detached')
    runGit(clone, 'worktree', 'add', '-q', '--detach', join(dir, 'other'), 'HEAD~1')
    writeFileSync(join(dir, 'other', 'elsewhere.txt'), 'x')
    runGit(join(dir, 'other'), 'add', '-A')
    runGit(join(dir, 'other'), 'commit', '-qm', 'elsewhere')
    const elsewhere = runGit(join(dir, 'other'), 'rev-parse', 'HEAD')
    await fixture.boot()
    expect(runGit(clone, 'rev-parse', 'side')).toBe(side)
    expect(runGit(clone, 'rev-parse', 'v1^{commit}')).toBe(tagged)
    expect(runGit(clone, 'stash', 'list', '--format=%gs').split('\n')).toEqual([
      expect.stringContaining('newer'),
      expect.stringContaining('older'),
    ])
    expect(runGit(clone, 'for-each-ref', '--contains', elsewhere, 'refs/statewright/kept/')).toContain('worktree')
    expect([runGit(clone, 'symbolic-ref', '--short', 'HEAD'), has('detached.txt'), isClean()]).toEqual([
      branch,
      true,
      true,
    ])
    expect(runGit(clone, 'for-each-ref', 'refs/statewright/old/')).toMatch(/^$|old\/head/)
  })

  test('finishes what a kill between the two .git left undone', async () => {
    await fixture.boot()
    write('mine.txt', 'mine')
    const head = commit()
    mkdirSync(join(dir, 'ws', '.broken'))
    renameSync(join(clone, '.git'), join(dir, 'ws', '.broken', 'lib.git'))
    const { findings } = await fixture.boot()
    expect([runGit(clone, 'rev-parse', 'HEAD'), isClean(), findings]).toEqual([head, true, []])
  })

  test('leaves a .git aside that holds what could not be carried, and says so', async () => {
    await fixture.boot()
    write('bad.txt')
    const tree = runGit(clone, 'rev-parse', 'HEAD^{tree}')
    writeFileSync(join(dir, 'entry'), `040000 tree ${tree}\t.GIT\n`)
    const bad = execFileSync('git', ['mktree'], { cwd: clone, input: readFileSync(join(dir, 'entry')) })
      .toString()
      .trim()
    runGit(clone, 'branch', 'bad', runGit(clone, 'commit-tree', bad, '-p', 'HEAD', '-m', 'bad'))
    write('good.txt')
    runGit(clone, 'add', '-A')
    runGit(clone, 'commit', '-qm', 'good')
    const good = runGit(clone, 'rev-parse', 'HEAD')
    const { findings } = await fixture.boot()
    expect(findings.join()).toContain('.broken')
    expect(runGit(clone, 'rev-parse', 'HEAD')).toBe(good)
    const [left] = readdirSync(join(dir, 'ws', '.broken'))
    expect(runGit(join(dir, 'ws', '.broken', left!), '--git-dir=.', 'log', '-1', '--format=%s', 'bad')).toBe('bad')
    expect(runGit(clone, 'branch', '--list', 'bad')).toBe('')
  })

  const configuration = [
    '.claude/settings.json',
    '.claude/skills/obey/SKILL.md',
    '.mcp.json',
    'CLAUDE.local.md',
    'AGENTS.md',
  ]
  const everywhere = configuration.flatMap((path) => [path, `deep/er/${path}`])

  test('has nothing in the work tree that the CLI obeys, tracked or not, and commits no deletion of it (WRAPPER-BOOT-9, WRAPPER-BOOT-10)', async () => {
    const { bare } = await fixture.boot()
    for (const path of everywhere) write(path, 'tracked')
    write('deep/er/code.txt')
    commit('configuration')
    await push(fixture, bare)
    write('.gitignore', 'ignored/\n')
    for (const path of configuration) write(`ignored/${path}`, 'ignored')
    const { findings } = await fixture.boot()
    for (const path of [...everywhere, ...configuration.map((name) => `ignored/${name}`)])
      expect([path, has(path)]).toEqual([path, false])
    expect([has('deep/er/code.txt'), isClean()]).toEqual([true, true])
    expect(findings.join()).toContain('ignored/.mcp.json')
    const next = await fixture.boot()
    write('work.txt')
    await publishAll(fixture, [next.bare], new Map(), 'turn')
    for (const path of everywhere) expect(runGit(origin, 'show', `${branch}:${path}`)).toBe('tracked')
    expect(runGit(origin, 'ls-tree', '-r', '--name-only', branch)).not.toContain('ignored/')
  })

  test('commits configuration that the agent writes, as any other work', async () => {
    const { bare } = await fixture.boot()
    write('.claude/settings.json', 'written')
    await publishAll(fixture, [bare], new Map(), 'turn')
    expect(runGit(origin, 'show', `${branch}:.claude/settings.json`)).toBe('written')
  })

  test('keeps a tracked configuration through a repair, a torn index and a merge of the base', async () => {
    const { bare } = await fixture.boot()
    write('.claude/settings.json', 'tracked')
    commit('configuration')
    await push(fixture, bare)
    await fixture.boot()
    write('.git/index', 'DIRC')
    write('mine.txt')
    await fixture.boot()
    const other = mkdtempSync(join(dir, 'other-'))
    runGit(other, 'clone', '-q', origin, '.')
    mkdirSync(join(other, '.claude'))
    writeFileSync(join(other, '.claude', 'settings.json'), 'of the base')
    writeFileSync(join(other, 'base.txt'), 'x')
    runGit(other, 'add', '-A')
    runGit(other, 'commit', '-qm', 'base')
    runGit(other, 'push', '-q', 'origin', 'main')
    const { result, findings } = await fixture.boot()
    expect([result, findings.join()]).toEqual(['conflict', expect.stringContaining('.claude/settings.json')])
    expect([runGit(clone, 'show', 'HEAD:.claude/settings.json'), isClean(), has('.claude')]).toEqual([
      'tracked',
      true,
      false,
    ])
  })

  test('gives a review the tracked files only, and the next implementer everything again', async () => {
    const { bare } = await fixture.boot()
    write('.gitignore', 'node_modules/\n*.log\n')
    write('src/code.txt')
    const reviewed = commit('code')
    await push(fixture, bare)
    const planted = ['node_modules/.bin/test', 'src/node_modules/x/index.js', 'src/debug.log']
    for (const path of planted) write(path, 'planted')
    mkdirSync(join(clone, 'inner'))
    runGit(join(clone, 'inner'), 'init', '-q')
    write('inner/file.txt')
    await fixture.boot({ sha: reviewed, isReview: true })
    for (const path of [...planted, 'inner/file.txt']) expect([path, has(path)]).toEqual([path, false])
    expect([has('src/code.txt'), isClean()]).toEqual([true, true])
    write('node_modules/.bin/other', 'of the review')
    await fixture.boot({ sha: reviewed, isReview: true })
    expect(has('node_modules')).toBe(false)
    await fixture.boot()
    for (const path of planted) expect(readFileSync(join(clone, path), 'utf8')).toBe('planted')
    expect(has('inner/file.txt')).toBe(true)
  })

  test('follows no link out of the clone, whatever it stands in for', async () => {
    await fixture.boot()
    const victim = join(dir, 'victim')
    mkdirSync(victim)
    writeFileSync(join(victim, 'precious.txt'), 'precious')
    write('.gitignore', 'link\n')
    commit()
    symlinkSync(victim, join(clone, 'link'))
    for (const name of ['hooks', 'info']) {
      rmSync(join(clone, '.git', name), { recursive: true })
      symlinkSync(victim, join(clone, '.git', name))
    }
    await fixture.boot({ isReview: true, sha: runGit(clone, 'rev-parse', 'HEAD') })
    await fixture.boot()
    expect(readdirSync(victim)).toEqual(['precious.txt'])
  })

  test('keeps a file or a link that lies where the clone belongs, and clones', async () => {
    mkdirSync(join(dir, 'elsewhere'))
    symlinkSync(join(dir, 'elsewhere'), clone)
    expect((await fixture.boot()).result).toBe('up_to_date')
    expect(readdirSync(join(dir, 'elsewhere'))).toEqual([])
    expect(has('README.md')).toBe(true)
  })

  test('clears the root of the workspace of what would be obeyed, and for a review of all that is not the platform’s (WRAPPER-BOOT-10)', async () => {
    await fixture.boot()
    const root = (name: string): string => join(dir, 'ws', name)
    const { inside } = fixture
    const known = ['lib']
    for (const name of ['.claude', 'node_modules']) mkdirSync(root(name))
    symlinkSync('/etc/passwd', root('CLAUDE.md.new'))
    for (const name of ['AGENTS.md', 'CLAUDE.md', '.npmrc']) writeFileSync(root(name), 'x')
    await inside.ask('sweep', { stamp: '1', isReview: false, known })
    expect(readdirSync(join(dir, 'ws')).toSorted()).toEqual(['.npmrc', '.set-aside', 'lib', 'node_modules'])
    await inside.ask('sweep', { stamp: '2', isReview: true, known })
    expect(readdirSync(join(dir, 'ws')).toSorted()).toEqual(['.set-aside', 'lib'])
    await inside.ask('sweep', { stamp: '3', isReview: false, known })
    expect(readdirSync(join(dir, 'ws')).toSorted()).toEqual(['.npmrc', '.set-aside', 'lib', 'node_modules'])
  })
})
