import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from './pod-folder.ts'

test('removes a workspace with all that an agent left, and nothing that its links lead to', () => {
  const dir = mkdtempSync(join(tmpdir(), 'removal-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const victim = join(dir, 'victim')
  mkdirSync(victim)
  writeFileSync(join(victim, 'canary'), 'alive')
  const workspace = join(dir, 'workspace')
  mkdirSync(join(workspace, 'lib'), { recursive: true })
  symlinkSync(victim, join(workspace, 'link'))
  symlinkSync(join(victim, 'canary'), join(workspace, 'lib', 'file'))
  symlinkSync('..', join(workspace, 'lib', 'loop'))
  // Deeper than a path may be long.
  const chain = Array.from({ length: 50 }, () => 'd'.repeat(60)).join('/')
  for (const name of ['a', 'b']) mkdirSync(join(workspace, name, chain), { recursive: true })
  renameSync(join(workspace, 'b'), join(workspace, 'a', chain, 'b'))
  removeFolder(workspace)
  expect([existsSync(workspace), readdirSync(victim)]).toEqual([false, ['canary']])
  // A removal that goes where links lead would have had it.
  symlinkSync(victim, join(dir, 'again'))
  rmSync(`${join(dir, 'again')}/canary`)
  expect(readdirSync(victim)).toEqual([])
})
