import { describe, expect, test } from 'vitest'
import { errorOf } from '../api/answers.ts'
import { pathTo, stackScene, textOf, type StackScene } from '../testing/stack-scene.ts'

const full = { profile: 'full' } as const

async function running(scene: StackScene): Promise<StackScene> {
  await scene.look(full)
  scene.operate()
  await scene.look(full)
  scene.run()
  expect(await scene.look(full)).toMatchObject({ phase: 'running', words: '' })
  scene.writes()
  return scene
}

function onCluster(): StackScene {
  const scene = stackScene()
  scene.installOperator()
  return scene
}

const textOfSpec = ({ get }: StackScene, kind: 'Deployment' | 'StatefulSet', name: string): string =>
  JSON.stringify(get(kind, name)!.spec)
const variable = (name: string, value: string): string => JSON.stringify({ name, value })
const secretly = (name: string, secret: string, key: string): string =>
  JSON.stringify({ name, valueFrom: { secretKeyRef: { name: secret, key } } })

describe('a full stack', () => {
  test('has Neo4j and LightRAG once each, beside what a light one has', async () => {
    const scene = await running(stackScene())
    expect(scene.server.names.toSorted()).toEqual([
      ...['Deployment memory-demo', 'Deployment memrag-demo'],
      ...['PersistentVolumeClaim memneo4j-demo-data', 'PersistentVolumeClaim mempg-demo-data'],
      ...['PersistentVolumeClaim mempg-demo-wal', 'Secret memneo4j-demo', 'Secret memory-demo', 'Secret mempg-demo'],
      ...['Secret memrag-demo', 'Service memneo4j-demo', 'Service memory-demo', 'Service mempg-demo'],
      ...['Service memrag-demo', 'StatefulSet memneo4j-demo', 'StatefulSet mempg-demo'],
    ])
    expect(scene.get('Deployment', 'memrag-demo')!.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  })

  test('starts Neo4j with a password of its own, settings that fit its memory, and no variables of Services', async () => {
    const scene = await running(stackScene())
    const password = textOf(scene.get('Secret', 'memneo4j-demo'), 'password')
    expect(textOf(scene.get('Secret', 'memneo4j-demo'), 'auth')).toBe(`neo4j/${password}`)
    const text = textOfSpec(scene, 'StatefulSet', 'memneo4j-demo')
    expect(text).toContain('"enableServiceLinks":false')
    expect(text).toContain(secretly('NEO4J_AUTH', 'memneo4j-demo', 'auth'))
    expect(text).toContain(variable('NEO4J_server_memory_heap_max__size', '512m'))
    expect(text).toContain(variable('NEO4J_server_memory_pagecache_size', '256m'))
    expect(text).toContain('"runAsUser":7474,"runAsGroup":7474,"fsGroup":7474')
    expect(scene.server.names.some((name) => name.startsWith('Service neo4j'))).toBe(false)
  })

  test('gives LightRAG its own database and role, its own key, and a database of Neo4j by name', async () => {
    const scene = await running(stackScene({ lightrag: { variables: { LLM_MODEL: 'm' }, secretName: 'llm' } }))
    const text = textOfSpec(scene, 'Deployment', 'memrag-demo')
    for (const part of [
      variable('LLM_MODEL', 'm'),
      '"envFrom":[{"secretRef":{"name":"llm"}}]',
      secretly('LIGHTRAG_API_KEY', 'memrag-demo', 'api-key'),
      variable('WHITELIST_PATHS', '/health'),
      variable('LIGHTRAG_GRAPH_STORAGE', 'Neo4JStorage'),
      variable('POSTGRES_HOST', 'mempg-demo.default.svc'),
      variable('POSTGRES_DATABASE', 'lightrag'),
      variable('POSTGRES_USER', 'lightrag'),
      secretly('POSTGRES_PASSWORD', 'memrag-demo', 'password'),
      variable('NEO4J_URI', 'bolt://memneo4j-demo.default.svc:7687'),
      variable('NEO4J_DATABASE', 'neo4j'),
      secretly('PGPASSWORD', 'mempg-demo', 'password'),
      'create extension if not exists vector',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('POSTGRES_SSL_MODE')
  })

  test('hides nothing that the image of LightRAG has below /app, and lets it write elsewhere', async () => {
    const scene = await running(stackScene())
    const text = textOfSpec(scene, 'Deployment', 'memrag-demo')
    expect(text).not.toContain('"mountPath":"/app')
    expect(text).toContain('"mountPath":"/srv/state"')
    for (const name of ['WORKING_DIR', 'INPUT_DIR']) expect(text).toContain(`"${name}","value":"/srv/state/`)
    // LightRAG makes the others, and ends where this one is not there.
    expect(text).toContain(variable('LOG_DIR', '/srv/state'))
  })

  test('starts LightRAG anew with a Secret that was lost and made anew', async () => {
    const scene = await running(stackScene())
    const before = textOfSpec(scene, 'Deployment', 'memrag-demo')
    scene.server.drop(pathTo('Secret', 'memrag-demo'))
    await scene.look(full)
    expect(textOfSpec(scene, 'Deployment', 'memrag-demo')).not.toBe(before)
  })

  test('on CloudNativePG has LightRAG’s role and database made by the operator, and checks its certificate', async () => {
    const scene = await running(onCluster())
    expect(scene.get('Cluster', 'mem-demo')!.spec).toMatchObject({
      managed: {
        roles: [{ name: 'lightrag', ensure: 'present', login: true, passwordSecret: { name: 'memrag-demo' } }],
      },
    })
    expect(scene.get('Secret', 'memrag-demo')).toMatchObject({
      ...{ type: 'kubernetes.io/basic-auth', metadata: { labels: { 'cnpg.io/reload': 'true' } } },
    })
    expect(scene.get('Database', 'mem-demo-lightrag')!.spec).toMatchObject({ name: 'lightrag', owner: 'lightrag' })
    const text = textOfSpec(scene, 'Deployment', 'memrag-demo')
    expect(text).toContain(variable('POSTGRES_HOST', 'mem-demo-rw.default'))
    expect(text).toContain(variable('POSTGRES_SSL_MODE', 'verify-full'))
    expect(text).toContain(variable('POSTGRES_SSL_ROOT_CERT', '/run/statewright/ca/ca.crt'))
    expect(text).toContain(
      '{"name":"ca","secret":{"secretName":"mem-demo-ca","items":[{"key":"ca.crt","path":"ca.crt"}]}}',
    )
    expect(text).not.toContain('initContainers')
  })

  test('gives the service both, with their secrets as files, and lets it serve without them', async () => {
    const scene = await running(stackScene({ embeddings: { url: 'https://e.test', model: 'm' } }))
    const secret = scene.get('Secret', 'memory-demo')
    const [graph, engine] = [scene.get('Secret', 'memneo4j-demo'), scene.get('Secret', 'memrag-demo')]
    expect(textOf(secret, 'GRAPH_URL')).toBe(`bolt://neo4j:${textOf(graph, 'password')}@memneo4j-demo.default.svc:7687`)
    expect(textOf(secret, 'ENGINE_API_KEY')).toBe(textOf(engine, 'api-key'))
    const text = textOfSpec(scene, 'Deployment', 'memory-demo')
    expect(text).toContain(variable('ENGINE_URL', 'http://memrag-demo.default.svc:9621'))
    expect(text).toContain(variable('ENGINE_API_KEY_FILE', '/run/statewright/secrets/ENGINE_API_KEY'))
    expect(text).toContain(variable('GRAPH_URL_FILE', '/run/statewright/secrets/GRAPH_URL'))
    expect(text).toContain(variable('READINESS_CHECKS', 'store'))
    // Of the embedded engine alone.
    expect(text).not.toContain('EMBEDDINGS_URL')
  })

  test('names what is waited for in order: PostgreSQL, Neo4j, LightRAG, the service', async () => {
    const scene = stackScene()
    const parts: string[] = []
    for (const [kind, name] of [
      ...([
        ['StatefulSet', 'mempg-demo'],
        ['StatefulSet', 'memneo4j-demo'],
      ] as const),
      ...([
        ['Deployment', 'memrag-demo'],
        ['Deployment', 'memory-demo'],
      ] as const),
    ]) {
      const { phase, part } = await scene.look(full)
      parts.push(`${phase} ${part}`)
      scene.put(kind, name, { status: { observedGeneration: 9, readyReplicas: 1, updatedReplicas: 1 } })
    }
    expect(parts).toEqual(['pending postgres', 'pending neo4j', 'pending lightrag', 'pending service'])
    expect(await scene.look(full)).toMatchObject({ phase: 'running' })
    scene.put('StatefulSet', 'memneo4j-demo', { status: { readyReplicas: 0 } })
    expect(await scene.look(full)).toMatchObject({ phase: 'degraded', part: 'neo4j' })
  })

  test('waits with LightRAG while the operator has not made its database', async () => {
    const scene = onCluster()
    await scene.look(full)
    scene.operate()
    scene.put('Database', 'mem-demo-lightrag', { status: { applied: false, message: 'no role' } })
    await scene.look(full)
    expect(scene.get('Deployment', 'memrag-demo')).toBeUndefined()
    expect(scene.get('Deployment', 'memory-demo')).toBeDefined()
  })

  test('makes no password of Neo4j anew beside the claim that knows the old one', async () => {
    const scene = await running(stackScene())
    scene.server.drop(pathTo('Secret', 'memneo4j-demo'))
    expect(await scene.look(full)).toMatchObject({
      ...{
        phase: 'degraded',
        part: 'neo4j',
        words: expect.stringContaining('Secret default/memneo4j-demo is missing'),
      },
    })
    expect(scene.get('Secret', 'memneo4j-demo')).toBeUndefined()
    // The service keeps what it had.
    expect(textOf(scene.get('Secret', 'memory-demo'), 'GRAPH_URL')).not.toBe('')
  })

  test('grows the claim of Neo4j (PROJECT-MEMORY-5)', async () => {
    const scene = await running(stackScene())
    await scene.look({ ...full, neo4jStorage: '30Gi' })
    expect(scene.get('PersistentVolumeClaim', 'memneo4j-demo-data')!.spec).toMatchObject({
      ...{ resources: { requests: { storage: '30Gi' } } },
    })
  })

  test.each([
    ['a StatefulSet', stackScene],
    ['CloudNativePG', onCluster],
  ])('on %s that becomes light loses what it no longer wants, and names the claim that stays', async (_what, make) => {
    const scene = await running(make())
    await scene.look()
    scene.operate()
    scene.run()
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'running' },
      words: 'PersistentVolumeClaim default/memneo4j-demo-data stays, though nothing uses it',
    })
    expect(scene.server.names.filter((name) => /^(Deployment|StatefulSet|Service) mem(rag|neo4j)/.test(name))).toEqual(
      [],
    )
    expect(Object.keys(scene.get('Secret', 'memory-demo')!.data!)).toEqual(['DATABASE_URL'])
    expect(textOfSpec(scene, 'Deployment', 'memory-demo')).not.toContain('ENGINE_URL')
    expect(scene.get('Cluster', 'mem-demo')?.spec ?? {}).not.toHaveProperty('managed')
    const password = textOf(scene.get('Secret', 'memneo4j-demo'), 'password')
    await running(scene)
    expect(textOf(scene.get('Secret', 'memneo4j-demo'), 'password')).toBe(password)
  })

  test('goes on with the other parts when the server refuses one', async () => {
    const scene = await running(stackScene())
    const message = 'statefulsets.apps "memneo4j-demo" is forbidden: exceeded quota'
    scene.server.before = ({ method, path }) => {
      if (method === 'PATCH' && path.endsWith('statefulsets/memneo4j-demo')) throw errorOf(403, { message })
    }
    expect(await scene.look(full)).toMatchObject({ phase: 'degraded', part: 'neo4j', words: message })
    expect(scene.writes()).toContain('PATCH statefulsets/mempg-demo')
  })

  test('ends, names what stays, and starts again with the passwords that it had', async () => {
    const scene = await running(stackScene())
    const secrets = (): unknown => scene.server.all('Secret').map(({ data }) => data)
    const before = secrets()
    expect(await scene.end()).toMatchObject({
      phase: 'gone',
      words:
        'PersistentVolumeClaim default/mempg-demo-data, PersistentVolumeClaim default/mempg-demo-wal, ' +
        'PersistentVolumeClaim default/memneo4j-demo-data, Secret default/mempg-demo, Secret default/memneo4j-demo, ' +
        'Secret default/memrag-demo, Secret default/memory-demo',
    })
    await running(scene)
    expect(secrets()).toEqual(before)
  })
})
