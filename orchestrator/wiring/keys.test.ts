import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

/** As a kubelet does: files that only root and a group read, links of links, and a change by one rename. */
function mountSecret(dir: string, version: string, data: Readonly<Record<string, string>>): void {
  const versioned = `..${version}`
  mkdirSync(join(dir, versioned), { recursive: true })
  for (const [name, content] of Object.entries(data)) {
    writeFileSync(join(dir, versioned, name), content)
    chmodSync(join(dir, versioned, name), 0o440)
    if (!existsSync(join(dir, name))) symlinkSync(join('..data', name), join(dir, name))
  }
  symlinkSync(versioned, join(dir, '..data_tmp'))
  renameSync(join(dir, '..data_tmp'), join(dir, '..data'))
}

async function madeKeys(of: string): Promise<Readonly<Record<string, string>>> {
  const own = join(stateDir, of)
  await loadKeys({ stateDir: own, keysDir: '' })
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(own, 'keys', name), 'utf8')]))
}

test('KEYS_DIR: a mounted Secret gives its keys, and a start after a rotation has all of the new ones (ORCHESTRATOR-SETTINGS-18)', async () => {
  const keysDir = join(stateDir, 'mounted')
  const [old, next] = [await madeKeys('old'), await madeKeys('next')]
  const kidOf = async (): Promise<string> => (await loadKeys({ stateDir, keysDir })).signing.kid
  mountSecret(keysDir, '2026_11_26_1', old)
  const [kid, first] = [await kidOf(), await secretsOf({ stateDir, keysDir })]
  expect(first).toEqual([old['callback'], old['session']])
  mountSecret(keysDir, '2026_11_26_2', next)
  expect(await secretsOf({ stateDir, keysDir })).toEqual([next['callback'], next['session']])
  expect(await kidOf()).not.toBe(kid)
})

test('KEYS_DIR: a newline at the end, which editors and openssl leave, makes no other key (ORCHESTRATOR-SETTINGS-18)', async () => {
  const keysDir = join(stateDir, 'mounted')
  const made = await madeKeys('made')
  const edited = Object.fromEntries(Object.entries(made).map(([name, content]) => [name, `${content}\n`]))
  mountSecret(keysDir, 'edited', edited)
  expect(await secretsOf({ stateDir, keysDir })).toEqual([made['callback'], made['session']])
})

test('KEYS_DIR: a signing key that is none, as base64 of a key is none, is named with its file (ORCHESTRATOR-SETTINGS-18)', async () => {
  const keysDir = join(stateDir, 'mounted')
  const made = await madeKeys('made')
  mountSecret(keysDir, 'twice', { ...made, 'signing.pem': Buffer.from(made['signing.pem']!).toString('base64') })
  await expect(loadKeys({ stateDir, keysDir })).rejects.toThrow(
    `${join(keysDir, 'signing.pem')} is no Ed25519 private key in PEM`,
  )
})
