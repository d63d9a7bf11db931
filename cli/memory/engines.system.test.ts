/** The program over the servers of other people: LightRAG retrieves, Neo4j serves the code graph, its own rows are the truth. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobBody } from '../../memory/ingest/job-view.ts'
import { openBolt } from '../../memory/graph/neo4j/bolt.ts'
import { startLightRagModel, type LightRagModel } from '../../standins/lightrag/model.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { programDir } from '../program.ts'
import { memoryHost, type MemoryHost, type MemoryProcess } from './testing/host.ts'
import { askWithToken, expectWhole, ingestOf, jobOf, type Ask } from './testing/ingests.ts'

const run = promisify(execFile)
const script = join(programDir, '.ci', 'lightrag.sh')
const versions = (process.env['LIGHTRAG_VERSIONS'] ?? '1.5.7').split(',')
const bolt = process.env['NEO4J_URL'] ?? ''
const items = 24
const late = 'The LanternKeeper waits for the NightTrain.'
/** LightRAG stores one text after another, and imports much before it listens. */
const patience = { timeout: 120_000, interval: 200 }
const boundMs = 400_000

/** `a` calls `b`. */
const graph = {
  mode: 'snapshot',
  commit: 'abc',
  files: [{ file: 'a.ts', sha: '1' }],
  entities: ['a', 'b'].map((id) => ({ id, type: 'function', name: id, file: 'a.ts' })),
  edges: [{ from: 'a', to: 'b', relation: 'calls' }],
}

for (const version of versions)
  describeRequiring('lightrag', `the service over LightRAG ${version}`, () =>
    describeRequiring('neo4j', 'and Neo4j', () => overServers(version)),
  )

