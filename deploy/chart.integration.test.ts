/** The chart, rendered by the real Helm and judged by a real API server: `npm run test:chart`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { rbacManifests } from '../edges/kubernetes/rbac.ts'
import { kinds } from '../crd/kinds.ts'
import { importSigningKey } from '../http/auth/tokens.ts'
import { readMemorySettings } from '../cli/memory/settings.ts'
import { readSettings } from '../orchestrator/settings.ts'
import { settingSchemas } from '../orchestrator/settings-schema.ts'
import { sharedControlPlane, type ControlPlane } from '../testing/control-plane.ts'
import { describeRequiring } from '../testing/requires.ts'
import { chart, helm, mustHelm, named, needed, rendered, type Manifest } from './testing/chart.ts'

/** With every part of the chart, and every value away from its default. */
const full = {
  ...needed,
  image: { repository: 'registry.example/orchestrator', digest: `sha256:${'a'.repeat(64)}` },
  wrapperImage: { repository: 'registry.example/wrapper', tag: 'v9.9.9', pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'registry' }],
  namespaces: ['platform', 'team-a', 'team-b'],
  serviceAccount: { name: 'operator', annotations: { 'example.com/role': 'x' } },
  urls: { operator: 'http://sw.platform:8080', public: 'https://sw.example' },
  timeZone: 'Europe/Berlin',
  skillsRepoUrl: 'https://forge.example/skills.git',
  workspaces: true,
  agentRunAsNonRoot: true,
  agentRunAsUser: 1000,
  agentFsGroup: 2000,
  agentResources: { requests: { cpu: '1' }, limits: { memory: '4Gi' } },
  agentCli: ['claude'],
  model: { secretName: 'model', credential: 'oauthToken', baseUrl: 'https://model.example' },
  memory: {
    urls: { 'team-a/demo': 'http://memory.team-a:8080' },
    audience: 'memory',
    clientId: 'pods',
    secretName: 'memory',
  },
  memoryServices: {
    shop: {
      project: 'team-b/shop',
      path: '/api/v1/memory/of-shop',
      database: { secretName: 'shop', secretKey: 'dsn' },
      engine: { url: 'http://lightrag.models.svc:9621', secretName: 'lightrag', secretKey: 'key' },
      embeddings: { url: 'http://embeddings.models.svc/v1', model: 'small', secretName: 'embeddings' },
      graph: { secretName: 'neo4j' },
      settings: {
        ...{ DATABASE_ANSWER_SECONDS: 20, GRAPH_SPACE: 'shop', INGEST_ITEM_TIMEOUT: 90, LOG_LEVEL: 'debug' },
        ...{ OIDC_ALGORITHMS: 'ES256', OPEN_DOCUMENTS: true, READINESS_CHECKS: 'store,graph', WORKER_POOL_SIZE: 8 },
      },
      extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ssl/own/ca.pem' }],
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ssl/own', readOnly: true }],
      resources: { limits: { memory: '2Gi' } },
    },
    plain: { project: 'team-a/plain', isPublic: false, database: { secretName: 'plain' } },
  },
  memoryImage: { repository: 'registry.example/memory', tag: 'v9.9.9' },
  settings: { RETENTION_DAYS: 30, STANDING_COMMENTS: false, OIDC_ALGORITHMS: ['ES256'], LOG_LEVEL: 'debug' },
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ssl/own', readOnly: true }],
  podAnnotations: { a: 'b' },
  podLabels: { team: 'x' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'x', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  inspector: { isPublic: true, clientId: 'inspector', secretName: 'inspector', scope: 'openid groups' },
  ingress: { enabled: true, className: 'nginx', host: 'sw.example', tlsSecretName: 'tls', annotations: { a: 'b' } },
  memoryRoutes: [{ service: 'memory', port: 8081, path: '/api/v1/memory/demo' }],
  networkPolicy: {
    agentEgress: [{ to: [{ ipBlock: { cidr: '203.0.113.0/24' } }] }],
    operatorIngressFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  },
}
const all = { ...needed, allNamespaces: true, agentNamespaces: ['team-a', 'team-b'] }

