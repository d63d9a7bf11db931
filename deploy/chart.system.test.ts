/** The chart, rendered by the real Helm and judged by a real API server: `npm run test:chart`. */
import { beforeAll, expect, test } from 'vitest'
import { rbacManifests } from '../edges/kubernetes/doctor/rbac.ts'
import { kinds } from '../crd/kinds.ts'
import { importSigningKey } from '../http/auth/tokens.ts'
import { settingSchemas } from '../orchestrator/settings/settings-schema.ts'
import { sharedControlPlane, type ControlPlane } from '../testing/control-plane.ts'
import { describeRequiring } from '../testing/requires.ts'
import { chart, helm, mustHelm, named, needed, rendered, type Manifest } from './testing/chart.ts'
import { environmentOf, settingsOf } from './testing/environment.ts'
import { full } from './testing/full-values.ts'

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
    // The definitions are the same.
    ['with everything', { ...full, memoryStacks: { enabled: true }, crds: { install: false } }],
    ['of all namespaces', { ...all, crds: { install: false } }],
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
      'replicas=2,agentRunAsNonRoot=true,agentNamespaces={x},ingress.enabled=true,inspector.secretName=s,inspector.loginClaim=c',
    ])
    for (const name of ['database.secretName', 'oidc.issuer', 'oidc.clientId', 'model.secretName', 'ingress.host'])
      expect(error).toContain(`${name} is needed`)
    expect(error).toContain('replicas must be 0 or 1: this version does not release several processes')
    expect(error).toContain('agentRunAsNonRoot needs an agentRunAsUser above 0')
    expect(error).toContain('agentNamespaces needs allNamespaces')
    expect(error).toContain('inspector.secretName needs inspector.clientId')
    expect(error).toContain('inspector.loginClaim needs inspector.clientId')
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
      inspector: { clientId: 'inspector', clientSecret: 'a secret', scope: 'openid groups', loginClaim: 'me' },
    })
    expect(settingsOf(await rendered(needed)).inspector.clientId).toBe('')
    expect(settingsOf(await rendered(needed)).kubernetes.namespaces).toEqual(['platform'])
    expect(settingsOf(await rendered(all)).kubernetes.namespaces).toEqual([])
  })

  test('reaches every setting of the orchestrator but those of one machine', async () => {
    const others = { ...full, model: needed.model, memoryStacks: { enabled: true } }
    const environment = await Promise.all([rendered(full), rendered(others)]).then((two) =>
      two.flatMap((manifests) => environmentOf(manifests).map(({ name }) => name.replace(/_FILE$/, ''))),
    )
    const known = new Set([...environment, ...(await knownSettings())])
    const ofOneMachine = ['KUBECONFIG', 'LOCAL_PODS', 'COVERED_DIR', 'OWNER', 'POD_ISOLATION']
    expect(settingSchemas.map(([name]) => name).filter((name) => !known.has(name))).toEqual(ofOneMachine)
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
    const route = named(await rendered({ ...full, gateway }), 'HTTPRoute').spec as {
      rules: { matches: { path: { value: string } }[]; filters?: object[] }[]
    }
    // Without its prefix a path of memory would lead to what is operational.
    expect(route.rules.map(({ matches, filters }) => [matches[0]!.path.value, filters])).toEqual(
      ['/operator/webhooks', '/inspector', '/api/v1/memory/of-shop', '/api/v1/memory/demo'].map((path) => [
        path,
        undefined,
      ]),
    )
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
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tasks.platform.dev'
    expect((await plane.ask('GET', definition)).code).toBe(200)
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
    const tasks = `/apis/${kinds[0]!.apiVersion}/namespaces/${namespace}/tasks`
    const task = { apiVersion: kinds[0]!.apiVersion, kind: 'Task', metadata: { name: 'kept' }, spec: taskSpec }
    expect((await plane.ask('POST', tasks, task)).code).toBe(201)
    const { out, error } = await helm(['uninstall', 'sw', ...at], undefined, plane.kubeconfig)
    expect(`${out}${error}`).toMatch(/kept due to the resource policy[^]*tasks\.platform\.dev/)
    expect(await keys()).toEqual(first)
    expect((await plane.ask('GET', `${tasks}/kept`)).code).toBe(200)
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

async function knownSettings(): Promise<readonly string[]> {
  const { error } = await helm(['template', 'sw', chart], { ...needed, settings: { nothing: 1 } })
  return [...error.matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, name]) => name!)
}
