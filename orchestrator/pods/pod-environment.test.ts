import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { PodTokens } from '../../edges/agents/pod-tokens.ts'
import type { ProjectDirectory, ProjectSettings } from '../../edges/forge/projects.ts'
import { LocalPods } from '../../edges/local/pods.ts'
import type { PodInputs, PodSpec } from '../../edges/ports/pods.ts'
import { callbackSecret } from '../../edges/pods/inbound.ts'
import { checkManifest } from '../../crd/validate.ts'
import { loadConfig } from '../../wrapper/boot/config.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { PodPlaces, PodSecrets, PodVariables } from '../../machines/turn/pod-environment.ts'
import { systemClock } from '../../runtime/clock.ts'
import { podInputs, podUrls } from './pod-environment.ts'
import { readSettings } from '../settings/settings.ts'
import { memoriesOf } from '../testing/memories.ts'

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

interface Given extends PodInputs {
  readonly minted: readonly unknown[]
}

async function inputsOf(
  change: Readonly<Record<string, string>> = {},
  traceparent?: string,
  agent: ProjectSettings['agent'] = {},
): Promise<Given> {
  const minted: unknown[] = []
  return { ...(await inputs({ change, traceparent, agent, minted })(spec)), minted }
}

interface Scene {
  readonly change: Readonly<Record<string, string>>
  readonly traceparent?: string | undefined
  readonly agent?: ProjectSettings['agent']
  readonly minted?: unknown[]
}

function inputs({ change, traceparent, agent = {}, minted = [] }: Scene): (spec: PodSpec) => Promise<PodInputs> {
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
  const settings = readSettings({ ...identity, ...secrets, ...change }, '/program/claude')
  return podInputs({
    settings,
    memories: memoriesOf(settings.memory),
    directory: { project } as ProjectDirectory,
    tokens: { mint } as PodTokens,
    callbackMaster: 'master',
    urls: () => ({ operator: 'http://127.0.0.1:8080', internal: 'http://127.0.0.1:8082' }),
    traceparent: () => traceparent,
  })
}

const memory = { MEMORY_AUDIENCE: 'urn:memory', MEMORY_CLIENT_ID: 'pods', MEMORY_CLIENT_SECRET: 'pods-secret' }
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const full: Scene = {
  change: {
    ...memory,
    MEMORY_URLS: '{"demo":"http://127.0.0.1:8081"}',
    SKILLS_REPO_URL: 'https://skills.invalid/acme.git',
    MODEL_BASE_URL: 'http://127.0.0.1:9/',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  },
  traceparent,
  agent: {
    mcpServers: [{ name: 'wiki', url: 'https://wiki.invalid', type: 'http' }],
    hooks: { preClone: 'echo $1' },
    skillsRef: 'v1.2.3',
  },
}

test('the wrapper of a pod knows its Task, its place and its repositories through the gateway (GATING-1, TOOL-VERSION-2, PROJECT-AGENT-3, PROJECT-AGENT-9, PROJECT-SCM-7, VERSIONING-4, WRAPPER-ENV-5, POD-ENV-1, POD-ENV-2, POD-ENV-6, POD-ENV-7)', async () => {
  const { env, minted } = await inputsOf()
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
  expect((await inputsOf({ SKILLS_REPO_URL })).env).toMatchObject({ SKILLS_REPO_URL })
  expect((await inputsOf()).env).not.toHaveProperty('SKILLS_REPO_URL')
})

test('PROJECT-HOOKS-2, PROJECT-MCP-1: the extra MCP servers, hooks and skills ref of the Project are told to its wrapper, and nothing where there are none (PROJECT-HOOKS-2, PROJECT-MCP-1, POD-ENV-12, WRAPPER-ENV-15)', async () => {
  const mcpServers = [{ name: 'wiki', url: 'https://wiki.invalid', type: 'http' as const }]
  const { env } = await inputsOf({}, undefined, {
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
    const names = Object.keys((await inputsOf({}, undefined, none)).env)
    expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/EXTRA_MCP|HOOKS|SKILLS/)]))
  }
})

test('what the ledger reserves for a turn is its ceiling in the wrapper', async () => {
  expect((await inputsOf()).env['TURN_TOKEN_CEILING']).toBe('9000')
})

test('no secret is in the environment of a process: each is the content of a file (POD-ENV-3)', async () => {
  const { env, secrets: given } = await inputsOf()
  expect(given).toEqual({
    PLATFORM_POD_TOKEN_FILE: 'pod-token',
    CALLBACK_HMAC_SECRET_FILE: callbackSecret('master', spec.pod),
    MODEL_PROVIDER_API_KEY_FILE: 'model-key',
    AGENT_RUNTIME_OAUTH_TOKEN_FILE: 'oauth-token',
  })
  const values = Object.values(env)
  for (const secret of ['orchestrator-secret', 'model-key', 'master', ...Object.values(given)])
    expect(values).not.toContain(secret)
})

