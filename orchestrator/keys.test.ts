import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { loadKeys } from './keys.ts'

let stateDir: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  stateDir = join(folder, 'state')
})

const names = ['callback', 'session', 'signing.pem']
const secretsOf = async (settings: Parameters<typeof loadKeys>[0]): Promise<readonly string[]> => {
  const { callbackMaster, sessionKey } = await loadKeys(settings)
  return [callbackMaster, sessionKey]
}

test('keys are made at the first start, for their owner alone, and stay', async () => {
  const first = await secretsOf({ stateDir, keysDir: '' })
  expect(await secretsOf({ stateDir, keysDir: '' })).toEqual(first)
  expect(new Set(first).size).toBe(2)
  const folder = join(stateDir, 'keys')
  expect(readdirSync(folder).toSorted()).toEqual(names)
  for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
})

test('KEYS_DIR: two processes with states of their own have the same keys, and make none (ORCHESTRATOR-SETTINGS-18)', async () => {
  const made = await secretsOf({ stateDir, keysDir: '' })
  const keysDir = join(stateDir, '..', 'mounted')
  cpSync(join(stateDir, 'keys'), keysDir, { recursive: true })
  for (const other of ['one', 'two']) {
    const own = join(stateDir, '..', other)
    expect(await secretsOf({ stateDir: own, keysDir })).toEqual(made)
    expect(existsSync(join(own, 'keys'))).toBe(false)
  }
})

test('KEYS_DIR: every file that is missing or empty is named at once, and none is made (ORCHESTRATOR-SETTINGS-18)', async () => {
  const keysDir = join(stateDir, '..', 'mounted')
  mkdirSync(keysDir)
  writeFileSync(join(keysDir, 'session'), ' ')
  const fault = await loadKeys({ stateDir, keysDir }).catch((error: Error) => error.message)
  expect(fault).toMatch(/^KEYS_DIR needs the files signing\.pem, callback, session/)
  expect(fault).toMatch(/ENOENT.*signing\.pem[^]*ENOENT.*callback[^]*session is empty/)
  expect(readdirSync(keysDir)).toEqual(['session'])
})
