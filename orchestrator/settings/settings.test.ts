import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askedVariables, unlisted } from '../../wrapper/testing/asked-variables.ts'
import { readSettings, SettingsError } from './settings.ts'

const contract = readFileSync(new URL('../../docs/contract/orchestrator.md', import.meta.url), 'utf8')

const needed = {
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_AUDIENCE: 'urn:operator',
  WRAPPER_AUDIENCE: 'urn:wrapper',
  OIDC_CLIENT_ID: 'orchestrator',
  OIDC_CLIENT_SECRET: 'client-secret',
  MODEL_PROVIDER_API_KEY: 'model-key',
}

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'statewright-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'secret'), text)
  return join(folder, 'secret')
}

const noPods = { image: '', security: { runAsNonRoot: false }, resources: {}, serviceAccount: '', workspaces: false }

describe('a place at Kubernetes', () => {
  const store = 'postgres://127.0.0.1:5432/s'

  test('is chosen, with a kubeconfig and the namespaces that count (ORCHESTRATOR-SETTINGS-20)', () => {
    const env = { ...needed, PLACE: 'kubernetes', LOCAL_PODS: 'on', DATABASE_URL: store }
    expect(readSettings(env, 'claude')).toMatchObject({
      place: 'kubernetes',
      kubernetes: { kubeconfig: '', namespaces: [], leaseNamespace: '', localPods: true },
    })
    const more = { KUBECONFIG: '/k/config', WATCH_NAMESPACES: 'a,b,a', LEASE_NAMESPACE: 'ops' }
    expect(readSettings({ ...env, ...more }, 'claude').kubernetes).toEqual({
      kubeconfig: '/k/config',
      namespaces: ['a', 'b'],
      leaseNamespace: 'ops',
      localPods: true,
      pods: noPods,
    })
    expect(readSettings({ ...needed, ...more }, 'claude').place).toBe('machine')
  })

  test('needs a store that outlives a pod, and names that a server takes (ORCHESTRATOR-SETTINGS-20)', () => {
    const env = { ...needed, PLACE: 'kubernetes', WATCH_NAMESPACES: 'a, b', LEASE_NAMESPACE: 'A' }
    const start = (): unknown => readSettings(env, 'claude')
    expect(start).toThrow('WATCH_NAMESPACES must be names of namespaces with commas between')
    expect(start).toThrow('LEASE_NAMESPACE must be the name of a namespace')
    expect(start).toThrow('DATABASE_URL or DATABASE_URL_FILE is required with PLACE=kubernetes')
  })

  test('has pods of the cluster, which need an image and addresses that they reach (ORCHESTRATOR-SETTINGS-21)', () => {
    const env = { ...needed, PLACE: 'kubernetes', DATABASE_URL: store }
    for (const name of ['AGENT_IMAGE', 'OPERATOR_URL', 'INTERNAL_URL'])
      expect(() => readSettings(env, 'claude')).toThrow(`- ${name} is required for pods of a cluster; LOCAL_PODS=on`)
    const reached = { OPERATOR_URL: 'http://operator:8080', INTERNAL_URL: 'http://operator:8082' }
    const least = { ...env, ...reached, AGENT_IMAGE: 'registry.example/wrapper:v1' }
    expect(readSettings(least, 'claude').kubernetes).toMatchObject({
      localPods: false,
      pods: { ...noPods, image: 'registry.example/wrapper:v1' },
    })
    const more = {
      AGENT_RUN_AS_NON_ROOT: 'on',
      AGENT_RUN_AS_USER: '1000',
      AGENT_FS_GROUP: '0',
      AGENT_RESOURCES: '{"requests":{"cpu":"500m"},"limits":{"memory":"4Gi"}}',
      AGENT_SERVICE_ACCOUNT: 'agents',
      WORKSPACES: 'on',
    }
    expect(readSettings({ ...least, ...more }, 'claude').kubernetes.pods).toEqual({
      image: 'registry.example/wrapper:v1',
      security: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 0 },
      resources: { requests: { cpu: '500m' }, limits: { memory: '4Gi' } },
      serviceAccount: 'agents',
      workspaces: true,
    })
  })

  test('refuses numbers, sizes and names that no server takes, all at once (ORCHESTRATOR-SETTINGS-21)', () => {
    const wrong = { AGENT_RUN_AS_USER: 'node', AGENT_FS_GROUP: '-1', AGENT_SERVICE_ACCOUNT: 'A', WORKSPACES: 'yes' }
    const resources = { AGENT_RESOURCES: '{"limits":{"memory":"4 Gi"},"claims":[]}' }
    const start = (): unknown => readSettings({ ...needed, ...wrong, ...resources }, 'claude')
    for (const name of [...Object.keys(wrong), 'AGENT_RESOURCES']) expect(start).toThrow(`- ${name}`)
  })
})