test('of the two keys of the model a pod is given those that there are', async () => {
  const { env, secrets: given } = await inputsOf({
    MODEL_PROVIDER_API_KEY: '',
    MODEL_BASE_URL: 'http://127.0.0.1:9/',
  })
  expect(given).not.toHaveProperty('MODEL_PROVIDER_API_KEY_FILE')
  expect(given).toHaveProperty('AGENT_RUNTIME_OAUTH_TOKEN_FILE')
  expect(env['MODEL_BASE_URL']).toBe('http://127.0.0.1:9')
})

test('a pod of a Project with a memory service reaches it by a client of its own, whose secret is in a file (MEMORY-SETTINGS-4, KNOWLEDGE-14, POD-ENV-2, WRAPPER-SECRETS-6)', async () => {
  const { env, secrets: given } = await inputsOf({ ...memory, MEMORY_URLS: '{"demo":"http://127.0.0.1:8081"}' })
  expect(env).toMatchObject({
    PLATFORM_MEMORY_URL: 'http://127.0.0.1:8081',
    MEMORY_AUDIENCE: 'urn:memory',
    OIDC_CLIENT_ID: 'pods',
  })
  expect(given['OIDC_CLIENT_SECRET_FILE']).toBe('pods-secret')
  expect(JSON.stringify(env)).not.toContain('pods-secret')
  const none = await inputsOf({})
  expect({ ...none.env, ...none.secrets }).not.toHaveProperty('PLATFORM_MEMORY_URL')
  expect(none.secrets).not.toHaveProperty('OIDC_CLIENT_SECRET_FILE')
})

test('a pod never gets the memory service of a Project of that name in another namespace (MIRROR-7)', async () => {
  const { env, secrets: given } = await inputsOf({ ...memory, MEMORY_URLS: '{"team/demo":"http://127.0.0.1:8081"}' })
  expect(env).not.toHaveProperty('PLATFORM_MEMORY_URL')
  expect(given).not.toHaveProperty('OIDC_CLIENT_SECRET_FILE')
})

test('a pod is told where its spans go and what they hang from; nothing of it unless a collector is set (ORCHESTRATOR-SETTINGS-14)', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect((await inputsOf(endpoint, traceparent)).env).toMatchObject({ ...endpoint, TRACEPARENT: traceparent })
  for (const { env } of [await inputsOf({}, traceparent), await inputsOf(endpoint)]) {
    expect(env).not.toHaveProperty('TRACEPARENT')
    expect(env).not.toHaveProperty('OTEL_EXPORTER_OTLP_ENDPOINT')
  }
})

test('an agent’s commands are behind walls in every pod, unless the operator says otherwise (ORCHESTRATOR-SETTINGS-11, POD-ENV-18)', async () => {
  expect((await inputsOf()).env['AGENT_SECLUSION']).toBe('required')
  expect((await inputsOf({ AGENT_SECLUSION: 'auto' })).env['AGENT_SECLUSION']).toBe('auto')
})

test('the data says no path and no listener of a machine but the operator’s own settings, and the wrapper reads all of it', async () => {
  const given = await inputs(full)(spec)
  expect(Object.keys(given.env).filter((name) => name in PodPlaces.properties)).toEqual([])
  expect(Object.keys({ ...given.env, ...given.secrets }).filter((name) => !known.includes(name))).toEqual([])
  expect(given.files).toEqual({})
  expect(Object.entries(given.env).filter(([, value]) => value.startsWith('/'))).toEqual([])
  const config = loadConfig({ ...given.env, ...given.secrets }, (content) => content)
  expect(config).toMatchObject({
    turnTimeoutMs: 60_000,
    turnTokenCeiling: 9000,
    repositories: [{ name: 'a', base: 'main', branch: 'platform/implement-a-1', sha: '' }],
    hooks: { preClone: 'echo $1' },
    agentCli: ['/program/claude'],
    secrets: { podToken: 'pod-token', apiKey: 'model-key', oidcClientSecret: 'pods-secret' },
  })
})

const known = Object.keys({ ...PodVariables.properties, ...PodSecrets.properties })