function overServers(version: string): void {
  const space = randomUUID()
  let model: LightRagModel
  let folder = ''
  let engineUrl = ''
  let host: MemoryHost
  let env: Record<string, string> = {}
  let memory: MemoryProcess
  let ask: Ask

  /** On the port where it was, if it ran before. */
  async function startEngine(): Promise<void> {
    const port = engineUrl === '' ? {} : { LIGHTRAG_PORT: new URL(engineUrl).port }
    const { stdout } = await run(script, [version, 'start', folder, model.url], { env: { ...process.env, ...port } })
    engineUrl = stdout.trim()
  }

  beforeAll(async () => {
    model = await startLightRagModel()
    model.release()
    folder = await mkdtemp(join(tmpdir(), 'lightrag-'))
    await startEngine()
    host = await memoryHost()
    env = { ENGINE_URL: engineUrl, ENGINE_API_KEY: 'test-key', GRAPH_URL: bolt, GRAPH_SPACE: space }
    ask = askWithToken(host)
    memory = await host.start(env)
  }, boundMs)
  afterAll(async () => {
    await host?.close()
    await run(script, [version, 'stop', folder])
    await model?.close()
    await withoutSpace(space)
  }, boundMs)

  async function found(text: string, mode: string): Promise<readonly string[]> {
    const answer = await ask(memory, 'POST', '/queries', { mode, text, top_k: 200 })
    expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, ''])
    const { results } = (await answer.json()) as { readonly results: readonly { readonly content: string }[] }
    return results.map(({ content }) => content)
  }

  /** The texts that LightRAG has processed, as it says itself. */
  async function textsInLightRag(): Promise<readonly string[]> {
    const answer = await fetch(`${engineUrl}/documents/paginated`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'test-key' },
      body: JSON.stringify({ page: 1, page_size: 200 }),
    })
    const { documents } = (await answer.json()) as { readonly documents: readonly Document[] }
    return documents.filter(({ status }) => status === 'processed').map(({ content_summary: text }) => text)
  }

  async function isReady(): Promise<number> {
    return (await fetch(`${memory.url}/readyz`)).status
  }

  async function ingest(repo: string): Promise<string> {
    const answer = await ask(memory, 'POST', '/memories:bulk', ingestOf(repo, items))
    expect(answer.status).toBe(202)
    return ((await answer.json()) as JobBody).id
  }

  /** Waits for an answer that Neo4j gave, and returns the callers in it. */
  async function callersOfB(): Promise<readonly string[]> {
    const before = await answeredByNeo4j(memory)
    let callers: readonly string[] = []
    await expect
      .poll(async () => {
        const answer = await ask(memory, 'GET', '/code/callers?repo=lib&id=b')
        const { items: all } = (await answer.json()) as Callers
        callers = all.map(({ entity }) => entity.id)
        return answeredByNeo4j(memory)
      }, patience)
      .toBeGreaterThan(before)
    return callers
  }

  test(
    'an ingest goes on after its death, and each text is in LightRAG once',
    async () => {
      expect(await isReady()).toBe(200)
      const id = await ingest('lib')
      await expect.poll(async () => (await jobOf(ask, memory, id)).done, patience).toBeGreaterThan(0)
      await memory.kill()
      memory = await host.start(env)
      await expectWhole(ask, memory, id, items)
      const texts = await textsInLightRag()
      expect([texts.length, new Set(texts).size]).toEqual([items, items])
      expect((await found('Module7', 'naive'))[0]).toContain('Module7')
    },
    boundMs,
  )

  test(
    'Neo4j answers what PostgreSQL was given of a code graph (KNOWLEDGE-17)',
    async () => {
      expect((await ask(memory, 'POST', '/code-graph:bulk?repo=lib', graph)).status).toBe(200)
      expect(await callersOfB()).toEqual(['a'])
    },
    boundMs,
  )

  test(
    'a memory waits while LightRAG is away, which readiness says, and is found when it is back (MEMORY-HEALTH-4, QUERIES-23)',
    async () => {
      expect(await isReady()).toBe(200)
      await run(script, [version, 'kill', folder])
      await expect.poll(isReady, patience).toBe(503)
      const reasons = await (await fetch(`${memory.url}/readyz`)).text()
      expect(reasons).toContain('LightRAG did not answer')
      expect((await ask(memory, 'POST', '/queries', { mode: 'naive', text: 'Service3' })).status).toBe(502)
      const answer = await ask(memory, 'POST', '/memories', { text: late })
      const { id } = (await answer.json()) as { readonly id: string }
      await startEngine()
      await expect
        .poll(async () => ((await (await ask(memory, 'GET', `/memories/${id}`)).json()) as Row).status, patience)
        .toBe('ready')
      expect(await isReady()).toBe(200)
      expect(await found('LanternKeeper', 'local')).toContain(late)
    },
    boundMs,
  )

  test(
    '`memory rebuild` fills an empty LightRAG and an empty Neo4j from the rows (KNOWLEDGE-18)',
    async () => {
      expect(await memory.stop()).toBe(0)
      await run(script, [version, 'stop', folder])
      await startEngine()
      await withoutSpace(space)
      const { stdout } = await run(
        process.execPath,
        [join(programDir, 'bin', 'statewright.mjs'), 'memory', 'rebuild'],
        {
          env: {
            PATH: process.env['PATH'] ?? '',
            STATE_DIR: host.stateDir,
            ...(host.databaseUrl === '' ? {} : { DATABASE_URL: host.databaseUrl }),
            ...env,
          },
        },
      )
      expect(stdout).toContain(`${items + 1} memories are in the engine; the graph is complete`)
      memory = await host.start(env)
      expect(await callersOfB()).toEqual(['a'])
      const texts = await textsInLightRag()
      expect([texts.length, new Set(texts).size]).toEqual([items + 1, items + 1])
      expect(await found('NightTrain', 'local')).toContain(late)
    },
    boundMs,
  )
}

interface Document {
  readonly status: string
  readonly content_summary: string
}

interface Row {
  readonly status: string
}

interface Callers {
  readonly items: readonly { readonly entity: { readonly id: string } }[]
}

async function answeredByNeo4j({ url }: MemoryProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/memory_code_graph_answers\{[^}]*store="neo4j"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0)
}

/** Takes away what the space had in Neo4j. */
async function withoutSpace(space: string): Promise<void> {
  const server = openBolt({ url: bolt })
  await server.alone(
    'MATCH (n) WHERE n.graph STARTS WITH $space OR n.space = $space CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS',
    { space },
  )
  await server.close()
}