describeRequiring('chart', 'the chart', () => {
  let plane: ControlPlane
  beforeAll(() => {
    plane = sharedControlPlane()
  })

  test('has no fault that Helm finds', async () => {
    const { code, out } = await helm(['lint', '--strict', chart], needed)
    expect(out).not.toMatch(/WARNING|ERROR/)
    expect(code).toBe(0)
  })

  test.each([
    ['of the few values that are needed', needed],
    ['with everything', full],
    ['of all namespaces', all],
  ])('%s is what an API server takes, field by field', async (_, values) => {
    await withNamespaces(plane, ['platform', 'team-a', 'team-b'])
    const text = await mustHelm(['template', 'sw', chart, '--namespace', 'platform'], values)
    const { code, stderr } = await plane.kubectl(
      ['apply', '--dry-run=server', '--validate=strict', '-f', '-'],
      text.replaceAll(/^.*meta.helm.sh.*$/gm, ''),
    )
    expect(stderr.replaceAll(/^Warning: resource .*last-applied.*$\n?/gm, '')).toBe('')
    expect(code).toBe(0)
  })

  test('answers a wrong word with the right ones, wherever it stands', async () => {
    const complaint = async (values: object): Promise<string> => {
      const { code, error } = await helm(['template', 'sw', chart], { ...needed, ...values })
      expect(code).not.toBe(0)
      return error
    }
    expect(await complaint({ replica: 1 })).toMatch(/invalid propertyName 'replica'[^]*'replicas'/)
    expect(await complaint({ image: { tagg: 'x' } })).toMatch(/invalid propertyName 'tagg'[^]*'tag'/)
    expect(await complaint({ settings: { LOG_LEVLE: 'x' } })).toMatch(/invalid propertyName 'LOG_LEVLE'[^]*'LOG_LEVEL'/)
    expect(await complaint({ settings: { LOG_LEVEL: 'loud' } })).toMatch(/must be one of 'trace', 'debug'/)
    expect(await complaint({ memoryRoutes: [{ service: 'm', path: '/metrics' }] })).toMatch(/does not match pattern/)
    const memoryServices = { a: { database: { secretName: 'x' } }, b: { project: 'b/b', databse: {} } }
    for (const sentence of ["invalid propertyName 'databse'", "'/memoryServices/a': missing property 'project'"])
      expect(await complaint({ memoryServices })).toContain(sentence)
  })

  test('names everything that lacks at once, and why it has one replica', async () => {
    const { error } = await helm([
      'template',
      'sw',
      chart,
      '--set',
      'replicas=2,agentRunAsNonRoot=true,agentNamespaces={x},ingress.enabled=true,inspector.secretName=s',
    ])
    for (const name of ['database.secretName', 'oidc.issuer', 'oidc.clientId', 'model.secretName', 'ingress.host'])
      expect(error).toContain(`${name} is needed`)
    expect(error).toContain('replicas must be 0 or 1: this version does not release several processes')
    expect(error).toContain('agentRunAsNonRoot needs an agentRunAsUser above 0')
    expect(error).toContain('agentNamespaces needs allNamespaces')
    expect(error).toContain('inspector.secretName needs inspector.clientId')
  })

  test('names what lacks or clashes among memory services', async () => {
    const database = { secretName: 'x' }
    const memoryServices = {
      first: { project: 'team/a', database },
      second: { project: 'team/a', database, embeddings: { url: 'http://x' } },
      third: { project: 'other/a', database },
      ['x'.repeat(60)]: { project: 'team/x', database },
    }
    const { error } = await helm(['template', 'sw', chart], { ...needed, namespaces: ['team'], memoryServices })
    for (const sentence of [
      'memory.urls and memoryServices need memory.audience, memory.clientId and memory.secretName',
      'memoryServices.second: team/a has a service already',
      'memoryServices.second.embeddings.model is needed',
      'memoryServices.third: other is none of the namespaces of Projects',
      'is longer than 63 characters',
    ])
      expect(error).toContain(sentence)
  })

  test('gives the orchestrator settings that it takes, each from the value that it is of', async () => {
    const settings = settingsOf(await rendered(full))
    expect(settings).toMatchObject({
      place: 'kubernetes',
      databaseUrl: 'a secret',
      kubernetes: {
        namespaces: ['platform', 'team-a', 'team-b'],
        leaseNamespace: 'platform',
        pods: {
          image: 'registry.example/wrapper:v9.9.9',
          security: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 2000 },
          resources: { requests: { cpu: '1' }, limits: { memory: '4Gi' } },
          serviceAccount: 'sw-agent',
          workspaces: true,
        },
      },
      cronTimeZone: 'Europe/Berlin',
      inspector: { clientId: 'inspector', clientSecret: 'a secret', scope: 'openid groups' },
    })
    expect(settingsOf(await rendered(needed)).inspector.clientId).toBe('')
    expect(settingsOf(await rendered(needed)).kubernetes.namespaces).toEqual(['platform'])
    expect(settingsOf(await rendered(all)).kubernetes.namespaces).toEqual([])
  })

  test('reaches every setting of the orchestrator but those of one machine', async () => {
    const environment = await Promise.all([rendered(full), rendered({ ...full, model: needed.model })]).then((two) =>
      two.flatMap((manifests) => environmentOf(manifests).map(({ name }) => name.replace(/_FILE$/, ''))),
    )
    const known = new Set([...environment, ...(await knownSettings())])
    const ofOneMachine = ['KUBECONFIG', 'LOCAL_PODS', 'COVERED_DIR', 'OWNER', 'POD_ISOLATION']
    expect(settingSchemas.map(([name]) => name).filter((name) => !known.has(name))).toEqual(ofOneMachine)
  })

  test('gives memory services settings that they take, and pods their addresses', async () => {
    const manifests = await rendered(full)
    const memory = (name: string): ReturnType<typeof readMemorySettings> =>
      readMemorySettings(mounted(environmentOf(manifests, name)))
    const common = { stateDir: '/var/lib/statewright', databaseUrl: 'a secret', http: { host: '0.0.0.0', port: 8080 } }
    expect(memory('sw-memory-plain')).toMatchObject({
      ...common,
      basePath: '/api/v1/memory/plain',
      oidc: { issuer: 'https://id.example', audience: 'memory' },
      ...{ engine: { url: '' }, embeddings: { url: '' }, checks: ['store', 'engine', 'graph'], logLevel: 'info' },
    })
    const url = 'bolt://user:password@neo4j.models.svc:7687'
    const environment = environmentOf(manifests, 'sw-memory-shop')
    expect(readMemorySettings(mounted(environment, { GRAPH_URL: url }))).toEqual({
      ...common,
      databaseAnswerMs: 20_000,
      basePath: '/api/v1/memory/of-shop',
      openDocuments: true,
      oidc: { issuer: 'https://id.example', audience: 'memory', algorithms: ['ES256'] },
      engine: { url: 'http://lightrag.models.svc:9621', apiKey: 'a secret' },
      embeddings: { url: 'http://embeddings.models.svc/v1', model: 'small', apiKey: 'a secret' },
      graph: { url, space: 'shop' },
      checks: ['store', 'graph'],
      itemTimeoutMs: 90_000,
      poolSize: 8,
      logLevel: 'debug',
    })
    const asked = new Set<string>()
    const watched = new Proxy({} as Record<string, string>, {
      get: (_, name) => void asked.add(String(name).replace(/_FILE$/, '')),
    })
    expect(() => readMemorySettings(watched)).toThrow('OIDC_ISSUER')
    // The program asks for it where the first of the two is there.
    asked.add('EMBEDDINGS_MODEL')
    expect([...asked].toSorted()).toEqual(
      environment.flatMap(({ name }) => (name.startsWith('NODE_') ? [] : [name.replace(/_FILE$/, '')])).toSorted(),
    )
    expect(settingsOf(manifests).memory.urls).toEqual({
      'team-a/demo': 'http://memory.team-a:8080',
      'team-b/shop': 'http://sw-memory-shop.platform.svc:8080',
      'team-a/plain': 'http://sw-memory-plain.platform.svc:8080',
    })
  })

  test('lets a memory service reach the ports of its addresses alone, and its Project’s agents reach it', async () => {
    const manifests = await rendered({ ...full, monitoring: { serviceMonitor: true } })
    const policy = (name: string): { ingress: { from: object[] }[]; egress: { ports: { port: number }[] }[] } =>
      named(manifests, 'NetworkPolicy', name).spec as ReturnType<typeof policy>
    const ports = (name: string): readonly number[] =>
      policy(name)
        .egress.flatMap((rule) => rule.ports)
        .map((one) => one.port)
    expect(ports('sw-memory-plain')).toEqual([53, 53, 443, 5432])
    expect(ports('sw-memory-shop')).toEqual([53, 53, 443, 5432, 7687, 80, 9621])
    const { operatorIngressFrom, metricsFrom } = full.networkPolicy
    expect(policy('sw-memory-shop').ingress[0]!.from).toEqual(
      expect.arrayContaining([...metricsFrom, ...operatorIngressFrom]),
    )
    expect(policy('sw-memory-plain').ingress[0]!.from).toEqual(expect.not.arrayContaining(operatorIngressFrom))
    expect(manifests.filter(({ metadata }) => metadata.name === 'sw-memory').map(({ kind }) => kind)).toEqual([
      'ServiceAccount',
      'ServiceMonitor',
    ])
    expect((await rendered(needed)).filter(({ metadata }) => metadata.name.includes('memory'))).toEqual([])
  })

  test('gives the rights of `statewright rbac`, no more and no less (DEPLOYMENT-11, DEPLOYMENT-12)', async () => {
    for (const [values, namespaces] of [
      [full, ['platform', 'team-a', 'team-b']],
      [all, []],
    ] as const) {
      const own = rbacManifests({ namespaces, leaseNamespace: 'platform', serviceAccount: 'sw' }) as readonly Manifest[]
      const rights = (manifests: readonly Manifest[]): readonly string[] =>
        manifests
          .filter(({ kind, metadata }) => kind.endsWith('Role') && !metadata.name.includes('release'))
          .map(
            ({ kind, metadata, rules }) =>
              `${kind} ${metadata.namespace} ${JSON.stringify(rules, Object.keys(rules![0]!).concat('resourceNames').toSorted())}`,
          )
          .toSorted()
      expect(rights(await rendered(values))).toEqual(rights(own))
    }
  })

  test('gives each namespace of Projects what agents need there, also where all count', async () => {
    const placed = async (values: object): Promise<readonly string[]> =>
      (await rendered(values)).flatMap(({ kind, metadata: { name, namespace } }) =>
        /^sw-(agents?|internet)$/.test(name) ? [`${kind} ${name} ${namespace}`] : [],
      )
    const listed = ['platform', 'team-a', 'team-b'].flatMap((namespace) => [
      `NetworkPolicy sw-agents ${namespace}`,
      `NetworkPolicy sw-internet ${namespace}`,
      `ServiceAccount sw-agent ${namespace}`,
    ])
    expect((await placed(full)).toSorted()).toEqual(listed.toSorted())
    expect((await placed(all)).toSorted()).toEqual(listed.toSorted())
    expect(settingsOf(await rendered(all)).kubernetes.pods.serviceAccount).toBe('sw-agent')
    const unknown = { ...needed, allNamespaces: true }
    expect(await placed(unknown)).toEqual(['NetworkPolicy sw-agents platform', 'NetworkPolicy sw-internet platform'])
    // An account that most namespaces lack would have every pod there refused.
    expect(settingsOf(await rendered(unknown)).kubernetes.pods.serviceAccount).toBe('')
  })

  test('routes webhooks, the inspector where it is wanted, and memory; no operational path (LISTENERS-5, LISTENERS-6)', async () => {
    const paths = async (values: object): Promise<readonly string[]> => {
      const { rules } = named(await rendered(values), 'Ingress').spec as {
        rules: {
          http: { paths: { path: string; backend: { service: { name: string; port: { number: number } } } }[] }
        }[]
      }
      return rules[0]!.http.paths.map(
        ({ path, backend: { service } }) => `${path} ${service.name}:${service.port.number}`,
      )
    }
    expect(await paths(full)).toEqual([
      '/operator/webhooks sw:8080',
      '/inspector sw:8080',
      '/api/v1/memory/of-shop sw-memory-shop:8080',
      '/api/v1/memory/demo memory:8081',
    ])
    expect(await paths({ ...needed, ingress: { enabled: true, host: 'x.example' } })).toEqual([
      '/operator/webhooks sw:8080',
    ])
    const ofPeople = { ...needed, ingress: { enabled: true, host: 'x.example' }, operatorApi: { isPublic: true } }
    expect(await paths(ofPeople)).toEqual([
      '/operator/webhooks sw:8080',
      '/operations sw:8080',
      '/resources sw:8080',
      '/.well-known/oauth-protected-resource sw:8080',
    ])
    const gateway = { enabled: true, host: 'x.example', parentRefs: [{ name: 'gateway' }] }
    const route = named(await rendered({ ...full, gateway }, []), 'HTTPRoute').spec as {
      rules: { matches: { path: { value: string } }[]; filters?: object[] }[]
    }
    expect(route.rules.map(({ matches, filters = [] }) => `${matches[0]!.path.value} ${filters.length}`)).toEqual([
      '/operator/webhooks 0',
      '/inspector 0',
      '/api/v1/memory/of-shop 0',
      '/api/v1/memory/demo 1',
    ])
  })

  test('has a Service for callbacks that no ingress names (LISTENERS-4)', async () => {
    const manifests = await rendered(full)
    const { spec } = named(manifests, 'Service', 'sw-internal')
    expect(spec).toMatchObject({ ports: [{ port: 8082, targetPort: 'internal' }] })
    expect((spec as { type?: string }).type ?? 'ClusterIP').toBe('ClusterIP')
    expect(JSON.stringify(named(manifests, 'Ingress'))).not.toMatch(/8082|internal/)
  })

  test('is installed, keeps its keys at an upgrade, and leaves data at an uninstall (DEPLOYMENT-3, CALLBACK-8)', async () => {
    const namespace = await plane.ownNamespace()
    const at = ['--namespace', namespace]
    const call = (parameters: readonly string[], values?: object): Promise<string> =>
      mustHelm([...parameters, ...at], values, plane.kubeconfig)
    const values = { ...needed, releaseHook: false }
    const notes = await call(['install', 'sw', chart], values)
    expect(notes).toMatch(/1\. Look whether[^]*2\. Make a Project[^]*3\. Wait until/)
    expect(await plane.must(['get', 'crd', '-o', 'name'])).toContain('tasks.platform.dev')
    const keys = async (): Promise<unknown> =>
      Promise.all(['sw-keys', 'statewright-callback'].map((name) => secretOf(plane, namespace, name)))
    const first = (await keys()) as readonly Readonly<Record<string, string>>[]
    expect(first.map((data) => Object.keys(data).toSorted())).toEqual([
      ['session', 'signing.pem'],
      ['callback-hmac-secret'],
    ])
    await importSigningKey(Buffer.from(first[0]!['signing.pem']!, 'base64').toString())
    await call(['upgrade', 'sw', chart], { ...values, timeZone: 'Asia/Tokyo' })
    expect(await keys()).toEqual(first)
    const project = { apiVersion: kinds[0]!.apiVersion, kind: 'Task', metadata: { name: 'kept' }, spec: taskSpec }
    await plane.must(['-n', namespace, 'apply', '-f', '-'], JSON.stringify(project))
    const { out, error } = await helm(['uninstall', 'sw', ...at], undefined, plane.kubeconfig)
    expect(`${out}${error}`).toMatch(/kept due to the resource policy[^]*tasks\.platform\.dev/)
    expect(await keys()).toEqual(first)
    expect(await plane.must(['-n', namespace, 'get', 'tasks', '-o', 'name'])).toBe('task.platform.dev/kept\n')
    expect(await plane.must(['-n', namespace, 'get', 'deployments,services,roles', '-o', 'name'])).toBe('')
    // The definitions that were kept are taken up again.
    await call(['install', 'sw', chart], values)
    await call(['uninstall', 'sw'])
  })
})

