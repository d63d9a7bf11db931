import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findByVariable } from '../../edges/local/processes.ts'
import { defaultScenarioFile, loadScenario } from '../../standins/scenarios/load.ts'
import { programDir } from '../main.ts'
import { startStack } from './stack.ts'

/** Ends by itself, in less time than a command that failed is given before it is ended. */
const endMs = 9_000

async function demo(...args: readonly string[]): Promise<{ readonly code: unknown; readonly said: string }> {
  const child = spawn(process.execPath, [join(programDir, 'bin', 'statewright.mjs'), 'demo', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  const failed = Promise.withResolvers<number>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (text.includes('statewright:')) failed.resolve(performance.now())
  })
  const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })) as [number | null]
  expect(performance.now() - (await failed.promise)).toBeLessThan(endMs)
  return { code, said }
}

function aFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'stack-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

test('a repository that is not there is named before anything is opened or written, and the command ends', async () => {
  const dir = join(aFolder(), 'state')
  const { code, said } = await demo('--dir', dir, '--repo', '/not/there')
  expect(code).toBe(1)
  expect(said).toContain('there is no folder /not/there: give a git repository with --repo PATH')
  expect(existsSync(dir)).toBe(false)
}, 90_000)

test('of a start that fails behind its forge, the forge is closed and the command ends', async () => {
  const dir = aFolder()
  mkdirSync(join(dir, 'identity-key.json'))
  const { code, said } = await demo('--dir', dir)
  expect(code).toBe(1)
  expect(said).toContain('EISDIR')
}, 90_000)

test('of a start that fails after its programs run, nothing is left running', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'stack-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  // What cannot be written, as on a disk that filled up meanwhile.
  mkdirSync(join(dir, 'endpoints.json.new'))
  const started = startStack({
    dir,
    scenario: await loadScenario(defaultScenarioFile),
    port: 0,
    model: { provider: 'scripted' },
    unsafeNoIsolation: false,
    onLine: () => undefined,
  })
  await expect(started).rejects.toThrow('EISDIR')
  expect(readFileSync(join(dir, 'orchestrator.log'), 'utf8')).toContain('"msg":"ready"')
  expect(findByVariable('STATE_DIR', join(dir, 'state'))).toBeUndefined()
}, 120_000)
