import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { PodTokens } from '../edges/agents/pod-tokens.ts'
import type { ProjectDirectory, ProjectSettings } from '../edges/forge/projects.ts'
import { PodFolder } from '../edges/local/pod-folder.ts'
import type { PodSpec } from '../edges/ports/pods.ts'
import { callbackSecret } from '../edges/pods/inbound.ts'
import { checkManifest } from '../crd/validate.ts'
import { loadConfig } from '../wrapper/boot/config.ts'
import { podEnvironment } from './pod-environment.ts'
import { readSettings } from './settings.ts'

const spec: PodSpec = {
  pod: 'default/implement-a-1/2',
  task: 'default/implement-a-1',
  ordinal: 2,
  project: 'default/demo',
  agentKind: 'implement',
  model: 'claude-opus-5-5',
  effort: 'high',
  permissionMode: 'dontAsk',
  turnTimeoutSeconds: 60,
  agentPodTTLSeconds: 600,
  repositories: [{ name: 'a', base: 'main', branch: 'platform/implement-a-1' }],
}

const secrets = {
  OIDC_CLIENT_SECRET: 'orchestrator-secret',
  MODEL_PROVIDER_API_KEY: 'model-key',
  AGENT_RUNTIME_OAUTH_TOKEN: 'oauth-token',
}

async function environmentOf(
  change: Readonly<Record<string, string>> = {},
  traceparent?: string,
  agent: ProjectSettings['agent'] = {},
): Promise<{ readonly env: Record<string, string>; readonly folder: PodFolder; readonly minted: unknown[] }> {
  const root = mkdtempSync(join(tmpdir(), 'statewright-pod-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = new PodFolder(root, spec.pod)
  folder.create()
  const minted: unknown[] = []
  const identity = {
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_AUDIENCE: 'urn:operator',
    WRAPPER_AUDIENCE: 'urn:wrapper',
    OIDC_CLIENT_ID: 'orchestrator',
  }
  const mint: PodTokens['mint'] = async (claims) => {
    minted.push(claims)
    return 'pod-token'
  }
  const project: ProjectDirectory['project'] = async (name) =>
    ({
      name,
      uid: 'uid-of-demo',
      scm: { botLogin: 'bot', botEmail: 'bot@acme.invalid' },
      taskConfig: { tokensPerTurn: 9000 },
      agent,
    }) as Awaited<ReturnType<ProjectDirectory['project']>>
  const env = await podEnvironment({
    settings: readSettings({ ...identity, ...secrets, ...change }, '/program/claude'),
    directory: { project } as ProjectDirectory,
    tokens: { mint } as PodTokens,
    callbackMaster: 'master',
    programDir: '/program',
    urls: () => ({ operator: 'http://127.0.0.1:8080', internal: 'http://127.0.0.1:8082' }),
    traceparent: () => traceparent,
  })(spec, folder)
  return { env, folder, minted }
}

test('the wrapper of a pod knows its Task, its place and its repositories through the gateway (GATING-1, TOOL-VERSION-2, PROJECT-AGENT-3, PROJECT-AGENT-9, PROJECT-SCM-7, VERSIONING-4, WRAPPER-ENV-5, POD-ENV-1, POD-ENV-2, POD-ENV-6, POD-ENV-7)', async () => {
  const { env, minted } = await environmentOf()
  expect(env).toMatchObject({
    PLATFORM_TASK: 'default/implement-a-1',
    PLATFORM_PROJECT: 'default/demo',
    PLATFORM_POD: '2',
    PLATFORM_TOOL_PROFILE: 'implement',
    PLATFORM_CONTRACT_VERSION: '4',
    PLATFORM_OPERATOR_URL: 'http://127.0.0.1:8080',
    CALLBACK_URL: 'http://127.0.0.1:8082/internal/turn-complete',
    OIDC_AUDIENCE: 'urn:wrapper',
    MODEL: 'claude-opus-5-5',
    EFFORT: 'high',
    PERMISSION_MODE: 'dontAsk',
    TURN_TIMEOUT_SECONDS: '60',
    AGENT_POD_TTL_SECONDS: '600',
    BOT_LOGIN: 'bot',
    BOT_EMAIL: 'bot@acme.invalid',
  })
  expect(JSON.parse(env['REPOS'] ?? '')).toEqual([
    { name: 'a', base: 'main', branch: 'platform/implement-a-1', sha: '', url: 'http://127.0.0.1:8080/git/demo/a.git' },
  ])
  expect(minted).toEqual([
    {
      project: 'default/demo',
      projectUid: 'uid-of-demo',
      task: 'default/implement-a-1',
      pod: 2,
      agentKind: 'implement',
    },
  ])
})

test('a permission mode that `apply` takes is one with which a wrapper starts, and the other way round (WRAPPER-ENV-7)', () => {
  const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }
  const isApplied = (permissionMode: string): boolean => {
    const project = { scmSecretRef: 'forge', scm, agent: { permissionMode } }
    const manifest = { apiVersion: 'platform.dev/v1alpha1', kind: 'Project', metadata: { name: 'demo' }, spec: project }
    return checkManifest(manifest).faults.length === 0
  }
  const starts = (PERMISSION_MODE: string): boolean => {
    const pod = {
      PLATFORM_TASK: 't',
      PLATFORM_PROJECT: 'p',
      PLATFORM_CONTRACT_VERSION: '4',
      MODEL_PROVIDER_API_KEY: 'k',
    }
    const env = { ...pod, OIDC_ISSUER: 'https://id.invalid', OIDC_AUDIENCE: 'wrapper', PERMISSION_MODE }
    try {
      return loadConfig(env, () => '').permissionMode === PERMISSION_MODE
    } catch {
      return false
    }
  }
  const modes = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'manual', 'plan']
  expect(modes.filter(isApplied)).toEqual(['bypassPermissions', 'dontAsk'])
  expect(modes.filter(starts)).toEqual(['bypassPermissions', 'dontAsk'])
})

