/**
 * A Project's full memory stack whose every part is real: PostgreSQL with pgvector, Neo4j and LightRAG as pods of the stand-in kubelet
 * on the real API server. Only the model behind LightRAG is scripted. `npm run long -- stack-full`. What only a node and the official
 * images can judge: their users, groups of volumes, and entry points.
 */
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'
import { stackImages, withStack, withStorage } from '../../standins/cnpg/testing/real-stack.ts'
import { repository } from '../../standins/kubelet/testing/real-kubelet.ts'
import { dimensions, startLightRagModel, type LightRagModel } from '../../standins/lightrag/model.ts'
import { ciScript } from '../../testing/ci-script.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { withStackLife, type StackLife } from '../testing/stack-life.ts'

const neo4jImage = 'example.test/neo4j:5.26'
const lightragImage = 'example.test/lightrag:1.5.7'
const minute = 60_000

let model: LightRagModel
let images: typeof stackImages
let knowledge: Pick<StackSettings, 'neo4jImage' | 'lightragImage' | 'lightrag'>

beforeAll(async () => {
  const libraries = await ciScript('neo4j.sh', ['fetch'])
  const environment = await ciScript('lightrag.sh', ['1.5.7', 'install'])
  const python = dirname(dirname(realpathSync(join(environment, 'bin', 'python'))))
  const script = (folder: string): string => join(repository, 'standins', folder, 'image.sh')
  images = {
    images: {
      ...stackImages.images,
      [neo4jImage]: ['bash', script('neo4j'), libraries],
      [lightragImage]: ['bash', script('lightrag'), environment],
    },
    programs: [...stackImages.programs, libraries, dirname(environment), python],
  }
  model = await startLightRagModel()
  const variables = {
    ...{ LLM_BINDING: 'openai', LLM_MODEL: 'scripted', LLM_BINDING_HOST: model.url, LLM_BINDING_API_KEY: 'none' },
    ...{ EMBEDDING_BINDING: 'openai', EMBEDDING_MODEL: 'scripted', EMBEDDING_DIM: `${dimensions}` },
    ...{ EMBEDDING_BINDING_HOST: model.url, EMBEDDING_BINDING_API_KEY: 'none', RERANK_BINDING: 'null' },
  }
  knowledge = { neo4jImage, lightragImage, lightrag: { variables } }
}, 15 * minute)
afterAll(() => model?.close())

const memory = { content: 'The CraneLift carries eleven tons to the HarborGate.', metadata: { kind: 'note' } }

/** main calls parse, which calls lex. */
const codeGraph = {
  commit: 'abc',
  mode: 'snapshot',
  files: [{ file: 'app.ts', sha: '1' }],
  entities: ['main', 'parse', 'lex'].map((id) => ({ id, type: 'function', name: id, file: 'app.ts' })),
  edges: [
    { from: 'main', to: 'parse', relation: 'calls' },
    { from: 'parse', to: 'lex', relation: 'calls' },
  ],
}

/** By a mode that needs the entities that LightRAG keeps in Neo4j. */
function found({ ask, cluster }: StackLife): Promise<Record<string, unknown>> {
  return cluster.fixture.until('the memory is found by its entities', async () => {
    const answer = await ask('POST', '/queries', { text: 'what does CraneLift carry', mode: 'local' })
    return JSON.stringify(answer).includes('eleven tons') && JSON.stringify(answer).includes('HarborGate')
      ? answer
      : undefined
  })
}

/** Once Neo4j has answered it, and not PostgreSQL in its place. */
function called({ ask, metrics, cluster }: StackLife): Promise<Record<string, unknown>> {
  return cluster.fixture.until('Neo4j answers for the code graph', async () => {
    const before = await answersOfNeo4j({ metrics })
    const answer = await ask('GET', '/code-graph/related?repo=shop&id=main')
    return (await answersOfNeo4j({ metrics })) > before ? answer : undefined
  })
}

async function answersOfNeo4j({ metrics }: Pick<StackLife, 'metrics'>): Promise<number> {
  const [, count] = /memory_code_graph_answers\{[^}]*store="neo4j"[^}]*\} (\d+)/.exec(await metrics()) ?? []
  return Number(count ?? 0)
}

