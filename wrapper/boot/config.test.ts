import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { askedVariables, unlisted } from '../testing/asked-variables.ts'
import { ConfigError, loadConfig, type Config } from './config.ts'
import { readOtherVersion } from './other-version.ts'

const contract = readFileSync(new URL('../../docs/contract/wrapper.md', import.meta.url), 'utf8')

const sound = {
  HOME: '/home/agent',
  OIDC_ISSUER: 'https://id.example',
  OIDC_AUDIENCE: 'wrapper',
  PLATFORM_TASK: 'default/implement-lib-1-x7k2p',
  PLATFORM_PROJECT: 'demo',
  PLATFORM_CONTRACT_VERSION: '4',
  MODEL_PROVIDER_API_KEY: 'key',
}
const load = (env: Record<string, string>): Config => loadConfig({ ...sound, ...env }, () => 'from-file\n')

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    load(env)
    return []
  } catch (error) {
    return (error as ConfigError).faults
  }
}

describe('configuration', () => {
  test('stands in the contract, each variable by its name', () => {
    const itsMachine = ['HOME', 'PATH', 'LANG']
    const asked = askedVariables((env) => loadConfig(env, () => '')).filter((name) => !itsMachine.includes(name))
    expect(asked.length).toBeGreaterThan(30)
    expect(unlisted(asked, contract)).toEqual([])
  })

  test('has the defaults of the contract (WRAPPER-ENV-2, WRAPPER-ENV-3, WRAPPER-ENV-6, WRAPPER-ENV-9, WRAPPER-ENV-10, WRAPPER-ENV-11, WRAPPER-ENV-12, WRAPPER-ENV-14, POD-ENV-10, POD-ENV-16, WRAPPER-BOOT-2, WRAPPER-MCP-1)', () => {
    expect(load({})).toMatchObject({
      http: { host: '0.0.0.0', port: 8080 },
      internal: { host: '127.0.0.1', port: 8090 },
      permissionMode: 'bypassPermissions',
      turnTimeoutMs: 1_800_000,
      bootTimeoutMs: 60_000,
      ttlMs: 3_600_000,
      gitLimitMs: 600_000,
      mostCheckoutBytes: 4 * 1024 ** 3,
      pushIntervalMs: 120_000,
      statuslinePath: '/usr/local/bin/cc-statusline',
      workspaceDir: '/workspace',
      taskBranch: 'platform/implement-lib-1-x7k2p',
      configDir: '/etc/wrapper',
    })
  })

  test('PROJECT-SCM-7, POD-ENV-13: commits carry botEmail, and the wrapper’s own address where it is absent or empty (PROJECT-SCM-7)', () => {
    const emailOf = (env: Record<string, string>): string => load(env).bot.email
    expect(emailOf({ BOT_EMAIL: 'bot@acme.invalid' })).toBe('bot@acme.invalid')
    expect(emailOf({ BOT_EMAIL: '' })).toBe(emailOf({}))
    expect(emailOf({})).toMatch(/^\S+@\S+$/)
  })

  test('names every fault at once (WRAPPER-ENV-1, WRAPPER-ENV-3, WRAPPER-ENV-4, WRAPPER-ENV-13)', () => {
    const faults = faultsOf({
      OIDC_ISSUER: '',
      HTTP_ADDR: 'nowhere',
      INTERNAL_ADDR: '0.0.0.0:1',
      TURN_TIMEOUT_SECONDS: '1.5',
      EFFORT: 'huge',
      PLATFORM_POD: '-1',
      CALLBACK_URL: 'ftp://x',
      PLATFORM_CONTRACT_VERSION: 'four',
      MODEL_PROVIDER_API_KEY: '',
      REPOS: '[{"name":"../x"}]',
    })
    for (const name of [
      'OIDC_ISSUER',
      'HTTP_ADDR',
      'INTERNAL_ADDR',
      'TURN_TIMEOUT_SECONDS',
      'EFFORT',
      'PLATFORM_POD',
      'CALLBACK_URL',
      'PLATFORM_CONTRACT_VERSION',
      'MODEL_PROVIDER_API_KEY',
      'REPOS',
    ]) {
      expect(faults.join('\n')).toContain(name)
    }
  })

  test.each([
    ['', 'PLATFORM_CONTRACT_VERSION is required'],
    ['four', 'PLATFORM_CONTRACT_VERSION must be an integer of at least 0'],
  ])('a pod of contract version %j does not start, and says why (TOOL-VERSION-4)', (given, fault) => {
    expect(faultsOf({ PLATFORM_CONTRACT_VERSION: given })).toEqual([fault])
    expect(readOtherVersion({ ...sound, PLATFORM_CONTRACT_VERSION: given }, () => '')).toBeUndefined()
  })

  test.each([
    ['3', { asked: 3 }],
    ['5', { asked: 5 }],
    ['4', undefined],
  ])('a wrapper that is asked for contract version %j knows whether it is another one', (given, other) => {
    const read = readOtherVersion({ ...sound, PLATFORM_CONTRACT_VERSION: given }, () => '')
    if (other === undefined) return expect(read).toBeUndefined()
    expect(read).toMatchObject({ ...other, issuer: sound.OIDC_ISSUER, stateDir: '/home/agent/.wrapper' })
    expect(() => readOtherVersion({ PLATFORM_CONTRACT_VERSION: given }, () => '')).toThrow(ConfigError)
  })

  test('TOOL-VERSION-1: the contract version is 4 (TOOL-VERSION-1, VERSIONING-2)', () => {
    expect(contractVersion).toBe(4)
  })

  test('takes a secret from its file before its variable', () => {
    expect(load({ MODEL_PROVIDER_API_KEY_FILE: '/x', PLATFORM_POD_TOKEN_FILE: '/y' }).secrets).toMatchObject({
      apiKey: 'from-file',
      podToken: 'from-file',
    })
  })

  test.each(['acceptEdits', 'auto', 'manual', 'plan', 'default'])(
    'refuses the permission mode %s, in which a turn that calls a tool waits for a person (WRAPPER-ENV-6, WRAPPER-ENV-7)',
    (mode) => {
      expect(faultsOf({ PERMISSION_MODE: mode })).toEqual(['PERMISSION_MODE must be one of bypassPermissions, dontAsk'])
    },
  )

  test('has no secret of the callbacks unless one is given (WRAPPER-ENV-16)', () => {
    const secretOf = (env: Record<string, string>): string | undefined => load(env).secrets.callbackSecret
    expect([secretOf({}), secretOf({ CALLBACK_HMAC_SECRET: '' })]).toEqual([undefined, undefined])
    expect(secretOf({ CALLBACK_HMAC_SECRET: 'given' })).toBe('given')
    expect(secretOf({ CALLBACK_HMAC_SECRET_FILE: '/secret' })).toBe('from-file')
  })

  test('lets REPOS win over the same REPO_URL and refuses a different one (WRAPPER-ENV-8, POD-ENV-8, WRAPPER-RULE-2)', () => {
    const repos = JSON.stringify([{ name: 'lib', url: 'http://g/lib.git', base: 'main' }])
    expect(load({ REPOS: repos, REPO_URL: 'http://g/lib.git', REPO_BRANCH: 'main' }).repositories).toHaveLength(1)
    expect(faultsOf({ REPOS: repos, REPO_URL: 'http://g/other.git' }).join()).toContain('differ')
    expect(load({ REPO_URL: 'http://g/lib.git' }).repositories).toMatchObject([{ name: 'lib', base: '' }])
  })

  test.each([['http://user:word@g/lib.git'], ['ext::sh -c id'], ['--upload-pack=x']])(
    'refuses the repository address %s',
    (url) => {
      expect(faultsOf({ REPOS: JSON.stringify([{ name: 'lib', url }]) })).toHaveLength(1)
    },
  )

  test('asks for client credentials where there is a memory service (POD-ENV-15)', () => {
    expect(faultsOf({ PLATFORM_MEMORY_URL: 'http://memory' }).join()).toContain('MEMORY_AUDIENCE')
  })
})