test('the repository of skills is told to every wrapper where it is set, and to none else (ORCHESTRATOR-SETTINGS-9, POD-ENV-11)', async () => {
  const SKILLS_REPO_URL = 'https://skills.invalid/acme.git'
  expect((await environmentOf({ SKILLS_REPO_URL })).env).toMatchObject({ SKILLS_REPO_URL })
  expect((await environmentOf()).env).not.toHaveProperty('SKILLS_REPO_URL')
})

test('PROJECT-HOOKS-2, PROJECT-MCP-1: the extra MCP servers, hooks and skills ref of the Project are told to its wrapper, and nothing where there are none (PROJECT-HOOKS-2, PROJECT-MCP-1, POD-ENV-12, WRAPPER-ENV-15)', async () => {
  const mcpServers = [{ name: 'wiki', url: 'https://wiki.invalid', type: 'http' as const }]
  const { env } = await environmentOf({}, undefined, {
    mcpServers,
    hooks: { preClone: 'echo $1' },
    skillsRef: 'v1.2.3',
  })
  expect(env).toMatchObject({
    PLATFORM_EXTRA_MCP_SERVERS: '[{"name":"wiki","url":"https://wiki.invalid","type":"http"}]',
    LIFECYCLE_HOOKS: '{"preClone":"echo $1"}',
    SKILLS_REF: 'v1.2.3',
  })
  for (const none of [undefined, { mcpServers: [], hooks: {}, skillsRef: '' }]) {
    const names = Object.keys((await environmentOf({}, undefined, none)).env)
    expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/EXTRA_MCP|HOOKS|SKILLS/)]))
  }
})

test('what the ledger reserves for a turn is its ceiling in the wrapper', async () => {
  expect((await environmentOf()).env['TURN_TOKEN_CEILING']).toBe('9000')
})