const claim = 'memneo4j-demo-data'
const bound = { timeout: 5 * minute, interval: 500 }
/** More than one round of removals looks at. */
const notes = Array.from({ length: 54 }, (_, index) => {
  const name = `${'ABCDEF'[index % 6]}${'abcdefghi'[Math.floor(index / 6)]}`
  return `The Bollard${name} has mooring ${index}.`
})

/** Memories to which the entity that each of them names does not lead. */
async function missed({ ask }: StackLife): Promise<readonly string[]> {
  const missing: string[] = []
  for (const content of notes) {
    const text = `where is ${/Bollard\w+/.exec(content)?.[0]}`
    const answer = await ask('POST', '/queries', { text, mode: 'local' })
    if (!JSON.stringify(answer).includes(content)) missing.push(content)
  }
  return missing
}

/** Answers of every kind that go through the engine or the graph, and the truth behind them. */
async function allThatIsKnown(life: StackLife, ids: readonly string[]): Promise<Record<string, unknown>> {
  const { ask } = life
  const memories = await Promise.all(ids.map(async (id) => (await ask('GET', `/memories/${id}`))['content']))
  const listed = async (path: string): Promise<unknown> => (await ask('GET', `${path}?limit=200`))['items']
  const edges = await listed('/edges')
  return { memories, entities: await listed('/entities'), edges, hits: await found(life), calls: await called(life) }
}

/** Until nothing waits for the engine. */
async function fed({ metrics }: StackLife): Promise<void> {
  await vi.waitFor(async () => {
    const [, waiting] = /memory_feed_waiting\{[^}]*what="memories"[^}]*\} (\d+)/.exec(await metrics()) ?? []
    if (waiting !== '0') throw new Error(`${waiting} memories wait`)
  }, bound)
}

/** Neo4j's claim and LightRAG's database, each with the pod that has it open. */
async function destroyWhatIsDerived({ cluster: { kubectl } }: StackLife): Promise<void> {
  const uid = (): Promise<string> =>
    kubectl('get', 'pvc', claim, '--ignore-not-found', '-o', 'jsonpath={.metadata.uid}')
  const lightrag = ['-l', 'statewright.dev/memory-part=lightrag'] as const
  const before = await uid()
  await kubectl('delete', 'pvc', claim, '--wait=false')
  await kubectl('delete', 'pod', 'memneo4j-demo-0')
  await dropDatabase(await kubectl('get', 'pod', 'mempg-demo-0', '-o', 'json'), await secretOf(kubectl, 'mempg-demo'))
  await kubectl('delete', 'pod', ...lightrag)
  await vi.waitFor(async () => expect(['', before]).not.toContain(await uid()), bound)
  await vi.waitFor(() => kubectl('get', 'pod', 'memneo4j-demo-0'), bound)
  for (const pods of [['pod/memneo4j-demo-0'], ['pod', ...lightrag]])
    await vi.waitFor(() => kubectl('wait', '--for=condition=Ready', '--timeout=1s', ...pods), bound)
}

async function secretOf(kubectl: StackLife['cluster']['kubectl'], name: string): Promise<string> {
  const text = await kubectl('get', 'secret', name, '-o', 'jsonpath={.data.password}')
  return Buffer.from(text, 'base64').toString()
}

async function dropDatabase(pod: string, password: string): Promise<void> {
  const { status } = JSON.parse(pod) as { readonly status: { readonly podIP: string } }
  const client = new pg.Client({ host: status.podIP, user: 'memory', password, database: 'memory' })
  await client.connect()
  await client.query('drop database lightrag with (force)')
  await client.end()
}

interface PodSpec {
  readonly containers: readonly { readonly [name: string]: unknown }[]
}

