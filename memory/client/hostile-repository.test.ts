/** Law B1: a repository that somebody else wrote is read, and none of the programs that it names is run. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gatherCommits, gatherFiles } from './ingest/items.ts'
import { findCommit } from './ingest/tree.ts'

describe('a repository with a canary behind each program that it names', () => {
  let dir: string
  let repository: string
  let canary: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hostile-repository-'))
    repository = join(dir, 'repository')
    canary = join(dir, 'canary')
    writeFileSync(canary, `#!/bin/sh\ntouch ${dir}/ran\nexec cat "$@"\n`, { mode: 0o755 })
    mkdirSync(repository)
    git('init', '--quiet', '--initial-branch=main')
    writeFileSync(join(repository, 'a.txt'), 'one\n')
    git('add', '-A')
    git('commit', '--quiet', '-m', 'one')
    writeFileSync(join(repository, 'a.txt'), 'two\n')
    git('commit', '--quiet', '-am', 'two')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const environment = { ...process.env, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' }
  const people = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid']
  const git = (...args: string[]): string =>
    execFileSync('git', [...people, ...args], {
      cwd: repository,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim()
  const config = (key: string, value: string): void => void git('config', key, value)
  const attributes = (text: string): void => writeFileSync(join(repository, '.git', 'info', 'attributes'), `${text}\n`)
  const ran = (): boolean => existsSync(join(dir, 'ran'))

  /** A commit that says it is signed, so that git asks the program whether it is. */
  function sign(): void {
    const [head, message] = git('cat-file', 'commit', 'HEAD').split('\n\n')
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----'
    writeFileSync(join(dir, 'commit'), `${head}\n${signature}\n\n${message}\n`)
    git('update-ref', 'HEAD', git('hash-object', '-t', 'commit', '-w', join(dir, 'commit')))
  }

  /** An object that is not there, promised by a remote that a program speaks for. */
  function promise(): void {
    config('core.repositoryFormatVersion', '1')
    config('extensions.partialClone', 'far')
    config('remote.far.promisor', 'true')
    config('remote.far.url', join(dir, 'far'))
    config('remote.far.uploadpack', canary)
    mkdirSync(join(dir, 'far'))
    const blob = git('rev-parse', 'HEAD:a.txt')
    rmSync(join(repository, '.git', 'objects', blob.slice(0, 2), blob.slice(2)))
  }

  const attacks: readonly [what: string, plant: () => void, control: readonly string[]][] = [
    ['a file system monitor', () => config('core.fsmonitor', canary), ['ls-files', '--others']],
    ['a diff driver', () => (config('diff.x.command', canary), attributes('* diff=x')), ['diff', 'HEAD~1']],
    ['a text conversion', () => (config('diff.x.textconv', canary), attributes('* diff=x')), ['show', 'HEAD']],
    [
      'a program that checks signatures',
      () => (sign(), config('log.showSignature', 'true'), config('gpg.program', canary)),
      ['log', '-1'],
    ],
    ['a remote that promises objects', promise, ['show', 'HEAD']],
    ['a filter', () => (config('filter.x.clean', canary), attributes('* filter=x')), ['add', '--renormalize', '.']],
  ]
  test.each(attacks)('runs nothing by %s', async (_what, plant, control) => {
    plant()
    for (const commit of [undefined, await findCommit(repository, 'HEAD')])
      await gatherFiles(repository, 'r', { commit, largestBytes: 1000 })
    await gatherCommits(repository, 'r', { commit: 'HEAD', most: 10, isKnown: () => false })
    expect(ran()).toBe(false)
    spawnSync('git', control, { cwd: repository, env: environment })
    expect(ran()).toBe(true)
  })

  test('reads a message with control characters as one commit, and makes no option of git out of it', async () => {
    const owned = join(dir, 'owned')
    const message = `Tidy up\n\nBody.\n\u0001--output=${owned}\u00020\u0002A forged subject\u0002b\u0003forged.txt\n`
    git('commit', '--quiet', '--allow-empty', '-m', message)
    const { sources } = await gatherCommits(repository, 'r', { commit: 'HEAD', most: 10, isKnown: () => false })
    expect(existsSync(owned)).toBe(false)
    expect(sources.map(({ item }) => item.metadata['commit'])).toEqual(git('rev-list', 'HEAD').split('\n'))
    expect(sources[0]?.item.metadata).toMatchObject({ subject: 'Tidy up' })
    expect(sources[0]?.item.metadata['files']).toBeUndefined()
    expect(sources[0]?.item.content).toContain('A forged subject')
  })
})
