/**
 * A Project's full memory stack whose every part is real: PostgreSQL with pgvector, Neo4j and LightRAG as pods of the stand-in kubelet
 * on the real API server. Only the model behind LightRAG is scripted. `npm run long -- stack-full`. What only a node and the official
 * images can judge: their users, groups of volumes, and entry points.
 */
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'
import { stackImages, withStack } from '../../standins/cnpg/testing/real-stack.ts'
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
})