/** As `kubectl exec` would beside the service: the stand-in kubelet has no exec, so it is a pod of the same template. */
async function rebuild({ cluster }: StackLife): Promise<string> {
  const { kubectl, kube, namespace } = cluster
  const deployment = JSON.parse(await kubectl('get', 'deployment', 'memory-demo', '-o', 'json')) as {
    readonly spec: { readonly template: { readonly spec: PodSpec } }
  }
  const { containers, ...spec } = deployment.spec.template.spec
  const { name, image, env, volumeMounts, securityContext } = containers[0] ?? {}
  const container = { name, image, env, volumeMounts, securityContext, args: ['memory', 'rebuild'] }
  await kube.ask('POST', `/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: 'rebuild' },
    spec: { ...spec, restartPolicy: 'Never', containers: [container] },
  })
  const phase = (): Promise<string> => kubectl('get', 'pod', 'rebuild', '-o', 'jsonpath={.status.phase}')
  await vi.waitFor(async () => expect(await phase()).toMatch(/Succeeded|Failed/), bound)
  return kubectl('logs', 'rebuild')
}

describeRequiring('stack', 'the full memory stack of a Project', () => {
  test(
    'serves by Neo4j and LightRAG, grows, ends with its Project and comes back with what it held',
    async () => {
      await withStack(
        (stack) =>
          withStackLife({ ...stack, usesCloudNativePg: true, knowledge }, async (life) => {
            await life.apply({ profile: 'full' })
            expect((await life.until('Running')).phase).toBe('Running')
            expect(await life.ask('GET', '/engine')).toMatchObject({ engine: 'lightrag' })
            const { id } = await life.ask('POST', '/memories', memory)
            await life.ask('POST', '/code-graph:bulk?repo=shop', codeGraph)
            const [hits, calls] = [await found(life), await called(life)]
            expect(JSON.stringify(calls)).toContain('lex')
            const larger = { profile: 'full', pgStorage: '2Gi', neo4jStorage: '11Gi' }
            await life.apply(larger)
            await life.cluster.fixture.until('both claims have grown', async () => {
              const claims = await life.cluster.kubectl(
                'get',
                'pvc',
                '-o',
                'jsonpath={.items[*].status.capacity.storage}',
              )
              return (claims.includes('2Gi') && claims.includes('11Gi')) || undefined
            })
            await life.until('Running')
            expect(await life.remove()).toContain('memneo4j-demo-data')
            await life.apply(larger)
            await life.until('Running')
            expect(await life.ask('GET', `/memories/${String(id)}`)).toMatchObject({ content: memory.content })
            expect([await found(life), await called(life)]).toEqual([hits, calls])
          }),
        images,
      )
    },
    20 * minute,
  )

  test(
    'takes up all that a light one held, and a rebuild brings back all that Neo4j and LightRAG have lost',
    async () => {
      await withStorage(
        (place) =>
          withStackLife({ ...place, usesCloudNativePg: false, knowledge }, async (life) => {
            await life.apply({})
            await life.until('Running')
            const ids: string[] = []
            for (const content of [memory.content, ...notes])
              ids.push(String((await life.ask('POST', '/memories', { ...memory, content }))['id']))
            await life.ask('POST', '/code-graph:bulk?repo=shop', codeGraph)
            await fed(life)
            await life.apply({ profile: 'full' })
            await vi.waitFor(
              async () => expect(await life.ask('GET', '/engine')).toMatchObject({ engine: 'lightrag' }),
              bound,
            )
            await life.until('Running')
            await fed(life)
            await found(life)
            const [from, to] = await Promise.all(
              ['CraneLift', 'BollardAa'].map(async (q) => {
                const { items } = await life.ask('GET', `/entities?q=${q}`)
                return (items as readonly { readonly id: string }[])[0]?.id
              }),
            )
            await life.ask('POST', '/edges', { from, to, relation: 'stands_on' })
            const before = await allThatIsKnown(life, ids)
            expect(await missed(life)).toEqual([])
            await destroyWhatIsDerived(life)
            await life.until('Running')
            const lost = await life.ask('POST', '/queries', { text: 'what does CraneLift carry', mode: 'local' })
            expect(JSON.stringify(lost)).not.toContain('eleven tons')
            // The service feeds some of them meanwhile.
            expect(await rebuild(life)).toMatch(/\d+ memories are in the engine; the graph is complete/)
            await fed(life)
            expect(await missed(life)).toEqual([])
            expect(await allThatIsKnown(life, ids)).toEqual(before)
          }),
        images,
      )
    },
    20 * minute,
  )
})