test('no secret is in the environment of a process: each is a file that only its owner reads (POD-ENV-3)', async () => {
  const { env, folder } = await environmentOf()
  const files = {
    PLATFORM_POD_TOKEN_FILE: 'pod-token',
    CALLBACK_HMAC_SECRET_FILE: callbackSecret('master', spec.pod),
    MODEL_PROVIDER_API_KEY_FILE: 'model-key',
    AGENT_RUNTIME_OAUTH_TOKEN_FILE: 'oauth-token',
  }
  for (const [name, content] of Object.entries(files)) {
    const path = env[name] ?? ''
    expect(path.startsWith(`${folder.path}/`)).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  }
  const values = Object.values(env)
  for (const secret of ['orchestrator-secret', 'model-key', 'master', ...Object.values(files)])
    expect(values).not.toContain(secret)
})

test('of the two keys of the model a pod is given those that there are', async () => {
  const { env } = await environmentOf({ MODEL_PROVIDER_API_KEY: '', MODEL_BASE_URL: 'http://127.0.0.1:9/' })
  expect(env).not.toHaveProperty('MODEL_PROVIDER_API_KEY_FILE')
  expect(env).toHaveProperty('AGENT_RUNTIME_OAUTH_TOKEN_FILE')
  expect(env['MODEL_BASE_URL']).toBe('http://127.0.0.1:9')
})

test('a pod of a Project with a memory service reaches it by a client of its own, whose secret is in a file (MEMORY-SETTINGS-4, KNOWLEDGE-14, POD-ENV-2, WRAPPER-SECRETS-6)', async () => {
  const { env, folder } = await environmentOf({
    MEMORY_URLS: '{"demo":"http://127.0.0.1:8081"}',
    MEMORY_AUDIENCE: 'urn:memory',
    MEMORY_CLIENT_ID: 'pods',
    MEMORY_CLIENT_SECRET: 'pods-secret',
  })
  expect(env).toMatchObject({
    PLATFORM_MEMORY_URL: 'http://127.0.0.1:8081',
    MEMORY_AUDIENCE: 'urn:memory',
    OIDC_CLIENT_ID: 'pods',
  })
  expect(readFileSync(env['OIDC_CLIENT_SECRET_FILE']!, 'utf8')).toBe('pods-secret')
  expect(JSON.stringify(env)).not.toContain('pods-secret')
  expect(folder.path).not.toBe('')
  expect((await environmentOf({})).env).not.toHaveProperty('PLATFORM_MEMORY_URL')
})

test('a pod never gets the memory service of a Project of that name in another namespace (MIRROR-7)', async () => {
  const memory = { MEMORY_AUDIENCE: 'urn:memory', MEMORY_CLIENT_ID: 'pods', MEMORY_CLIENT_SECRET: 'pods-secret' }
  const { env } = await environmentOf({ ...memory, MEMORY_URLS: '{"team/demo":"http://127.0.0.1:8081"}' })
  expect(env).not.toHaveProperty('PLATFORM_MEMORY_URL')
})

test('a pod is told where its spans go and what they hang from; nothing of it unless a collector is set (ORCHESTRATOR-SETTINGS-14)', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect((await environmentOf(endpoint, traceparent)).env).toMatchObject({ ...endpoint, TRACEPARENT: traceparent })
  for (const { env } of [await environmentOf({}, traceparent), await environmentOf(endpoint)]) {
    expect(env).not.toHaveProperty('TRACEPARENT')
    expect(env).not.toHaveProperty('OTEL_EXPORTER_OTLP_ENDPOINT')
  }
})

test('an agent’s commands are behind walls in every pod, unless the operator says otherwise (ORCHESTRATOR-SETTINGS-11, POD-ENV-18)', async () => {
  expect((await environmentOf()).env['AGENT_SECLUSION']).toBe('required')
  expect((await environmentOf({ AGENT_SECLUSION: 'auto' })).env['AGENT_SECLUSION']).toBe('auto')
})
