import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { git } from './git.ts'
import { changedLines, languages, lineShares } from './lines.ts'

const dir = mkdtempSync(join(tmpdir(), 'statewright-lines-'))
const attributes = join(dir, 'attributes')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function commit(text: string): string {
  writeFileSync(join(dir, 'a.py'), text)
  const people = ['-c', 'user.name=t', '-c', 'user.email=t@t.test', '-c', 'core.hooksPath=/dev/null']
  execFileSync('git', ['-C', dir, 'add', 'a.py'])
  execFileSync('git', ['-C', dir, ...people, 'commit', '-qm', 'x'])
  return git(dir, 'rev-parse', 'HEAD').trim()
}

it('counts changed lines and their functions in lines of the base, whatever came in between', () => {
  git(dir, 'init', '-q')
  writeFileSync(attributes, languages)
  const [one, two] = ['def one():\n    a = 1\n    return a\n', 'def two():\n    b = 2\n    return b\n']
  const base = commit(`${one}\n${two}`)
  commit(`# a line above\n${one}\n${two}`)
  const sha = commit(`# another line above\n${one}\n${two.replace('b = 2', 'b = 3')}`)
  const changes = changedLines(dir, { base, sha, files: ['a.py'], attributes })
  // The line above is not at the base.
  expect([...changes.get('a.py')!.changed]).toEqual([6])
  expect([...changes.get('a.py')!.around].filter((line) => line > 3).toSorted()).toEqual([5, 6, 7])
  const texts = new Map([['a.py', `a.py\n\n${one}\n${two}`]])
  const shown = (content: string): unknown => lineShares(changes, [{ name: 'a.py', content }], texts)
  expect(shown(two.trimEnd())).toEqual([{ found: 1, beside: 0 }])
  expect(shown(`    return a\n\n${two}`.trimEnd())).toEqual([{ found: 1, beside: 0.4 }])
  expect(shown(one.trimEnd())).toEqual([{ found: 0, beside: 1 }])
  expect(lineShares(changes, [], texts)).toEqual([])
})