describe('the settings of the orchestrator', () => {
  test('need the identity provider and a key of the model; the rest has defaults (AGENT-API-1, LISTENERS-1, LISTENERS-2, CRON-1, ORCHESTRATOR-SETTINGS-5, ORCHESTRATOR-SETTINGS-12, ORCHESTRATOR-SETTINGS-13, ORCHESTRATOR-SETTINGS-15)', () => {
    expect(readSettings({ ...needed, HOME: '/home/rita' }, '/program/claude')).toEqual({
      stateDir: join(process.cwd(), '.statewright'),
      keysDir: '',
      place: 'machine',
      kubernetes: { kubeconfig: '', namespaces: [], leaseNamespace: '', localPods: false, pods: noPods },
      coveredDir: join(process.cwd(), '.statewright'),
      databaseUrl: '',
      databaseAnswerMs: 15_000,
      owner: '',
      http: { host: '127.0.0.1', port: 8080 },
      internal: { host: '127.0.0.1', port: 8082 },
      operatorUrl: '',
      internalUrl: '',
      publicUrl: '',
      oidc: {
        issuer: 'http://127.0.0.1:1',
        audience: 'urn:operator',
        algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'],
        wrapperAudience: 'urn:wrapper',
        clientId: 'orchestrator',
        clientSecret: 'client-secret',
        cliClientId: 'statewright-cli',
      },
      inspector: { clientId: '', clientSecret: '', scope: 'openid', loginClaim: '' },
      roles: { claim: '', values: {}, owners: {} },
      memory: {
        urls: {},
        publicUrls: {},
        audience: '',
        clientId: '',
        clientSecret: '',
        fills: true,
        profile: 'full',
        localPort: 0,
      },
      modelBaseUrl: '',
      modelKey: 'model-key',
      oauthToken: '',
      models: { model: '', byKind: {} },
      skillsRepoUrl: '',
      git: { mostPackBytes: 512 * 1024 * 1024, mostCheckoutBytes: 4 * 1024 ** 3, longestRunMs: 600_000 },
      agentCli: ['/program/claude'],
      isolation: 'auto',
      seclusion: 'required',
      logLevel: 'info',
      retention: { days: 90, events: 20_000, finalDays: 30 },
      retentionEveryMs: 3_600_000,
      mostWaitingAlerts: 100,
      otlpEndpoint: '',
      standingComments: true,
      cronTimeZone: 'UTC',
      userHome: '/home/rita',
    })
  })

  test('stand in the contract, each by the name of its variable', () => {
    const asked = askedVariables((env) => readSettings(env, '/program/claude')).filter((name) => name !== 'HOME')
    expect(asked.length).toBeGreaterThan(30)
    expect(unlisted(asked, contract)).toEqual([])
    expect(unlisted(['PUBLIC_URL', 'PUBLIC'], contract)).toEqual(['PUBLIC'])
  })

  test('that are missing are all told at once (ORCHESTRATOR-SETTINGS-8)', () => {
    const reading = (): unknown => readSettings({}, '/program/claude')
    expect(reading).toThrow(SettingsError)
    for (const name of ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'WRAPPER_AUDIENCE', 'OIDC_CLIENT_ID'])
      expect(reading).toThrow(`- ${name} is required`)
    expect(reading).toThrow('- OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE is required')
    expect(reading).toThrow('- one of MODEL_PROVIDER_API_KEY and AGENT_RUNTIME_OAUTH_TOKEN is required')
  })

  test('that are wrong are all told at once, each by its name (ORCHESTRATOR-SETTINGS-2, ORCHESTRATOR-SETTINGS-3, ORCHESTRATOR-SETTINGS-4, ORCHESTRATOR-SETTINGS-5, ORCHESTRATOR-SETTINGS-11, ORCHESTRATOR-SETTINGS-12, ORCHESTRATOR-SETTINGS-13, ORCHESTRATOR-SETTINGS-15, RESOURCE-RULE-6)', () => {
    const wrong = {
      ...needed,
      HTTP_ADDR: 'nowhere',
      DATABASE_ANSWER_SECONDS: '601',
      INTERNAL_ADDR: '127.0.0.1:99999',
      PUBLIC_URL: 'ftp://x',
      OIDC_ISSUER: 'issuer',
      AGENT_CLI: '[]',
      POD_ISOLATION: 'maybe',
      CRON_TIME_ZONE: 'Berlin',
      OIDC_ALGORITHMS: 'RS256,HS256',
      AGENT_MODEL: 'gpt',
      AGENT_MODEL_BY_KIND: '{"review":"gpt"}',
      SKILLS_REPO_URL: 'ext::sh',
      GIT_MOST_PACK_BYTES: '1',
      GIT_MOST_CHECKOUT_BYTES: '1',
      LOG_LEVEL: 'loud',
      STANDING_COMMENTS: 'yes',
      MEMORY_FILL: 'yes',
      MEMORY_PUBLIC_URLS: '{"demo":"ftp://x"}',
      RETENTION_DAYS: '-1',
      MOST_WAITING_ALERTS: '0',
      MODEL_PROVIDER_API_KEY_FILE: '/no/such/file',
    }
    let message = ''
    try {
      readSettings(wrong, '/program/claude')
    } catch (error) {
      message = String(error)
    }
    const told = message.split('\n').slice(1)
    const named = [
      'DATABASE_ANSWER_SECONDS',
      'HTTP_ADDR',
      'INTERNAL_ADDR',
      'PUBLIC_URL',
      'OIDC_ISSUER',
      'MODEL_PROVIDER_API_KEY_FILE',
      'AGENT_CLI',
      'POD_ISOLATION',
      'CRON_TIME_ZONE',
      'OIDC_ALGORITHMS',
      'AGENT_MODEL',
      'AGENT_MODEL_BY_KIND',
      'SKILLS_REPO_URL',
      'GIT_MOST_PACK_BYTES',
      'GIT_MOST_CHECKOUT_BYTES',
      'LOG_LEVEL',
      'MEMORY_FILL',
      'MEMORY_PUBLIC_URLS',
      'STANDING_COMMENTS',
      'RETENTION_DAYS',
      'MOST_WAITING_ALERTS',
    ]
    expect(told).toHaveLength(named.length)
    for (const name of named)
      expect(
        told.filter((line) => new RegExp(`^- ${name}[ :/]`).test(line)),
        name,
      ).toHaveLength(1)
  })

  test('name a memory service for each Project, and what its clients need with it (MEMORY-SETTINGS-4, ORCHESTRATOR-SETTINGS-7)', () => {
    const MEMORY_URLS = '{"demo":"http://127.0.0.1:8081","team/demo":"http://127.0.0.1:8082"}'
    const all = { ...needed, MEMORY_URLS, MEMORY_AUDIENCE: 'urn:memory', MEMORY_CLIENT_ID: 'pods' }
    expect(readSettings({ ...all, MEMORY_CLIENT_SECRET: 's' }, '/program/claude').memory.urls).toEqual({
      'default/demo': 'http://127.0.0.1:8081',
      'team/demo': 'http://127.0.0.1:8082',
    })
    expect(() => readSettings(all, '/program/claude')).toThrow('- MEMORY_URLS needs MEMORY_AUDIENCE')
    const outside = {
      ...all,
      MEMORY_CLIENT_SECRET: 's',
      MEMORY_PUBLIC_URLS: '{"demo":"https://sw.example/api/v1/memory/demo"}',
    }
    expect(readSettings(outside, '/program/claude').memory.publicUrls).toEqual({
      'default/demo': 'https://sw.example/api/v1/memory/demo',
    })
    expect(() =>
      readSettings({ ...outside, MEMORY_PUBLIC_URLS: '{"x/y":"https://sw.example"}' }, '/program/claude'),
    ).toThrow('- MEMORY_PUBLIC_URLS: MEMORY_URLS has no service of x/y')
    expect(() => readSettings({ ...needed, MEMORY_URLS: '{"demo":"ftp://x"}' }, '/program/claude')).toThrow(
      '- MEMORY_URLS',
    )
  })

  test('give the Projects of a cluster memory stacks once they name an image (ORCHESTRATOR-SETTINGS-24)', () => {
    const stacks = (MEMORY_STACKS: string, more = {}) =>
      readSettings({ ...needed, MEMORY_AUDIENCE: 'urn:memory', MEMORY_STACKS, ...more }, '/program/claude').kubernetes
        .memoryStacks
    expect(stacks('{"storageClass":"fast"}')).toBeUndefined()
    expect(stacks('{"image":"memory:1","neo4jImage":"neo4j:6","tokenTypes":"JWT"}')).toEqual({
      ...{ image: 'memory:1', neo4jImage: 'neo4j:6' },
      ...{ postgresImage: 'pgvector/pgvector:pg17', lightragImage: 'hkuds/lightrag:v1.4.9.7' },
      oidc: { issuer: needed.OIDC_ISSUER, audience: 'urn:memory', tokenTypes: 'JWT' },
    })
    const cluster = { PLACE: 'kubernetes', LOCAL_PODS: 'on', DATABASE_URL: 'postgres://store/statewright' }
    expect(() => stacks('{"image":"memory:1"}', cluster)).toThrow('- MEMORY_STACKS needs MEMORY_AUDIENCE')
    expect(() => stacks('{"image":"memory:1","size":"10Gi"}')).toThrow('- MEMORY_STACKS')
  })

  test('name the client of the inspector, which asks for its own scopes (ORCHESTRATOR-SETTINGS-23)', () => {
    const read = (more: object): unknown => readSettings({ ...needed, ...more }, '/program/claude').inspector
    const client = { INSPECTOR_CLIENT_ID: 'inspector', INSPECTOR_SCOPE: 'openid groups' }
    expect(read(client)).toMatchObject({
      clientId: 'inspector',
      clientSecret: '',
      scope: 'openid groups',
      loginClaim: '',
    })
    expect(read({ ...client, INSPECTOR_LOGIN_CLAIM: 'act.login' })).toMatchObject({ loginClaim: 'act.login' })
    expect(() => read({ INSPECTOR_LOGIN_CLAIM: 'login' })).toThrow('- INSPECTOR_LOGIN_CLAIM needs INSPECTOR_CLIENT_ID')
    expect(read({ ...client, INSPECTOR_CLIENT_SECRET: 's' })).toMatchObject({ clientSecret: 's' })
    expect(() => read({ INSPECTOR_CLIENT_SECRET: 's' })).toThrow('- INSPECTOR_CLIENT_SECRET needs INSPECTOR_CLIENT_ID')
    for (const INSPECTOR_SCOPE of ['groups', 'openid  groups', ' openid', 'openids'])
      expect(() => read({ ...client, INSPECTOR_SCOPE })).toThrow('- INSPECTOR_SCOPE must be scopes')
  })

  test('name the claim that has roles, and what its values give (ORCHESTRATOR-SETTINGS-22)', () => {
    const read = (more: object): unknown => readSettings({ ...needed, ...more }, '/program/claude').roles
    const ROLES = '{"viewer":["staff"],"admin":["platform team"],"owners":{"cart":["cart"],"shop/cart":["shop"]}}'
    expect(read({ ROLE_CLAIM: 'realm_access.roles', ROLES })).toEqual({
      claim: 'realm_access.roles',
      values: { viewer: ['staff'], admin: ['platform team'] },
      owners: { 'default/cart': ['cart'], 'shop/cart': ['shop'] },
    })
    expect(() => read({ ROLES })).toThrow('- ROLE_CLAIM is required with ROLES')
    expect(() => read({ ROLE_CLAIM: 'groups' })).toThrow('- ROLES is required with ROLE_CLAIM')
    expect(() => read({ ROLE_CLAIM: 'a b', ROLES })).toThrow('- ROLE_CLAIM must be')
    for (const wrong of ['{"viewers":["a"]}', '{"viewer":"a"}', '{"viewer":[""]}', '{"owners":{"A/b":["a"]}}', '[]'])
      expect(() => read({ ROLE_CLAIM: 'groups', ROLES: wrong }), wrong).toThrow('- ROLES')
  })

  test('cover the state, and more where they name a folder around it (ORCHESTRATOR-SETTINGS-2)', () => {
    const covered = (COVERED_DIR: string): string =>
      readSettings({ ...needed, STATE_DIR: '/srv/demo/state', COVERED_DIR }, '/program/claude').coveredDir
    expect([covered(''), covered('/srv/demo')]).toEqual(['/srv/demo/state', '/srv/demo'])
    for (const elsewhere of ['/srv/demo/state/pods', '/srv/demo/sta', '/tmp'])
      expect(() => covered(elsewhere)).toThrow('- COVERED_DIR must be')
  })

  test('take secrets from files before variables, and either key of the model (MEMORY-SETTINGS-2, ORCHESTRATOR-SETTINGS-8)', () => {
    const { OIDC_CLIENT_SECRET: _, MODEL_PROVIDER_API_KEY: __, ...rest } = needed
    const env = {
      ...rest,
      OIDC_CLIENT_SECRET_FILE: file('from a file\n'),
      AGENT_RUNTIME_OAUTH_TOKEN: 'oauth',
      DATABASE_URL_FILE: file('postgres://x'),
    }
    const { oidc, oauthToken, modelKey, databaseUrl } = readSettings(env, '/program/claude')
    expect([oidc.clientSecret, oauthToken, modelKey, databaseUrl]).toEqual(['from a file', 'oauth', '', 'postgres://x'])
  })

  test('never repeat a secret in what is wrong', () => {
    expect(() => readSettings({ ...needed, OIDC_ISSUER: '' }, '/program/claude')).toThrow(
      /^(?![\s\S]*(client-secret|model-key))/,
    )
  })
})
