import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { git } from '../../local/git-seed.ts'
import { said } from '../testing/fixture.ts'
import { tryOwn } from './try.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const heard = signals.map((name) => [name, process.listeners(name)] as const)

// As its process would: the command hears them until it ends.
afterEach(() => {
  for (const [name, before] of heard)
    for (const each of process.listeners(name)) if (!before.includes(each)) process.off(name, each)
})

/** A committed repository, and a folder for the state that is not there yet. */
async function aRoom(): Promise<{ readonly own: string; readonly dir: string }> {
  const room = realpathSync(mkdtempSync(join(tmpdir(), 'try-')))
  onTestFinished(() => rmSync(room, { recursive: true, force: true, maxRetries: 5 }))
  const [own, dir] = [join(room, 'greeter'), join(room, 'state')]
  mkdirSync(own)
  writeFileSync(join(own, 'greet.py'), '')
  await git(own, 'init', '--quiet')
  await git(own, 'add', '--all')
  await git(own, '-c', 'user.name=Ada', '-c', 'user.email=ada@acme.invalid', 'commit', '--quiet', '--message', 'Start')
  return { own, dir }
}

test('try takes no empty path, which would be the current folder', async () => {
  await expect(tryOwn(['', '--issue', 'x', '--model-provider', 'none'])).rejects.toThrow(/^try takes one PATH/)
})

test('an issue of blanks is refused before anything is written', async () => {
  const { own, dir } = await aRoom()
  const call = tryOwn([own, '--issue', ' \n', '--dir', dir, '--model-provider', 'scripted'])
  await expect(call).rejects.toThrow('the issue is empty')
  expect(existsSync(dir)).toBe(false)
})

test('a repository whose tests fail is refused, and nothing of its copy is left', async () => {
  const { own, dir } = await aRoom()
  const asked = [own, '--issue', 'x', '--dir', dir, '--model-provider', 'scripted', '--test-command', 'exit 1']
  await said(() => expect(tryOwn(asked)).rejects.toThrow('the tests fail before any change'))
  expect(existsSync(dir)).toBe(false)
})

test.each(signals)(
  '%s during the first checks is an interrupt, not a failure of the tests: code 1, and nothing is left',
  async (name) => {
    const { own, dir } = await aRoom()
    const begun = join(own, 'begun')
    const command = `touch ${begun}; sleep 100`
    const asked = [own, '--issue', 'x', '--dir', dir, '--model-provider', 'scripted', '--test-command', command]
    const timer = setInterval(() => {
      if (!existsSync(begun)) return
      clearInterval(timer)
      process.emit(name, name)
    }, 20)
    const { out } = await said(async () => expect(await tryOwn(asked)).toBe(1))
    expect(out.split('\n').at(-1)).toBe('interrupted before the issue was opened: nothing is left of it')
    expect(existsSync(dir)).toBe(false)
  },
)
