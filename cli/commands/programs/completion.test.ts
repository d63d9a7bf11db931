import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { run } from '../../main.ts'
import { said } from '../testing/fixture.ts'

async function script(shell: string): Promise<string> {
  return (await said(() => run(['completion', shell]))).out
}

test('bash completes commands, and kinds where a command takes one', async () => {
  const made = await script('bash')
  const completed = (...words: readonly string[]): readonly string[] => {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
    const shell = `${made}\n${line}; _statewright; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['--norc', '-c', shell], { encoding: 'utf8' }).trim().split('\n')
  }
  expect(completed('statewright', 'des')).toEqual(['describe'])
  expect(completed('statewright', 'get', 'ta')).toEqual(['tasks'])
  expect(completed('statewright', 'why', 'ta')).toEqual([''])
})

test.each(['zsh', 'fish'])('%s gets every command, and reads its script where it is installed', async (shell) => {
  const [made, { out: overview }] = [await script(shell), await said(() => run(['--help']))]
  for (const [, name = ''] of overview.matchAll(/^ {2}(\S+) {2,}\S/gm)) expect(made).toContain(name)
  const { error, status } = spawnSync(shell, ['-n'], { input: made })
  if (error === undefined) expect(status).toBe(0)
})

test('another shell is called wrongly', async () => {
  await said(async () => expect(await run(['completion', 'csh'])).toBe(2))
})
