import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { git, headBranch, seedRepository } from './git-seed.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'statewright-seed-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('a folder becomes a repository of one commit, without what was installed in it', async () => {
  const [from, to] = [folder(), join(folder(), 'seed')]
  mkdirSync(join(from, 'node_modules', 'x'), { recursive: true })
  writeFileSync(join(from, 'node_modules', 'x', 'index.js'), '')
  writeFileSync(join(from, 'README'), 'A library.')
  await seedRepository(from, to)
  expect(await git(to, 'ls-files')).toBe('README')
  expect(await git(to, 'rev-list', '--count', 'HEAD')).toBe('1')
  expect(await headBranch(to)).toBe('main')
})

test('a repository that is on no branch, or a folder that is none, is told, not guessed', async () => {
  const dir = folder()
  await expect(headBranch(dir)).rejects.toThrow('give one with --repo PATH')
  writeFileSync(join(dir, 'README'), '')
  const to = join(folder(), 'seed')
  await seedRepository(dir, to)
  await git(to, 'checkout', '--quiet', '--detach')
  await expect(headBranch(to)).rejects.toThrow('no git repository with a branch checked out')
})

test('what the given folder names as a program runs no canary', async () => {
  const [from, to] = [folder(), join(folder(), 'seed')]
  const canary = join(from, 'canary')
  writeFileSync(canary, `#!/bin/sh\ntouch ${from}/ran\nexec cat "$@"\n`, { mode: 0o755 })
  writeFileSync(join(from, '.gitattributes'), '* filter=x\n')
  await git(from, 'init', '--quiet', '--initial-branch=main')
  await git(from, 'config', 'filter.x.clean', canary)
  await git(from, 'config', 'core.fsmonitor', canary)
  writeFileSync(join(from, '.git', 'hooks', 'post-commit'), `#!/bin/sh\n${canary} </dev/null\n`, { mode: 0o755 })
  await headBranch(from)
  await seedRepository(from, to)
  expect(existsSync(join(from, 'ran'))).toBe(false)
  await git(from, 'add', '--all')
  expect(existsSync(join(from, 'ran'))).toBe(true)
})
