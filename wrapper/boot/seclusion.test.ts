import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Config } from './config.ts'
import { detectSeclusion, secluded, type Seclusion } from './seclusion.ts'

const path = '/usr/sbin:/usr/bin:/sbin:/bin'
const isRoot = process.getuid?.() === 0
const folders: string[] = []
afterEach(() => folders.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })))

/** A state folder with a file in it, and beside it the agent's own. */
function world(): Config & { readonly witness: string } {
  const dir = mkdtempSync(join(tmpdir(), 'seclusion-'))
  folders.push(dir)
  const at = (name: string): string => join(dir, name)
  for (const name of ['state', 'workspace', 'home']) mkdirSync(at(name))
  const witness = join(at('state'), 'turns.jsonl')
  writeFileSync(witness, 'the turns\n')
  const dirs = { stateDir: at('state'), workspaceDir: at('workspace'), home: at('home') }
  return { seclusion: 'auto', path, witness, ...dirs } as unknown as Config & { readonly witness: string }
}

function inside(how: Seclusion, stateDir: string, script: string): { readonly status: number | null; said: string } {
  const [file, ...args] = secluded(how, stateDir, ['/bin/sh', '-c', script])
  const { status, stdout, stderr } = spawnSync(file!, args, { env: { PATH: path }, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}`.trim() }
}

/** Each that this machine grants. */
async function granted(): Promise<readonly Seclusion[]> {
  const config = world()
  const asked = async (asRoot: boolean): Promise<Seclusion> => detectSeclusion(config, asRoot, config.witness)
  return [...new Set([await asked(false), await asked(isRoot)])].filter((how) => how !== 'none')
}

const ways = await granted()
const refusal = ways.length === 0 ? ' (skipped: this machine refuses mount and process namespaces)' : ''

const secret = 'a-canary-of-the-wrapper'

/** What an agent that goes for the wrapper gets, and what becomes of the wrapper's file. */
function attempt(how: Seclusion): { readonly said: string; readonly left: string } {
  const { stateDir, witness } = world()
  const wrapper = spawn('/bin/sleep', ['300'], { env: { SECRET: secret }, stdio: 'ignore' })
  onTestFinished(() => void wrapper.kill('SIGKILL'))
  const { said } = inside(
    how,
    stateDir,
    `cat /proc/${wrapper.pid}/environ 2>/dev/null | tr '\\0' '\\n'
    kill -0 ${wrapper.pid} 2>/dev/null && echo reached
    cat ${witness} 2>/dev/null; echo forged >> ${witness}; echo end`,
  )
  return { said, left: readFileSync(witness, 'utf8') }
}

/** Node, as the CLI, takes in only what it started itself: somebody else has to, or what ended stays in the list for ever. */
const leaveOneBehind = `
  const { existsSync } = require('node:fs')
  const { spawnSync } = require('node:child_process')
  const { stdout } = spawnSync('/bin/sh', ['-c', 'sleep 0.1 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8' })
  const end = Date.now() + 20_000
  const look = () => {
    const isLeft = existsSync('/proc/' + stdout.trim())
    if (isLeft && Date.now() < end) setTimeout(look, 20)
    else process.stdout.write(isLeft ? 'one left' : 'all gone')
  }
  look()`

describe.skipIf(ways.length === 0)(`an agent in namespaces of its own${refusal}`, () => {
  test.each(ways)(
    'reads nothing out of the processes of its user, signals none of them and changes no state of the wrapper: %s',
    (how) => expect(attempt(how)).toEqual({ said: 'end', left: 'the turns\n' }),
  )

  test('without them does all of it', () => {
    const said = `SECRET=${secret}\nreached\nthe turns\nend`
    expect(attempt('none')).toEqual({ said, left: 'the turns\nforged\n' })
  })

  test.each(ways)('cannot take the cover away nor get into another namespace: %s', (how) => {
    const { stateDir, witness } = world()
    const attempts = [
      `umount ${stateDir}`,
      `umount -l /proc`,
      `unshare --user --map-root-user --mount umount ${stateDir}`,
      `nsenter --target ${process.pid} --mount cat ${witness}`,
      `cat ${witness}`,
    ]
    expect(inside(how, stateDir, attempts.join('; ')).said).not.toContain('the turns')
  })

  test.each(ways)('works in its folders as the user that it was, and ends with its own exit code: %s', (how) => {
    const { stateDir, workspaceDir } = world()
    const { status, said } = inside(how, stateDir, `id -u; echo work > ${workspaceDir}/file; exit 7`)
    expect({ status, said }).toEqual({ status: 7, said: String(process.getuid?.()) })
    expect(readFileSync(join(workspaceDir, 'file'), 'utf8')).toBe('work\n')
  })

  test.each(ways)('leaves no dead process behind of what it started and did not wait for: %s', (how) => {
    const { stateDir } = world()
    const [file, ...args] = secluded(how, stateDir, [process.execPath, '--eval', leaveOneBehind])
    const { stdout, stderr } = spawnSync(file!, args, { env: { PATH: path }, encoding: 'utf8' })
    expect(stdout + stderr).toBe('all gone')
  })
})

test('where the cover would take the agent’s own folders away, or no namespace is granted, it is not promised', async () => {
  const config = world()
  const none = (change: Partial<Config>): Promise<Seclusion> =>
    detectSeclusion({ ...config, ...change }, isRoot, config.witness)
  expect(await none({ seclusion: 'none' })).toBe('none')
  expect(await none({ workspaceDir: join(config.stateDir, 'workspace') })).toBe('none')
  expect(await none({ home: config.stateDir })).toBe('none')
  expect(await none({ path: '/nowhere' })).toBe('none')
  expect(existsSync(config.witness)).toBe(true)
})
