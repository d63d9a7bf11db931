import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { openWorld, type PodWorld } from '../testing/pod.ts'

const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
const mounts = ['unshare', ...user, '--mount', '/bin/sh', '-c']
/** Binds the first argument over itself, read-only, and runs the others. */
const readOnly = 'mount -n --bind "$1" "$1" && mount -n -o remount,bind,ro "$1" && shift && exec "$@"'
const writable = 'mount -n --bind "$1" "$1" && shift && exec "$@"'
const refused = spawnSync(mounts[0]!, [...mounts.slice(1), readOnly, 'sh', import.meta.dirname, 'true']).status !== 0
const reason = refused ? ' (skipped: this machine lets us mount nothing in a namespace)' : ''

function secretIn(name = 'token'): { readonly folder: string; readonly path: string } {
  const folder = join(mkdtempSync(join(tmpdir(), 'secret-file-')), 'volume')
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }))
  mkdirSync(folder)
  const path = join(folder, name)
  writeFileSync(path, 'hidden-text\n', { mode: 0o600 })
  return { folder, path }
}

/** Modes of files stop every user but root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}

function isReadableBy(who: { readonly uid?: number }): boolean {
  const look = `require('node:fs').accessSync(${JSON.stringify(import.meta.filename)})`
  return spawnSync(process.execPath, ['--eval', look], { cwd: '/', stdio: 'ignore', ...who }).status === 0
}

/** What a process read from the file, or the code of its failure, and what it logged. */
interface Taken {
  readonly text?: string
  readonly code?: string
  readonly lines: readonly string[]
}

const program = `
  import { secretFileReader } from ${JSON.stringify(new URL('./secret-file.ts', import.meta.url).href)}
  import { rememberingLogger } from ${JSON.stringify(new URL('../testing/quiet-log.ts', import.meta.url).href)}
  const { logger, lines } = rememberingLogger()
  let taken
  try { taken = { text: secretFileReader(logger)(process.argv[1]) } } catch ({ code }) { taken = { code } }
  console.log(JSON.stringify({ ...taken, lines }))`

function takenBy(command: readonly string[], path: string, who: { readonly uid?: number } = {}): Taken {
  const [file = '', ...args] = [...command, process.execPath, '--input-type=module', '--eval', program, path]
  const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', timeout: 60_000, cwd: '/', ...who })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Taken
}

const inside = (script: string, place: string): readonly string[] => [...mounts, script, 'sh', place]

test('a secret file is read and removed, and the log says nothing of it (SECURITY-RULE-1)', () => {
  const { path } = secretIn()
  expect(takenBy([], path)).toEqual({ text: 'hidden-text\n', lines: [] })
  expect(existsSync(path)).toBe(false)
})

test.skipIf(!isReadableBy(nobody))(
  'a folder that refuses this user alone is a fault: its secret would stay on an ordinary disk (SECURITY-RULE-1)',
  () => {
    const { folder, path } = secretIn()
    chmodSync(join(folder, '..'), 0o755)
    chmodSync(path, 0o644)
    chmodSync(folder, 0o555)
    const taken = takenBy([], path, nobody)
    chmodSync(folder, 0o755)
    expect(taken).toEqual({ code: 'EACCES', lines: [] })
  },
)

describe.skipIf(refused)(`a secret file that cannot be removed${reason}`, () => {
  test('is read from a read-only volume and stays there, and the log says so without its content (POD-ENV-4)', () => {
    const { folder, path } = secretIn()
    const { text, lines } = takenBy(inside(readOnly, folder), path)
    expect(text).toBe('hidden-text\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 40, path, code: 'EROFS' }])
    expect(lines.join('')).not.toContain('hidden-text')
    expect(existsSync(path)).toBe(true)
  })

  test('is read where the file alone is a read-only mount (POD-ENV-4)', () => {
    const { path } = secretIn()
    const { text, lines } = takenBy(inside(readOnly, path), path)
    expect(text).toBe('hidden-text\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: 40, path, code: 'EBUSY' }])
  })

  test('is a fault where its volume takes writes', () => {
    const { path } = secretIn()
    expect(takenBy(inside(writable, path), path)).toEqual({ code: 'EBUSY', lines: [] })
  })
})

describeRequiring('claude', `a pod whose secrets are a read-only volume${reason}`, () => {
  let world: PodWorld | undefined
  afterEach(() => world?.close())

  test.skipIf(refused)('boots, and its agent works (POD-ENV-4, WRAPPER-ENV-13)', async () => {
    const { folder, path } = secretIn('model-key')
    const start = join(import.meta.dirname, '..', 'testing', 'run-wrapper.ts')
    const decide = (): { kind: 'say'; text: string } => ({ kind: 'say', text: 'done' })
    world = await openWorld({ decide, program: [...inside(readOnly, folder), process.execPath, start] })
    const pod = await world.start({ MODEL_PROVIDER_API_KEY_FILE: path })
    expect(await pod.turn('Begin.')).toMatchObject({ state: 'completed' })
    expect(existsSync(path)).toBe(true)
  })
})
