import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { git } from '../../local/git-seed.ts'
import { programDir } from '../../program.ts'

test('without a terminal, try opens the issue, shows the plan, writes no word for a person, and ends with 3', async () => {
  const room = realpathSync(mkdtempSync(join(tmpdir(), 'try-')))
  onTestFinished(() => rmSync(room, { recursive: true, force: true, maxRetries: 5 }))
  const [own, dir] = [join(room, 'greeter'), join(room, 'state')]
  mkdirSync(own)
  await git(own, 'init', '--quiet', '--initial-branch=trunk')
  writeFileSync(join(own, 'greet.py'), 'print("hello")\n')
  await git(own, 'add', '--all')
  await git(own, '-c', 'user.name=Ada', '-c', 'user.email=ada@acme.invalid', 'commit', '--quiet', '--message', 'Start')
  writeFileSync(join(own, 'draft.py'), '')
  const { ANTHROPIC_API_KEY: _key, CLAUDE_CODE_OAUTH_TOKEN: _token, ...env } = process.env
  const program = join(programDir, 'bin', 'statewright.mjs')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, 'try', own, '--issue', 'Greet by name', '--dir', dir],
    { env, encoding: 'utf8', input: '', timeout: 200_000 },
  )
  expect([status, stderr]).toEqual([3, ''])
  for (const line of [
    'left out: 1 file or folder that git does not track',
    'model: a script. It solves nothing',
    'checks: none',
    'A script plays this Task',
    `statewright try ${own} --dir ${dir}`,
  ])
    expect(stdout).toContain(line)
  expect(stdout).not.toContain('/issues/1')
  const keys = readFileSync(join(dir, 'people.json'), 'utf8').match(/[0-9a-f]{40}/g) ?? []
  expect(keys.length).toBeGreaterThan(2)
  for (const key of keys) expect(stdout).not.toContain(key)
  const audit = readFileSync(join(dir, 'forge', 'audit.jsonl'), 'utf8')
  expect(audit).toContain('"rita"')
  expect(audit).not.toContain('/approve\\n')
  expect(audit.split('\n').filter((line) => line.includes('"actor":"maria"'))).toEqual([])
  expect(await git(own, 'status', '--porcelain')).toBe('?? draft.py')
}, 240_000)
