/** The memory services of the chart, rendered by the real Helm: `npm run test:chart`. */
import { expect, test } from 'vitest'
import { readMemorySettings } from '../cli/memory/settings.ts'
import { describeRequiring } from '../testing/requires.ts'
import { chart, helm, named, needed, rendered } from './testing/chart.ts'
import { environmentOf, mounted, settingsOf } from './testing/environment.ts'
import { full } from './testing/full-values.ts'

interface Routed {
  readonly rules: readonly { readonly host: string; readonly http: { readonly paths: { path: string }[] } }[]
  readonly tls: readonly object[]
}

describeRequiring('chart', 'the memory services of the chart', () => {
  test('names what lacks or clashes among memory services: each has a Project, a database and a path of its own (KNOWLEDGE-10, MEMORY-RULE-8)', async () => {
    const database = { secretName: 'x' }
    const memoryServices = {
      first: { project: 'team/a', database },
      second: { project: 'team/a', database, embeddings: { url: 'http://x' } },
      third: { project: 'other/a', database: { secretName: 'y' }, path: '/api/v1/memory/first' },
      ['x'.repeat(60)]: { project: 'team/x', database },
    }
    const { error } = await helm(['template', 'sw', chart], { ...needed, namespaces: ['team'], memoryServices })
    for (const sentence of [
      'memory.urls and memoryServices need memory.audience, memory.clientId and memory.secretName',
      'memoryServices.second: team/a has a service already',
      'memoryServices.second.database: another service has the database of x/url',
      'memoryServices.third.path: /api/v1/memory/first leads to another service',
      'memoryServices.second.embeddings.model is needed',
      'memoryServices.third: other is none of the namespaces of Projects',
      'is longer than 63 characters',
    ])
      expect(error).toContain(sentence)
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
      oidc: { issuer: 'https://id.example', audience: 'memory', algorithms: ['ES256'], types: ['at+jwt', 'JWT'] },
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
    // What answers there is what the route leads to; `plain` is for the cluster alone.
    expect(settingsOf(manifests).memory.publicUrls).toEqual({
      'team-b/shop': 'https://sw.example/api/v1/memory/of-shop',
    })
    const noRoute = await rendered({ ...full, ingress: { enabled: false }, gateway: { enabled: false } })
    expect(settingsOf(noRoute).memory.publicUrls).toEqual({})
  })

  test('routes a memory service under a host of its own, where it is given one (DOCUMENTS-6)', async () => {
    const database = { secretName: 'own' }
    const elsewhere = { 'team-a/theirs': 'http://memory.theirs:8080' }
    const publicUrls = { 'team-a/theirs': 'https://theirs.example/api/v1/memory' }
    const memory = { urls: elsewhere, publicUrls, audience: 'memory', clientId: 'pods', secretName: 'memory' }
    const own = { project: 'team-a/own', database, host: 'memory.example', tlsSecretName: 'of-memory' }
    const memoryServices = { own, plain: { project: 'team-a/plain', database: { secretName: 'plain' } } }
    const values = { ...needed, namespaces: ['team-a'], memory, memoryServices }
    const manifests = await rendered({
      ...values,
      ingress: { enabled: true, host: 'sw.example', tlsSecretName: 'tls' },
    })
    const { rules, tls } = named(manifests, 'Ingress').spec as Routed
    const pathsOf = ({ paths }: { paths: { path: string }[] }): readonly string[] => paths.map(({ path }) => path)
    expect(rules.map(({ host, http }) => [host, pathsOf(http)])).toEqual([
      ['sw.example', ['/operator/webhooks', '/api/v1/memory/plain']],
      ['memory.example', ['/api/v1/memory']],
    ])
    expect(tls).toEqual([
      { hosts: ['sw.example'], secretName: 'tls' },
      { hosts: ['memory.example'], secretName: 'of-memory' },
    ])
    const settings = readMemorySettings(mounted(environmentOf(manifests, 'sw-memory-own')))
    expect(settings.basePath).toBe('/api/v1/memory')
    expect(settingsOf(manifests).memory.publicUrls).toEqual({
      ...publicUrls,
      'team-a/own': 'https://memory.example/api/v1/memory',
      'team-a/plain': 'https://sw.example/api/v1/memory/plain',
    })
    const gateway = { enabled: true, host: 'sw.example', parentRefs: [{ name: 'gateway' }] }
    const routes = (await rendered({ ...values, gateway })).filter(({ kind }) => kind === 'HTTPRoute')
    expect(routes.map(({ metadata, spec }) => [metadata.name, (spec as { hostnames: string[] }).hostnames])).toEqual([
      ['sw', ['sw.example']],
      ['sw-memory-own', ['memory.example']],
    ])
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
})
