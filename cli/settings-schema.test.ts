import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { orchestratorEnv, type StackOptions } from './local/stack.ts'
import { readSettings } from '../orchestrator/settings/settings.ts'
import { settingSchemas, type SettingName, type SettingSchema } from '../orchestrator/settings/settings-schema.ts'

const needed = {
  STATE_DIR: '/srv/state',
  COVERED_DIR: '/srv',
  DATABASE_URL: 'postgres://127.0.0.1/platform',
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_AUDIENCE: 'urn:operator',
  WRAPPER_AUDIENCE: 'urn:wrapper',
  OIDC_CLIENT_ID: 'orchestrator',
  OIDC_CLIENT_SECRET: 'client-secret',
  MODEL_PROVIDER_API_KEY: 'model-key',
  MEMORY_AUDIENCE: 'urn:memory',
  INSPECTOR_CLIENT_ID: 'inspector',
  INSPECTOR_CLIENT_SECRET: 'inspector-secret',
  MEMORY_CLIENT_ID: 'pods',
  MEMORY_CLIENT_SECRET: 'memory-secret',
}

const own: Partial<Record<SettingName, string>> = {
  STATE_DIR: '/srv/other',
  COVERED_DIR: '/srv/state',
  AGENT_MODEL: 'claude-x',
  AGENT_MODEL_BY_KIND: '{"review":"claude-x"}',
  AGENT_CLI: '["claude"]',
  MEMORY_URLS: '{"demo":"http://127.0.0.1:8081"}',
  MEMORY_PUBLIC_URLS: '{"demo":"https://memory.invalid"}',
  MEMORY_STACKS: '{"image":"memory:1"}',
  LOCAL_MEMORY_PORT: '8081',
  SKILLS_REPO_URL: 'https://skills.invalid/a.git',
  POD_ISOLATION: 'none',
  ROLE_CLAIM: 'groups',
  INSPECTOR_SCOPE: 'openid groups',
  ROLES: '{"admin":["platform"]}',
  AGENT_RUN_AS_USER: '1000',
  AGENT_FS_GROUP: '1000',
  AGENT_RESOURCES: '{"limits":{"memory":"4Gi"}}',
}

const asked = { ROLE_CLAIM: 'roles', ROLES: '{"viewer":["staff"]}' }
/** What a value asks for besides. */
const besides: Partial<Record<SettingName, object>> = {
  PLACE: { LOCAL_PODS: 'on' },
  MEMORY_PUBLIC_URLS: { MEMORY_URLS: '{"demo":"http://127.0.0.1:8081"}' },
  ROLE_CLAIM: asked,
  ROLES: asked,
}

/** A value that is allowed and not the default. */
function sampleOf(name: SettingName, schema: SettingSchema): string {
  const word = schema.anyOf?.find((option) => option.const !== schema.default)?.const
  const byReading = {
    url: 'https://a.invalid',
    issuer: 'https://a.invalid',
    address: '127.0.0.1:9',
    timeZone: 'Europe/Berlin',
  }
  if (schema.reads !== undefined && schema.reads in byReading) return byReading[schema.reads as keyof typeof byReading]
  if (own[name] !== undefined) return own[name]
  if (schema.type === 'integer') return String(Number(schema.default) - 1)
  return word ?? (schema.reads === 'list' ? 'RS512' : 'another')
}

describe('a setting of the orchestrator', () => {
  test.each(settingSchemas.filter(([, { reads }]) => reads !== 'library'))(
    '%s can be set (ORCHESTRATOR-SETTINGS-6, ORCHESTRATOR-SETTINGS-9, ORCHESTRATOR-SETTINGS-10, ORCHESTRATOR-SETTINGS-14)',
    (name, schema) => {
      const env = { ...needed, ...besides[name] }
      const set = readSettings({ ...env, [name]: sampleOf(name, schema) }, '/program/claude')
      expect(set).not.toEqual(readSettings(env, '/program/claude'))
    },
  )

  test.each(settingSchemas)('%s has a meaning, and a default that its own reading takes', (name, schema) => {
    expect(schema.description).toMatch(/\.$/)
    const { default: fallback } = schema
    if (fallback === undefined || fallback === '' || (Array.isArray(fallback) && fallback.length === 0)) return
    const text =
      typeof fallback !== 'object'
        ? String(fallback)
        : Array.isArray(fallback)
          ? fallback.join(',')
          : JSON.stringify(fallback)
    expect(() => readSettings({ ...needed, [name]: text, COVERED_DIR: '' }, '/program/claude')).not.toThrow()
  })
})

describe('statewright up', () => {
  function environment(model: StackOptions['model'] = { provider: 'anthropic', key: 'k', oauth: false }) {
    const dir = mkdtempSync(join(tmpdir(), 'statewright-up-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const [name, schema] of settingSchemas) vi.stubEnv(name, sampleOf(name, schema))
    const options = { dir, model, unsafeNoIsolation: false, memory: false } as unknown as StackOptions
    return orchestratorEnv(options, {
      ports: { http: 1, memory: 2, internal: 3 },
      identity: { issuer: 'http://127.0.0.1:4' },
      model: model.provider === 'scripted' ? { url: 'http://127.0.0.1:5' } : undefined,
      secrets: { operator: 'o', model: 'm', memory: 'y' },
      databaseUrl: undefined,
    })
  }

  test.each(settingSchemas)(
    'passes %s on where it is an operator’s, and never what it decides itself (ORCHESTRATOR-SETTINGS-16)',
    (name, schema) => {
      const planted = sampleOf(name, schema)
      if (schema.of === 'operator') expect(environment()[name]).toBe(planted)
      else expect(environment()[name]).not.toBe(planted)
    },
  )

  test('keeps a scripted model where it serves it, whatever the environment names (ORCHESTRATOR-SETTINGS-16)', () => {
    expect(environment({ provider: 'scripted' })['MODEL_BASE_URL']).toBe('http://127.0.0.1:5')
  })

  test('starts an orchestrator that takes what it passes on', () => {
    expect(readSettings(environment(), '/program/claude')).toMatchObject({
      standingComments: false,
      mostWaitingAlerts: 99,
      retention: { days: 89 },
      publicUrl: 'https://a.invalid',
      cronTimeZone: 'Europe/Berlin',
      models: { model: 'claude-x', byKind: { review: 'claude-x' } },
    })
  })
})