const taskSpec = { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['lib'] }

async function withNamespaces(plane: ControlPlane, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { code } = await plane.ask('POST', '/api/v1/namespaces', { metadata: { name } })
    expect([201, 409]).toContain(code)
  }
}

async function secretOf(plane: ControlPlane, namespace: string, name: string): Promise<unknown> {
  const { body } = await plane.ask('GET', `/api/v1/namespaces/${namespace}/secrets/${name}`)
  return body['data']
}

interface Variable {
  readonly name: string
  readonly value?: string
}

function environmentOf(manifests: readonly Manifest[], name = 'sw'): readonly Variable[] {
  const { template } = named(manifests, 'Deployment', name).spec as {
    template: { spec: { containers: { env: Variable[] }[] } }
  }
  return template.spec.containers[0]!.env
}

function settingsOf(manifests: readonly Manifest[]): ReturnType<typeof readSettings> {
  return readSettings(mounted(environmentOf(manifests)), 'claude')
}

/** As a program finds it in its pod, with a file where each Secret is mounted. @param secrets what is in them, by setting. */
function mounted(
  environment: readonly Variable[],
  secrets: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return Object.fromEntries(
    environment.map(({ name, value = '' }) => {
      if (!name.endsWith('_FILE')) return [name, value]
      const setting = name.replace(/_FILE$/, '')
      expect(value).toBe(`/run/statewright/secrets/${setting}`)
      const file = join(folder, value)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, secrets[setting] ?? 'a secret')
      return [name, file]
    }),
  )
}

async function knownSettings(): Promise<readonly string[]> {
  const { error } = await helm(['template', 'sw', chart], { ...needed, settings: { nothing: 1 } })
  return [...error.matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, name]) => name!)
}