test('a pod of this machine gets exactly these variables, and its secrets are files that only its owner reads (POD-ENV-3)', async () => {
  const root = mkdtempSync(join(tmpdir(), 'statewright-pod-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const file = join(root, 'workspaces', 'default_implement-a-1', 'env')
  const program = `
    const { writeFileSync, renameSync } = require('node:fs')
    writeFileSync(${JSON.stringify(`${file}.new`)}, JSON.stringify(process.env))
    renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)})`
  const pods = new LocalPods({
    stateDir: root,
    programDir: '/program',
    coveredDir: root,
    userHome: root,
    isolation: 'none',
    command: [process.execPath, '-e', program],
    inputs: inputs(full),
    clock: systemClock,
    random: () => 0.5,
    logger: captureLog().logger,
  })
  await pods.create(spec)
  await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 10_000 })
  const env = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const folder = join(root, 'pods', 'default_implement-a-1_2')
  expect(env).toEqual({
    HTTP_ADDR: '127.0.0.1:0',
    INTERNAL_ADDR: '127.0.0.1:0',
    OIDC_ISSUER: 'http://127.0.0.1:1',
    OIDC_AUDIENCE: 'urn:wrapper',
    MODEL: 'claude-opus-5-5',
    EFFORT: 'high',
    PERMISSION_MODE: 'dontAsk',
    TURN_TIMEOUT_SECONDS: '60',
    AGENT_POD_TTL_SECONDS: '600',
    TURN_TOKEN_CEILING: '9000',
    PLATFORM_EXTRA_MCP_SERVERS: '[{"name":"wiki","url":"https://wiki.invalid","type":"http"}]',
    LIFECYCLE_HOOKS: '{"preClone":"echo $1"}',
    SKILLS_REF: 'v1.2.3',
    SKILLS_REPO_URL: 'https://skills.invalid/acme.git',
    PLATFORM_TASK: 'default/implement-a-1',
    PLATFORM_PROJECT: 'default/demo',
    PLATFORM_TOOL_PROFILE: 'implement',
    PLATFORM_POD: '2',
    PLATFORM_CONTRACT_VERSION: '4',
    PLATFORM_OPERATOR_URL: 'http://127.0.0.1:8080',
    PLATFORM_MEMORY_URL: 'http://127.0.0.1:8081',
    MEMORY_AUDIENCE: 'urn:memory',
    OIDC_CLIENT_ID: 'pods',
    OIDC_CLIENT_SECRET_FILE: join(folder, 'memory-client'),
    PLATFORM_POD_TOKEN_FILE: join(folder, 'pod-token'),
    CALLBACK_URL: 'http://127.0.0.1:8082/internal/turn-complete',
    CALLBACK_HMAC_SECRET_FILE: join(folder, 'callback-secret'),
    REPOS:
      '[{"name":"a","base":"main","branch":"platform/implement-a-1","sha":"","url":"http://127.0.0.1:8080/git/demo/a.git"}]',
    AGENT_CLI: '["/program/claude"]',
    AGENT_SECLUSION: 'required',
    GIT_MOST_CHECKOUT_BYTES: '4294967296',
    GIT_LONGEST_RUN_SECONDS: '600',
    BOT_LOGIN: 'bot',
    BOT_EMAIL: 'bot@acme.invalid',
    MODEL_BASE_URL: 'http://127.0.0.1:9',
    MODEL_PROVIDER_API_KEY_FILE: join(folder, 'model-key'),
    AGENT_RUNTIME_OAUTH_TOKEN_FILE: join(folder, 'oauth-token'),
    CONFIG_DIR: join(folder, 'config'),
    STATUSLINE_PATH: '/program/wrapper/usage/statusline.mjs',
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    LANG: 'C.UTF-8',
    LOG_LEVEL: 'info',
    TRACEPARENT: traceparent,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    HOME: join(folder, 'home'),
    STATE_DIR: join(folder, 'state'),
    WORKSPACE_DIR: join(root, 'workspaces', 'default_implement-a-1'),
  })
  const contents = {
    PLATFORM_POD_TOKEN_FILE: 'pod-token',
    CALLBACK_HMAC_SECRET_FILE: callbackSecret('master', spec.pod),
    MODEL_PROVIDER_API_KEY_FILE: 'model-key',
    AGENT_RUNTIME_OAUTH_TOKEN_FILE: 'oauth-token',
    OIDC_CLIENT_SECRET_FILE: 'pods-secret',
  }
  for (const [name, content] of Object.entries(contents)) {
    expect(readFileSync(env[name]!, 'utf8')).toBe(content)
    expect(statSync(env[name]!).mode & 0o777).toBe(0o600)
  }
})

test.each([
  ['', '', 'http://own:1', 'http://own:2'],
  ['https://svc', '', 'https://svc', 'http://own:2'],
  ['', 'http://svc:2', 'http://own:1', 'http://svc:2'],
])(
  'OPERATOR_URL %j and INTERNAL_URL %j: pods reach %s and %s (ORCHESTRATOR-SETTINGS-19)',
  (operatorUrl, internalUrl, operator, internal) => {
    const listeners = { operator: 'http://own:1', internal: 'http://own:2' }
    expect(podUrls({ operatorUrl, internalUrl }, listeners)).toEqual({ operator, internal })
  },
)
