import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { git } from '../local/git-seed.ts'
import { copyOwn } from './own-copy.ts'
import { changeLines, goOnLines, takeOverLines } from './result.ts'
import { checkTests, testsOf } from './tests.ts'

const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.invalid']

async function committed(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const room = realpathSync(mkdtempSync(join(tmpdir(), 'statewright-try-')))
  onTestFinished(() => rmSync(room, { recursive: true, force: true }))
  const dir = join(room, name)
  mkdirSync(dir)
  await git(dir, 'init', '--quiet', '--initial-branch=main')
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
  await git(dir, 'add', '--all')
  await git(dir, ...author, 'commit', '--quiet', '--message', 'Start')
  return dir
}

test('the lines at the end, as a shell reads them, bring the change into the repository', async () => {
  const own = await committed("it's mine", { a: '1' })
  const copy = await copyOwn(own, join(own, '..', 'copy.git'))
  const work = join(own, '..', 'work')
  await git(join(own, '..'), 'clone', '--quiet', copy.path, work)
  writeFileSync(join(work, 'a'), '2')
  await git(work, ...author, 'commit', '--quiet', '--all', '--message', 'Change')
  await git(work, 'push', '--quiet')
  expect(await changeLines(copy.path, copy)).toEqual(expect.arrayContaining(['-1', '+2']))
  for (const line of takeOverLines(own, copy.path, copy.branch)) execFileSync('sh', ['-c', line], { stdio: 'ignore' })
  expect(await git(own, 'show', 'HEAD:a')).toBe('2')
})

test('what stopped before its end names the command that goes on, with the options that were given', () => {
  const call = ['/home/ada/it is mine', '--dir', '/tmp/x', '--test-command', 'go test ./...']
  const again = "  statewright try '/home/ada/it is mine' --dir /tmp/x --test-command 'go test ./...'"
  expect(goOnLines('waits', call, false)).toEqual(expect.arrayContaining([again, `${again} --keep`]))
  expect(goOnLines('parked', call, false).at(-1)).toBe(`${again} --keep`)
  expect(goOnLines('interrupted', call, false).at(-1)).toBe(again)
  expect(goOnLines('interrupted', call, true).at(-1)).toBe(`${again} --keep`)
  for (const end of ['merged', 'failed', 'rejected'] as const) expect(goOnLines(end, call, true)).toEqual([])
})

test('a change above 400 lines is shown as files, with the command that shows the rest', async () => {
  const own = await committed('long', { a: 'x\n'.repeat(500) })
  const copy = await copyOwn(own, join(own, '..', 'copy.git'))
  const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  const lines = await changeLines(copy.path, { ...copy, commit: empty })
  expect(lines).toHaveLength(4)
  expect(lines.at(-1)).toContain(`diff ${empty.slice(0, 10)} main shows them`)
})

test.each([
  [{ a: '' }, undefined],
  [{ 'package.json': 'no JSON' }, undefined],
  [{ 'package.json': '{"scripts":{}}' }, undefined],
  [{ 'package.json': '{"scripts":{"test":"true"}}' }, 'npm test'],
  [
    { 'package.json': '{"scripts":{"test":"true"},"devDependencies":{"x":"1"}}' },
    'npm install --no-audit --no-fund && npm test',
  ],
  [
    { 'package.json': '{"scripts":{"test":"true"},"dependencies":{"x":"1"}}', 'package-lock.json': '{}' },
    'npm ci --no-audit --no-fund && npm test',
  ],
])('of %j the tests are %s', async (files, command) => {
  expect(await testsOf({ path: await committed('tested', files) })).toBe(command)
})

test('tests that fail before any change are told before anything starts, by the command as it was given', async () => {
  const own = await committed('red', { a: '' })
  const { signal } = new AbortController()
  const copy = await copyOwn(own, join(own, '..', 'copy.git'))
  const check = (command: string): Promise<void> => checkTests(copy, { command, signal, write: () => undefined })
  await expect(check('echo no compiler; exit 3')).rejects.toThrow(
    /fail before any change.*`echo no compiler; exit 3` ended with exit code 3[^]*\n {2}no compiler/,
  )
  await expect(check('test -f a')).resolves.toBeUndefined()
  const late = checkTests(copy, { command: 'true && sleep 100', signal, write: () => undefined, within: 3000 })
  await expect(late).rejects.toThrow(
    /`(sleep 100|true|a fresh clone)` was not through after 0.05 min, before any change/,
  )
})

test('each step of the first checks is named while it lasts, and none that is over sooner', async () => {
  const own = await committed('slow', { a: '' })
  const copy = await copyOwn(own, join(own, '..', 'copy.git'))
  const gate = join(own, '..', 'gate')
  execFileSync('mkfifo', [gate])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const written: string[] = []
  const write = (line: string): void => void written.push(line)
  const ended = checkTests(copy, { command: `true && cat ${gate}`, signal: new AbortController().signal, write })
  const awaited = `before any change: cat ${gate} …`
  for (let at = 0; !written.includes(awaited) && at < 600; at += 1) {
    await new Promise((resolve) => void execFile('sleep', ['0.05'], resolve))
    vi.advanceTimersByTime(100)
  }
  // The step reads it until then.
  await writeFile(gate, 'go')
  await ended
  expect(written.at(-1)).toBe(awaited)
  expect(written).not.toContain('before any change: true …')
})
