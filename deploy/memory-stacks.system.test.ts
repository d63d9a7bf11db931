/** Memory stacks by the chart, rendered by the real Helm: `npm run test:chart`. */
import { expect, test } from 'vitest'
import { chartRules, rbacManifests } from '../edges/kubernetes/doctor/rbac.ts'
import { describeRequiring } from '../testing/requires.ts'
import { chart, helm, needed, rendered, type Manifest } from './testing/chart.ts'
import { environmentOf, settingsOf } from './testing/environment.ts'
import { full } from './testing/full-values.ts'

const memory = { audience: 'memory', clientId: 'pods', secretName: 'memory' }
const memoryStacks = { enabled: true }
const least = { ...needed, memory, memoryStacks }
/** The keys are made anew each time otherwise. */
const stable = { keysSecretName: 'keys', callbackHmacSecretExists: true }

const isWatching = ({ kind, metadata }: Manifest): boolean => kind.endsWith('Role') && metadata.name === 'platform.sw'
const isOfStacks = ({ metadata }: Manifest): boolean => metadata.name.startsWith('sw-stack')

describeRequiring('chart', 'memory stacks by the chart', () => {
  test('change a setting, rules of the watched namespaces and policies of their own, and nothing else', async () => {
    for (const values of [
      { ...needed, memory },
      { ...full, memoryStacks: {} },
    ]) {
      const without = await rendered({ ...values, ...stable })
      const has = await rendered({ ...values, ...stable, memoryStacks })
      const rules = (manifests: readonly Manifest[]): object[] => manifests.filter(isWatching).map((one) => one.rules!)
      expect(rules(has)).toEqual(rules(without).map((all) => [...(all as object[]), ...chartRules.stacks]))
      const rest = (manifests: readonly Manifest[]): object[] =>
        manifests.filter((one) => !isOfStacks(one)).map((one) => (isWatching(one) ? { ...one, rules: [] } : one))
      expect(JSON.stringify(rest(has), withoutSetting)).toBe(JSON.stringify(rest(without)))
      expect(without.filter(isOfStacks)).toEqual([])
      expect(environmentOf(without).some(({ name }) => name === 'MEMORY_STACKS')).toBe(false)
      expect(settingsOf(without).kubernetes.memoryStacks).toBeUndefined()
    }
  })

  test('have the rights of `statewright rbac --memory-stacks`, no more and no less (DEPLOYMENT-11)', async () => {
    for (const [values, namespaces] of [
      [{ ...least, namespaces: ['team-a', 'team-b'] }, ['team-a', 'team-b']],
      [{ ...least, allNamespaces: true, agentNamespaces: ['team-a'] }, []],
    ] as const) {
      const of = { namespaces, leaseNamespace: 'platform', serviceAccount: 'sw', memoryStacks: true }
      const own = rbacManifests(of) as readonly Manifest[]
      const rights = (manifests: readonly Manifest[]): readonly string[] =>
        manifests
          .filter(({ kind, metadata }) => kind.endsWith('Role') && !metadata.name.includes('release'))
          .map(({ kind, metadata: { namespace, name }, rules }) =>
            JSON.stringify([kind, namespace, name, rules!.map((rule) => Object.entries(rule).toSorted())]),
          )
          .toSorted()
      expect(rights(await rendered(values))).toEqual(rights(own))
    }
  })

  test('have the image of memory services, and what the values say', async () => {
    const oidc = { issuer: 'https://id.example', audience: 'memory' }
    const { memoryStacks: usual } = settingsOf(await rendered(least)).kubernetes
    expect(usual).toMatchObject({ oidc, imagePullPolicy: 'IfNotPresent' })
    expect(usual!.image).toMatch(/^statewright-memory:v\d/)
    expect(usual!.servicePodLabels).toEqual({ 'app.kubernetes.io/component': 'memory' })
    expect(usual).toMatchObject({ postgresImage: 'pgvector/pgvector:pg17', neo4jImage: 'neo4j:5.26-community' })
    for (const field of ['cloudNativePg', 'embeddings', 'lightrag', 'resources', 'storageClass', 'imagePullSecrets'])
      expect(usual).not.toHaveProperty(field)
    const parts = { service: { limits: { memory: '2Gi' } }, neo4j: { requests: { cpu: '1' } } }
    const lightrag = { variables: { LLM_MODEL: 'large' }, secretName: 'lightrag' }
    const images = { postgresImage: 'r/pg:1', neo4jImage: 'r/neo4j:1', lightragImage: 'r/lightrag:1' }
    const values = {
      ...{
        ...least,
        memoryImage: { repository: 'r/memory', digest: `sha256:${'b'.repeat(64)}`, pullPolicy: 'Always' },
      },
      networkPolicy: { memoryPodLabels: { team: 'knowledge' } },
      memoryStacks: {
        ...{ enabled: true, ...images, storageClass: 'fast', tokenTypes: 'at+jwt', lightrag, resources: parts },
        imagePullSecrets: [{ name: 'registry' }, { name: 'other' }],
        cloudNativePg: { kind: 'ImageCatalog', name: 'own', major: 17 },
        embeddings: { url: 'http://models.svc/v1', model: 'small', secretName: 'models' },
      },
    }
    expect(settingsOf(await rendered(values)).kubernetes.memoryStacks).toEqual({
      ...{ image: `r/memory@sha256:${'b'.repeat(64)}`, imagePullPolicy: 'Always', storageClass: 'fast', ...images },
      ...{ oidc: { ...oidc, tokenTypes: 'at+jwt' }, lightrag, resources: parts },
      imagePullSecrets: ['registry', 'other'],
      cloudNativePg: { kind: 'ImageCatalog', name: 'own', major: 17 },
      embeddings: { url: 'http://models.svc/v1', model: 'small', secret: { name: 'models', key: 'api-key' } },
      servicePodLabels: { 'app.kubernetes.io/component': 'memory', team: 'knowledge' },
    })
    expect(settingsOf(await rendered(least)).kubernetes.memoryStacks!.usesCloudNativePg).toBeUndefined()
    const without = { ...least, memoryStacks: { enabled: true, cloudNativePg: { enabled: false } } }
    expect(settingsOf(await rendered(without)).kubernetes.memoryStacks!.usesCloudNativePg).toBe(false)
    const byImage = { ...least, memoryStacks: { enabled: true, cloudNativePg: { image: 'r/cnpg:18' } } }
    expect(settingsOf(await rendered(byImage)).kubernetes.memoryStacks!.cloudNativePg).toEqual({ image: 'r/cnpg:18' })
  })

  test('come beside services that have an address already, which go before them', async () => {
    const { kubernetes, memory: reached } = settingsOf(await rendered({ ...full, memoryStacks }))
    expect(kubernetes.memoryStacks!.image).toBe('registry.example/memory:v9.9.9')
    expect(Object.keys(reached.urls).toSorted()).toEqual(['team-a/demo', 'team-a/plain', 'team-b/shop'])
  })

  test('have policies that name the operator’s namespace and further peers and ports, or none at all', async () => {
    const [peer, elsewhere] = [{ ipBlock: { cidr: '192.0.2.0/24' } }, [{ ports: [{ port: 3128, protocol: 'TCP' }] }]]
    const more = { cloudNativePgNamespace: 'operators', memoryIngressFrom: [peer], memoryEgress: elsewhere }
    const policies = (await rendered({ ...least, networkPolicy: more })).filter(isOfStacks)
    const withText = (text: object | string): readonly string[] =>
      policies
        .filter(({ spec }) => JSON.stringify(spec).includes(JSON.stringify(text)))
        .map(({ metadata }) => metadata.name)
    expect(withText('operators')).toEqual(['sw-stack-cluster'])
    expect(withText(peer)).toEqual(['sw-stack-service'])
    expect(withText(elsewhere[0]!)).toEqual(['sw-stack-service', 'sw-stack-lightrag'])
    expect((await rendered({ ...least, networkPolicy: { create: false } })).filter(isOfStacks)).toEqual([])
  })

  test('name what they lack, and what excludes another value, also beside memory services', async () => {
    const complaint = async (stacks: object, more: object = {}): Promise<string> =>
      (await helm(['template', 'sw', chart], { ...needed, ...more, memoryStacks: { enabled: true, ...stacks } })).error
    const memoryServices = { red: { project: 'default/red', database: { secretName: 'red' } } }
    const cloudNativePg = { image: 'r/cnpg:18', name: 'own' }
    const lacking = await complaint({ cloudNativePg, embeddings: { url: 'http://x' } }, { memoryServices })
    for (const sentence of [
      'memoryStacks.enabled needs memory.audience, memory.clientId and memory.secretName',
      'memory.urls and memoryServices need memory.audience, memory.clientId and memory.secretName',
      'memoryStacks.embeddings.model is needed',
      'memoryStacks.cloudNativePg.image and memoryStacks.cloudNativePg.name exclude each other',
    ])
      expect(lacking).toContain(sentence)
    expect(await complaint({ storage: 'x' })).toMatch(/invalid propertyName 'storage'[^]*'storageClass'/)
    expect(await complaint({ resources: { neo4j: { limits: { cpu: 2 } } } })).toMatch(/got number, want string/)
    const { code } = await helm(['template', 'sw', chart], { ...needed, memoryStacks: { cloudNativePg } })
    expect(code).toBe(0)
  })
})

/** Of a list of variables. */
function withoutSetting(_: string, value: unknown): unknown {
  return Array.isArray(value) ? value.filter((one: { name?: string } | null) => one?.name !== 'MEMORY_STACKS') : value
}
