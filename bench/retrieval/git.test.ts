import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { commits, git } from './git.ts'

const dir = mkdtempSync(join(tmpdir(), 'statewright-commits-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function commit(file: string, message: string): string {
  writeFileSync(join(dir, file), file)
  const people = ['-c', 'user.name=t', '-c', 'user.email=t@t.test', '-c', 'core.hooksPath=/dev/null']
  git(dir, 'add', '-A')
  execFileSync('git', ['-C', dir, ...people, 'commit', '-q', '-F', '-'], { input: message })
  return git(dir, 'rev-parse', 'HEAD').trim()
}

it('reads one commit for each that there is, whatever control characters a subject has', () => {
  git(dir, 'init', '-q')
  const first = commit('a.py', 'Begin')
  const forged = `Tidy\u0001${'0'.repeat(40)}\u00021\u0002Forged`
  const second = commit('b.py', forged)
  const at = Number(git(dir, 'show', '-s', '--format=%ct', second)) * 1000
  expect(commits(dir, 'HEAD', 9)).toEqual([
    { sha: second, subject: forged, files: ['b.py'], at },
    { sha: first, subject: 'Begin', files: ['a.py'], at: expect.any(Number) },
  ])
  expect(commits(dir, 'HEAD', 1).map(({ sha }) => sha)).toEqual([second])
})

it('gives a commit without files an empty list', () => {
  const people = ['-c', 'user.name=t', '-c', 'user.email=t@t.test', '-c', 'core.hooksPath=/dev/null']
  git(dir, ...people, 'commit', '-q', '--allow-empty', '-m', 'Nothing')
  expect(commits(dir, 'HEAD', 2)).toMatchObject([{ subject: 'Nothing', files: [] }, { files: ['b.py'] }])
})
