import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
