/** The code graph over HTTP, as docs/contract/knowledge.md has it. */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

const patience = 120_000

let memory: TestMemory
let repo = ''
/** Holds the sample from the beginning on, for questions that change nothing. */
const sampled = 'sampled'
let count = 0

beforeAll(async () => {
  memory = await openTestMemory()
  repo = sampled
  await push(sample)
}, patience)
afterAll(() => memory?.close(), patience)
beforeEach(() => {
  repo = `repo-${++count}`
})

interface Answered {
  readonly status: number
  readonly body: Body
}

/** What tests read of answers of all sorts; what an answer lacks is undefined. */
interface Body {
  readonly items: readonly Item[]
  readonly errors: readonly { readonly path: string }[]
  readonly next_cursor: string
  readonly code: string
  readonly edges: number
  readonly length: number
  readonly modularity: number
  readonly off_rubric: unknown
  readonly in: { readonly relations: readonly unknown[] }
}

interface Item {
  readonly id: string
  readonly size: number
  readonly score: number
  readonly distance: number
  readonly entity: { readonly id: string }
  readonly top: readonly { readonly id: string }[]
}

async function get(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<Answered> {
  const search = new URLSearchParams({
    repo,
    ...Object.fromEntries(Object.entries(query).map(([k, v]) => [k, String(v)])),
  })
  const answer = await memory.ask('GET', `${path}?${search}`)
  return { status: answer.status, body: (await answer.json()) as Body }
}

async function push(body: object, query = ''): Promise<Answered> {
  const answer = await memory.ask('POST', `/code-graph:bulk?repo=${repo}${query}`, body)
  return { status: answer.status, body: (await answer.json()) as Body }
}

function names(answer: Answered): string[] {
  return answer.body.items.map((item) => item.entity.id)
}

const fn = (id: string, file?: string): object => ({ id, type: 'function', name: id, ...(file ? { file } : {}) })
const edge = (from: string, to: string, relation = 'calls', more: object = {}): object => ({
  from,
  to,
  relation,
  ...more,
})

/** main -> parse -> lex, test -> parse; app.ts imports parse.ts; Parser implements Thing. */
const sample = {
  commit: 'abc',
  mode: 'snapshot',
  files: [
    { file: 'app.ts', sha: '1' },
    { file: 'parse.ts', sha: '2' },
  ],
  entities: [
    { id: 'app.ts', type: 'file', name: 'app.ts', file: 'app.ts' },
    { id: 'parse.ts', type: 'file', name: 'parse.ts', file: 'parse.ts' },
    fn('main', 'app.ts'),
    {
      id: 'parse',
      type: 'function',
      name: 'parse',
      file: 'parse.ts',
      line: 3,
      language: 'typescript',
      metadata: { exported: true },
    },
    fn('lex', 'parse.ts'),
    fn('test', 'app.ts'),
    { id: 'Parser', type: 'class', name: 'Parser', file: 'parse.ts' },
  ],
  edges: [
    edge('app.ts', 'main', 'contains'),
    edge('parse.ts', 'parse', 'contains'),
    edge('app.ts', 'parse.ts', 'imports'),
    edge('main', 'parse'),
    edge('test', 'parse', 'calls', { tier: 'INFERRED', confidence: 0.75 }),
    edge('parse', 'lex'),
    edge('Parser', 'Thing', 'implements'),
    edge('main', 'Parser', 'depends-on'),
    edge('lex', 'Parser', 'calls', { tier: 'AMBIGUOUS', confidence: 0.2 }),
  ],
  hyperedges: [{ id: 'h', relation: 'participate_in', label: 'parsing', members: ['parse', 'lex', 'Parser'] }],
}

describe('a push', () => {
  it('is answered with what it brought, and from then on every answer tells its commit and version (CODE-PUSH-1, CODE-PUSH-14)', async () => {
    const pushed = await push(sample)
    expect(pushed).toEqual({
      status: 200,
      body: { repo, mode: 'snapshot', files: 2, entities: 7, edges: 9, hyperedges: 1, commit: 'abc', version: 1 },
    })
    expect((await get('/code-graph/stats')).body).toMatchObject({ commit: 'abc', version: 1 })
  })

  it('is told in the action log, with who did it and how large it was (MEMORY-LOG-9)', async () => {
    await push(sample)
    const line = memory.log.lines().findLast((each) => each['action'] === 'code_graph.push')
    expect(line).toMatchObject({
      user: 'tester',
      resource_id: repo,
      mode: 'snapshot',
      version: 1,
      entities: 7,
      edges: 9,
    })
    expect(line).toHaveProperty('request_id')
    expect(line).toHaveProperty('duration_ms')
  })

  it('is counted', async () => {
    await push(sample)
    const text = await (await memory.ask('GET', '/metrics')).text()
    expect(text).toMatch(/memory_code_graph_pushes_total\{[^}]*mode="snapshot"[^}]*\} [1-9]/)
    expect(text).toMatch(/memory_code_graph_pushed_elements_total\{[^}]*kind="edges"[^}]*\} [1-9]/)
  })

  it('replaces files alone where it says so', async () => {
    await push(sample)
    const body = {
      mode: 'files',
      commit: 'def',
      files: [{ file: 'app.ts', sha: '9' }],
      entities: [fn('start', 'app.ts')],
      edges: [edge('start', 'parse')],
    }
    expect((await push(body)).body).toMatchObject({ version: 2, commit: 'def' })
    expect(names(await get('/code/callers', { id: 'parse' }))).toEqual(['start'])
    expect((await get('/code/entity', { id: 'main' })).status).toBe(404)
  })

  it('lists every fault with its place, and changes nothing (CODE-PUSH-2, CODE-PUSH-9, CODE-PUSH-10)', async () => {
    const { status, body } = await push({
      mode: 'all',
      surprise: 1,
      entities: [{ id: '', type: 'x', name: 'x' }, fn('ok'), { id: 'y', type: 'f', name: 'y', file: 'bad\u0000file' }],
      edges: [edge('a', 'b', 'calls', { confidence: 1.5 }), edge('a', 'b', 'calls', { tier: 'SURE' })],
      hyperedges: [{ id: 'h', relation: 'r', label: '', members: [] }],
      files: 'none',
    })
    expect(status).toBe(400)
    expect(body.errors.map((fault) => fault.path).toSorted()).toEqual([
      '/edges/0/confidence',
      '/edges/1/tier',
      '/entities/0/id',
      '/entities/2/file',
      '/files',
      '/hyperedges/0/members',
      '/mode',
      '/surprise',
    ])
    expect((await get('/code-graph/stats')).status).toBe(404)
  })

  it('refuses half of a surrogate pair, which no store would give back', async () => {
    const { status, body } = await push({ mode: 'snapshot', entities: [fn('a\ud800')] })
    expect(status).toBe(400)
    expect(body.errors[0]?.path).toBe('/entities/0/id')
  })

  it('takes any text in metadata, and refuses metadata that nests too deep (CODE-PUSH-16)', async () => {
    const withMetadata = (metadata: unknown): object => ({ mode: 'snapshot', entities: [{ ...fn('a'), metadata }] })
    expect((await push(withMetadata({ odd: 'a\u0000b\ud800c' }))).status).toBe(200)
    let deep: unknown = 1
    for (let level = 0; level < 100; level += 1) deep = { a: deep }
    expect((await push(withMetadata(deep))).status).toBe(400)
  })

  it('refuses in the mode files what came from another file, or from none (CODE-PUSH-13)', async () => {
    const files = [
      { file: 'a.ts', sha: '1' },
      { file: 'b.ts', sha: '' },
    ]
    const stranger = await push({
      mode: 'files',
      files,
      entities: [fn('x', 'c.ts'), fn('y', 'b.ts')],
      edges: [edge('x', 'y', 'calls', { file: 'd.ts' })],
    })
    expect(stranger.body.errors.map((fault) => fault.path)).toEqual([
      '/entities/0/file',
      '/edges/0/file',
      '/entities/1/file',
    ])
    const homeless = await push({
      mode: 'files',
      files,
      entities: [fn('a', 'a.ts')],
      edges: [edge('a', 'x'), edge('x', 'y')],
    })
    expect(homeless.body.errors).toMatchObject([{ path: '/edges/1/file' }])
    expect((await push({ mode: 'files' })).body.errors).toMatchObject([{ path: '/files' }])
  })

  it('gives all to the one file where only one is replaced', async () => {
    await push({ mode: 'files', files: [{ file: 'a.ts', sha: '1' }], entities: [fn('pkg')], edges: [edge('x', 'y')] })
    expect((await get('/code-graph/stats')).body).toMatchObject({ nodes: 3, edges: 1 })
    await push({ mode: 'files', files: [{ file: 'a.ts', sha: '' }] })
    expect((await get('/code-graph/stats')).body).toMatchObject({ nodes: 0, edges: 0, density: 0 })
  })

  it('keeps edges off the rubric and tells them, or refuses them when asked to be strict (CODE-PUSH-17, CODE-PUSH-18)', async () => {
    const body = {
      mode: 'snapshot',
      edges: [edge('a', 'b', 'calls', { tier: 'INFERRED', confidence: 0.5 }), edge('a', 'c')],
    }
    const kept = await push(body)
    expect(kept.body.off_rubric).toMatchObject({ count: 1, examples: [{ path: '/edges/0/confidence' }] })
    expect((await get('/code-graph/stats')).body.edges).toBe(2)
    const refused = await push(body, '&strict=true')
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/edges/0/confidence' }] } })
  })

  it('comes in parts, and is shown with the last (CODE-PUSH-19, CODE-PUSH-20, GRAPH-RULE-1)', async () => {
    const part = (number: number, more: object): Promise<Answered> =>
      push({ mode: 'snapshot', commit: 'c', snapshot_id: 's', part: number, ...more })
    expect((await part(1, { entities: [fn('a', 'a.ts')] })).body).toMatchObject({
      staged: { snapshot_id: 's', parts: [1] },
    })
    expect((await get('/code-graph/stats')).status).toBe(404)
    const early = await part(3, { final: true })
    expect(early).toMatchObject({ status: 409, body: { code: 'conflict', missing: [2] } })
    await part(2, { edges: [edge('a', 'b')] })
    expect((await part(3, { final: true })).body).toMatchObject({ commit: 'c', version: 1 })
    expect((await get('/code-graph/stats')).body).toMatchObject({ nodes: 2, edges: 1 })
    expect(
      (await push({ mode: 'files', part: 1, final: true, files: [{ file: 'a', sha: '' }] })).body.errors,
    ).toHaveLength(2)
    expect((await push({ mode: 'files', snapshot_id: 's', files: [{ file: 'a', sha: '' }] })).body.errors).toHaveLength(
      2,
    )
  })

  it('may be packed by gzip, and is bounded by what it unpacks to (CODE-PUSH-21, MEMORY-LIMITS-2)', async () => {
    const packed = (body: string): Promise<Response> =>
      memory.ask('POST', `/code-graph:bulk?repo=${repo}`, new Uint8Array(gzipSync(body)), {
        'content-encoding': 'gzip',
      })
    expect((await packed(JSON.stringify(sample))).status).toBe(200)
    const large = await packed(JSON.stringify({ mode: 'snapshot' }) + ' '.repeat(33 * 1024 * 1024))
    expect(large.status).toBe(413)
  })

  it('takes a body that is no JSON object for what it is', async () => {
    const raw = async (body: string): Promise<number> =>
      (await memory.ask('POST', `/code-graph:bulk?repo=${repo}`, body)).status
    expect([await raw('{"mode":'), await raw('[]'), await raw('')]).toEqual([400, 400, 400])
    const typed = await memory.ask('POST', `/code-graph:bulk?repo=${repo}`, 'x', { 'content-type': 'text/plain' })
    expect(typed.status).toBe(415)
  })

  it('needs a repository and a bearer', async () => {
    expect((await memory.ask('POST', '/code-graph:bulk', sample)).status).toBe(400)
    const unknown = await memory.ask('POST', `/code-graph:bulk?repo=${repo}`, sample, { authorization: 'Bearer no' })
    expect(unknown.status).toBe(401)
  })
})

describe('semantic misses', () => {
  it('are the files whose hash is not the indexed one (CODE-PUSH-25)', async () => {
    await push(sample)
    const files = [
      { file: 'app.ts', sha: '1' },
      { file: 'parse.ts', sha: 'changed' },
      { file: 'new.ts', sha: '3' },
    ]
    const ask = (body: unknown): Promise<Response> =>
      memory.ask('POST', `/code-graph/semantic-misses?repo=${repo}`, body)
    expect(await (await ask(files)).json()).toEqual({ misses: files.slice(1) })
    expect(await (await ask({ files })).json()).toEqual({ misses: files.slice(1) })
    expect((await ask({ files: [{ file: 1 }] })).status).toBe(400)
  })

  it('of an unknown repository are a 404 (CODE-PUSH-26)', async () => {
    expect((await memory.ask('POST', `/code-graph/semantic-misses?repo=${repo}`, [])).status).toBe(404)
  })
})

describe('code entities', () => {
  it('are searched by name, type and page (CODE-GRAPH-1, CODE-GRAPH-2)', async () => {
    await push(sample)
    const found = await get('/code/entities', { q: 'pars', limit: 2 })
    expect(found.body).toMatchObject({ items: [{ id: 'parse' }, { id: 'Parser' }], truncated: true, commit: 'abc' })
    expect((await get('/code/entities', { q: 'pars', type: 'class' })).body.items).toHaveLength(1)
    const first = await get('/code/entities', { limit: 5 })
    const second = await get('/code/entities', { limit: 5, cursor: first.body.next_cursor })
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual([
      'Parser',
      'Thing',
      'app.ts',
      'lex',
      'main',
      'parse',
      'parse.ts',
      'test',
    ])
    expect(second.body).not.toHaveProperty('next_cursor')
    expect((await get('/code/entities', { q: 'x', cursor: first.body.next_cursor })).status).toBe(400)
    expect((await get('/code/entities', { cursor: 'rubbish' })).status).toBe(400)
  })

  it('are read by id (CODE-PUSH-6, CODE-PUSH-12, CODE-GRAPH-3)', async () => {
    await push(sample)
    expect((await get('/code/entity', { id: 'parse' })).body).toEqual({
      ...sample.entities[3],
      commit: 'abc',
      version: 1,
    })
    expect((await get('/code/entity', { id: 'Thing' })).body).toMatchObject({ type: 'external', name: 'Thing' })
  })

  it.each([
    ['/code/neighbors', {}, ['app.ts', 'parse'].concat('Parser')],
    ['/code/neighbors', { direction: 'out' }, ['Parser', 'parse']],
    ['/code/neighbors', { direction: 'in' }, ['app.ts']],
    ['/code/neighbors', { relation: 'calls' }, ['parse']],
    ['/code/neighbors', { direction: 'out', depth: 2 }, ['Parser', 'parse', 'Thing', 'lex']],
    ['/code/callees', {}, ['parse']],
    ['/code/callees', { depth: 3 }, ['parse', 'lex', 'Parser']],
    ['/code/callees', { depth: 3, min_confidence: 0.5 }, ['parse', 'lex']],
    ['/code/callees', { depth: 3, max_hops: 'AMBIGUOUS:0' }, ['parse', 'lex']],
    ['/code/dependencies', {}, ['Parser', 'parse']],
    ['/code/dependencies', { relations: 'depends-on' }, ['Parser']],
  ])(
    'answers %s %j of main (CODE-QUERY-3, CODE-QUERY-4, CODE-QUERY-6, CODE-QUERY-10, CODE-GRAPH-4, CODE-GRAPH-6, CODE-GRAPH-9, TOOL-CODE-5)',
    async (path, query, expected) => {
      repo = sampled
      const found = await get(path, { id: 'main', ...query })
      expect(found.status).toBe(200)
      expect(names(found).toSorted()).toEqual([...expected].toSorted())
      expect(found.body).toMatchObject({ truncated: false, commit: 'abc', version: 1 })
    },
  )

  it('answers callers and dependents, filtered by tier (CODE-PUSH-7, CODE-QUERY-5, CODE-QUERY-11, CODE-GRAPH-5, CODE-GRAPH-7, CODE-GRAPH-8, GRAPH-RULE-2)', async () => {
    await push(sample)
    expect(names(await get('/code/callers', { id: 'parse' }))).toEqual(['main', 'test'])
    expect(names(await get('/code/callers', { id: 'parse', tier: 'INFERRED,AMBIGUOUS' }))).toEqual(['test'])
    expect(names(await get('/code/dependents', { id: 'Parser' }))).toEqual(['lex', 'main'])
    expect(names(await get('/code/dependents', { id: 'Thing' }))).toEqual(['Parser'])
    expect(names(await get('/code/dependents', { id: 'parse.ts' }))).toEqual(['app.ts'])
    expect(names(await get('/code/dependents', { id: 'parse' }))).toEqual(['main', 'test'])
    const item = (await get('/code/callers', { id: 'parse', limit: 1 })).body
    expect(item).toMatchObject({
      truncated: true,
      items: [
        { distance: 1, edge: { from: 'main', to: 'parse', relation: 'calls', confidence: 1, tier: 'EXTRACTED' } },
      ],
    })
  })

  it('answers what a file imports, by path or by the id of its entity (CODE-GRAPH-12, CODE-GRAPH-13)', async () => {
    await push(sample)
    const imported = { items: [{ entity: { id: 'parse.ts' }, edge: { relation: 'imports' } }], truncated: false }
    expect((await get('/code/file-imports', { path: 'app.ts' })).body).toMatchObject(imported)
    expect((await get('/code/file-imports', { path: 'parse.ts' })).body).toMatchObject({ items: [] })
    expect((await get('/code/file-imports', { path: 'main' })).body).toMatchObject(imported)
    expect((await get('/code/file-imports', { path: 'nowhere.ts' })).status).toBe(404)
    await push({
      mode: 'snapshot',
      entities: [{ id: 'f:a', type: 'file', name: 'a' }],
      edges: [edge('f:a', 'b', 'imports'), edge('c', 'f:a', 'imports')],
    })
    expect(names(await get('/code/file-imports', { path: 'f:a' }))).toEqual(['b'])
  })

  it('answers the resources that a root owns, whichever end says it (CODE-GRAPH-10, CODE-GRAPH-11, CODE-QUERY-8)', async () => {
    await push({
      mode: 'snapshot',
      edges: [
        edge('deploy', 'rs', 'owns'),
        edge('pod', 'rs', 'owned-by'),
        edge('pod', 'volume', 'controls'),
        edge('pod', 'config', 'mounts'),
        edge('deploy', 'config', 'references'),
        edge('deploy', 'template', 'contains'),
        edge('deploy', 'account', 'selects'),
        edge('deploy', 'other', 'calls'),
        edge('above', 'deploy', 'owns'),
      ],
    })
    const found = await get('/code/resource-graph', { id: 'deploy' })
    expect(found.body.items.map((item) => [item.entity.id, item.distance])).toEqual([
      ['rs', 1],
      ['pod', 2],
      ['volume', 3],
    ])
    expect(names(await get('/code/resource-graph', { id: 'deploy', depth: 1 }))).toEqual(['rs'])
    expect(names(await get('/code/resource-graph', { id: 'deploy', relations: 'calls' }))).toEqual(['other'])
    expect(names(await get('/code/resource-graph', { id: 'pod', relations: 'mounts' }))).toEqual(['config'])
    expect((await get('/code/resource-graph', { id: 'deploy', limit: 1 })).body).toMatchObject({ truncated: true })
  })

  it('answers links to other repositories (CODE-GRAPH-14)', async () => {
    const app = repo
    await push({ mode: 'snapshot', entities: [fn('main')], edges: [edge('main', `${app}:lib`)] })
    repo = `${app}-lib`
    await push({ mode: 'snapshot', commit: 'lib', entities: [fn(`${app}:lib`)] })
    expect((await get('/code/cross-repo', { id: `${app}:lib` })).body).toMatchObject({
      items: [{ repo: app, direction: 'in', entity: { id: 'main' }, edge: { relation: 'calls' } }],
      commit: 'lib',
    })
    repo = app
    expect((await get('/code/cross-repo', { id: 'main' })).body.items).toMatchObject([
      { repo: `${app}-lib`, direction: 'out' },
    ])
  })

  it('links two repositories that use one package (CODE-GRAPH-15)', async () => {
    const one = repo
    const shared = `npm:${one}`
    await push({ mode: 'snapshot', edges: [edge('one.ts', shared, 'imports')] })
    repo = `${one}-too`
    await push({ mode: 'snapshot', edges: [edge('two.ts', shared, 'imports')] })
    expect((await get('/code/cross-repo', { id: shared })).body.items).toMatchObject([
      { repo: one, direction: 'in', entity: { id: 'one.ts' }, edge: { relation: 'imports' } },
    ])
  })
})

describe('the graph as a whole', () => {
  it('gives a shortest way, or says that there is none (CODE-GRAPH-16, CODE-GRAPH-17, CODE-GRAPH-18, CODE-GRAPH-19)', async () => {
    await push(sample)
    const found = await get('/code-graph/path', { from: 'main', to: 'lex', direction: 'out' })
    expect(found.body).toMatchObject({
      length: 2,
      path: [{ id: 'main' }, { id: 'parse' }, { id: 'lex' }],
      edges: [{ to: 'parse' }, { to: 'lex' }],
      commit: 'abc',
    })
    expect(await get('/code-graph/path', { from: 'main', to: 'main' })).toMatchObject({
      body: { length: 0, edges: [] },
    })
    expect(await get('/code-graph/path', { from: 'lex', to: 'main', direction: 'out' })).toMatchObject({
      status: 404,
      body: { code: 'no-path' },
    })
    expect((await get('/code-graph/path', { from: 'parse', to: 'main', direction: 'in' })).body.length).toBe(1)
    const either: readonly Readonly<Record<string, string>>[] = [{}, { direction: 'both' }]
    for (const direction of either) {
      const path = await get('/code-graph/path', { from: 'parse', to: 'parse.ts', ...direction })
      expect(path.body).toMatchObject({ length: 1, edges: [{ from: 'parse.ts', to: 'parse', relation: 'contains' }] })
    }
    expect(await get('/code-graph/path', { from: 'main', to: 'lex', max_depth: 1 })).toMatchObject({
      body: { code: 'no-path' },
    })
    expect(await get('/code-graph/path', { from: 'main', to: 'lex', relations: 'imports' })).toMatchObject({
      status: 404,
    })
    expect(
      (await get('/code-graph/path', { from: 'main', to: 'lex', direction: 'out', max_hops: 'EXTRACTED:1' })).status,
    ).toBe(404)
    expect((await get('/code-graph/path', { from: 'main', to: 'nobody' })).body.code).toBe('not-found')
  })

  it('gives what is related by any path (CODE-GRAPH-26)', async () => {
    await push(sample)
    const found = await get('/code-graph/related', { id: 'lex', relations: 'calls', min_confidence: 0.7 })
    expect(names(found)).toEqual(['parse', 'main', 'test'])
  })

  it('sums an entity up (CODE-GRAPH-25)', async () => {
    await push(sample)
    const { body } = await get('/code-graph/explain', { id: 'parse' })
    expect(body).toMatchObject({
      entity: { id: 'parse' },
      summary: 'function parse in parse.ts:3; in: calls 2, contains 1; out: calls 1',
      in: { total: 3, truncated: false },
      out: {
        total: 1,
        relations: [{ relation: 'calls', count: 1, by_tier: { EXTRACTED: 1 }, examples: [{ entity: { id: 'lex' } }] }],
      },
      commit: 'abc',
    })
    expect(body.in.relations[0]).toMatchObject({ relation: 'calls', by_tier: { EXTRACTED: 1, INFERRED: 1 } })
  })

  it('is counted (KNOWLEDGE-7, KNOWLEDGE-8, CODE-GRAPH-22)', async () => {
    await push(sample)
    expect((await get('/code-graph/stats')).body).toEqual({
      nodes: 8,
      edges: 9,
      density: 9 / 56,
      hyperedges: 1,
      by_type: { class: 1, external: 1, file: 2, function: 4 },
      by_relation: { calls: 4, contains: 2, 'depends-on': 1, implements: 1, imports: 1 },
      by_tier: { EXTRACTED: 7, INFERRED: 1, AMBIGUOUS: 1 },
      commit: 'abc',
      version: 1,
    })
  })

  it('counts parallel edges once and loops not, so that its density is at most 1 (CODE-GRAPH-23)', async () => {
    await push({
      mode: 'snapshot',
      edges: [edge('a', 'b'), edge('a', 'b', 'uses'), edge('b', 'a'), edge('a', 'a'), edge('b', 'b', 'uses')],
    })
    expect((await get('/code-graph/stats')).body).toMatchObject({ nodes: 2, edges: 5, density: 1 })
  })

  it('tells its ambiguous edges, the least sure first (CODE-GRAPH-24, GRAPH-RULE-3)', async () => {
    await push({
      mode: 'snapshot',
      edges: [
        edge('a', 'b', 'calls', { confidence: 0.45, tier: 'INFERRED' }),
        edge('b', 'c', 'calls', { tier: 'AMBIGUOUS', confidence: 0.3 }),
        edge('c', 'd'),
      ],
    })
    const found = await get('/code-graph/ambiguous')
    expect(found.body.items).toMatchObject([
      { from: 'b', to: 'c', from_entity: { id: 'b' }, to_entity: { id: 'c' } },
      { from: 'a', to: 'b' },
    ])
    expect((await get('/code-graph/ambiguous', { tier: 'INFERRED' })).body.items).toHaveLength(1)
  })

  it('gives hyperedges, of an entity or all, and one by its id (CODE-PUSH-8, CODE-PUSH-11, CODE-GRAPH-27, CODE-GRAPH-28)', async () => {
    await push(sample)
    const whole = {
      id: 'h',
      relation: 'participate_in',
      label: 'parsing',
      members: ['parse', 'lex', 'Parser'],
      confidence: 1,
      tier: 'EXTRACTED',
    }
    expect((await get('/code-graph/hyperedges')).body).toEqual({
      items: [whole],
      truncated: false,
      commit: 'abc',
      version: 1,
    })
    expect((await get('/code-graph/hyperedges', { id: 'lex' })).body.items).toHaveLength(1)
    expect((await get('/code-graph/hyperedges', { id: 'main' })).body.items).toEqual([])
    expect((await get('/code-graph/hyperedge', { id: 'h' })).body).toMatchObject(whole)
    expect((await get('/code-graph/hyperedge', { id: 'x' })).status).toBe(404)
  })

  it('ranks entities by degree and by betweenness, and says how (CODE-GRAPH-20, CODE-GRAPH-21, CODE-QUERY-7)', async () => {
    await push(sample)
    const degree = await get('/code-graph/important', { limit: 2 })
    expect(degree.body).toMatchObject({
      by: 'degree',
      method: 'exact',
      truncated: true,
      items: [{ entity: { id: 'parse' }, score: 4 }, { score: 3 }],
    })
    const between = await get('/code-graph/important', { by: 'betweenness' })
    expect(between.body).toMatchObject({ by: 'betweenness', method: 'exact', k: 7, seed: 1, commit: 'abc' })
    expect(between.body.items[0]?.score).toBeGreaterThan(between.body.items[1]?.score ?? 0)
    expect((await get('/code-graph/important', { by: 'size' })).status).toBe(400)
  })

  it('finds communities, the same each time, and their members (CODE-GRAPH-29, CODE-GRAPH-30, CODE-GRAPH-31)', async () => {
    const clique = (name: string): object[] =>
      [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].filter((b) => b > a).map((b) => edge(`${name}${a}`, `${name}${b}`)))
    await push({
      mode: 'snapshot',
      commit: 'c',
      entities: [fn('alone')],
      edges: [...clique('x'), ...clique('y'), edge('x0', 'y0')],
    })
    const { body } = await get('/code-graph/communities')
    expect(body).toMatchObject({ count: 3, truncated: false, method: 'louvain', seed: 1, commit: 'c' })
    expect(body.items.map(({ id, size }) => [id, size])).toEqual([
      [0, 4],
      [1, 4],
      [2, 1],
    ])
    expect(body.modularity).toBeGreaterThan(0.3)
    expect(body.items[0]?.top[0]?.id).toBe('x0')
    const members = await get('/code-graph/community', { community: 1 })
    expect(members.body).toMatchObject({ id: 1, size: 4, truncated: false, commit: 'c' })
    expect(members.body.items.map(({ id }) => id)).toEqual(['y0', 'y1', 'y2', 'y3'])
    expect((await get('/code-graph/community', { community: 3 })).status).toBe(404)
    await push({ mode: 'snapshot', edges: [edge('x0', 'y0'), ...clique('y'), ...clique('x')], entities: [fn('alone')] })
    expect((await get('/code-graph/communities')).body).toMatchObject({
      items: body.items,
      modularity: body.modularity,
    })
  })

  it('finds bridges without those that only say where something stands (CODE-GRAPH-32, CODE-GRAPH-33)', async () => {
    await push({
      mode: 'snapshot',
      entities: ['a', 'b', 'c', 'd', 'e', 'f.ts'].map((id) => fn(id)),
      edges: [
        edge('a', 'b'),
        edge('b', 'c'),
        edge('c', 'a'),
        edge('c', 'd'),
        edge('d', 'e'),
        edge('e', 'd'),
        edge('f.ts', 'a', 'contains'),
        edge('g.ts', 'a', 'declares'),
      ],
    })
    expect((await get('/code-graph/bridges')).body).toMatchObject({
      items: [{ from: 'c', to: 'd', relation: 'calls', separates: 2 }],
      truncated: false,
    })
    expect((await get('/code-graph/bridges', { relations: 'contains' })).body.items).toMatchObject([
      { from: 'f.ts', separates: 1 },
    ])
  })

  it('counts what stands in a place as connected with it, so a base class separates no more than it does (CODE-GRAPH-32, CODE-GRAPH-33)', async () => {
    const entities = [fn('base.ts'), fn('mine.ts'), fn('Base'), fn('Mine'), fn('run')]
    const edges = [
      edge('base.ts', 'Base', 'declares'),
      edge('mine.ts', 'Mine', 'contains'),
      edge('mine.ts', 'run', 'contains'),
      edge('Mine', 'Base', 'extends'),
    ]
    await push({ mode: 'snapshot', entities, edges })
    const bridge = { from: 'Mine', to: 'Base', relation: 'extends', separates: 2 }
    expect((await get('/code-graph/bridges')).body.items).toMatchObject([bridge])
    await push({ mode: 'snapshot', entities, edges: [...edges, edge('mine.ts', 'base.ts', 'imports')] })
    expect((await get('/code-graph/bridges')).body.items).toEqual([])
  })

  it('ranks the own code, and tests and externals only where the caller includes them (CODE-GRAPH-34)', async () => {
    await push({
      mode: 'snapshot',
      entities: [fn('parse', 'parse.ts'), fn('main', 'main.ts'), fn('checks', 'parse.test.ts'), fn('lex', 'lex.ts')],
      edges: [
        edge('main', 'parse'),
        edge('parse', 'lex'),
        edge('checks', 'parse'),
        edge('checks', 'lex'),
        ...['main', 'parse', 'lex', 'checks'].map((id) => edge(id, 'npm:kit', 'imports')),
        edge('lex', 'npm:once', 'imports'),
      ],
    })
    const scores = async (query: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      (await get('/code-graph/important', query)).body.items.map(({ entity, score }) => `${entity.id} ${score}`)
    expect(await scores({})).toEqual(['parse 2', 'lex 1', 'main 1'])
    expect(await scores({ by: 'betweenness' })).toEqual(['parse 1', 'lex 0', 'main 0'])
    expect(await scores({ include: 'tests' })).toEqual(['parse 3', 'checks 2', 'lex 2', 'main 1'])
    expect(await scores({ include: 'externals,tests', limit: '2' })).toEqual(['lex 4', 'npm:kit 4'])
    expect((await get('/code-graph/important', { limit: 3 })).body).toMatchObject({ truncated: false })
    expect((await get('/code-graph/important', { include: 'all' })).status).toBe(400)
    const bridgesOf = async (query: Readonly<Record<string, string>>): Promise<readonly object[]> =>
      (await get('/code-graph/bridges', query)).body.items
    expect(await bridgesOf({})).toMatchObject([
      { from: 'main', to: 'parse' },
      { from: 'parse', to: 'lex' },
    ])
    expect(await bridgesOf({ include: 'externals,tests' })).toMatchObject([{ from: 'lex', to: 'npm:once' }])
  })

  it('works on an empty graph', async () => {
    await push({ mode: 'snapshot' })
    expect((await get('/code-graph/communities')).body).toMatchObject({ items: [], modularity: 0 })
    expect((await get('/code-graph/important', { by: 'betweenness' })).body.items).toEqual([])
    expect((await get('/code-graph/bridges')).body.items).toEqual([])
  })
})

describe('every question', () => {
  const paths = [
    ['/code/entities', {}],
    ...['entity', 'neighbors', 'callers', 'callees', 'dependents', 'dependencies', 'resource-graph', 'cross-repo'].map(
      (name) => [`/code/${name}`, { id: 'main' }] as const,
    ),
    ['/code/file-imports', { path: 'app.ts' }],
    ['/code-graph/path', { from: 'main', to: 'lex' }],
    ...['important', 'stats', 'ambiguous', 'hyperedges', 'communities', 'bridges'].map(
      (name) => [`/code-graph/${name}`, {}] as const,
    ),
    ['/code-graph/explain', { id: 'main' }],
    ['/code-graph/related', { id: 'main' }],
    ['/code-graph/hyperedge', { id: 'h' }],
    ['/code-graph/community', { community: 0 }],
  ] as const satisfies readonly (readonly [string, Record<string, string | number>])[]

  it.each(paths)(
    'of %s knows no repository that was not pushed, and needs one (CODE-PUSH-23, CODE-QUERY-1, CODE-QUERY-2, CODE-QUERY-13)',
    async (path, query) => {
      expect(await get(path, query)).toMatchObject({ status: 404, body: { code: 'not-found' } })
      const without = await memory.ask('GET', `${path}?${new URLSearchParams(query as Record<string, string>)}`)
      expect(without.status).toBe(400)
      repo = sampled
      expect(await get(path, query)).toMatchObject({ status: 200, body: { commit: 'abc', version: 1 } })
    },
  )

  it.each(['entity', 'neighbors', 'callers', 'callees', 'dependents', 'dependencies', 'resource-graph', 'cross-repo'])(
    'of /code/%s knows no entity that was not pushed (CODE-QUERY-2)',
    async (name) => {
      repo = sampled
      expect(await get(`/code/${name}`, { id: 'nobody' })).toMatchObject({ status: 404, body: { code: 'not-found' } })
    },
  )

  it('refuses parameters out of bounds, all at once (CODE-QUERY-4, CODE-QUERY-8, CODE-QUERY-9)', async () => {
    repo = sampled
    const { status, body } = await get('/code/neighbors', {
      id: 'main',
      depth: 5,
      direction: 'up',
      min_confidence: 2,
      tier: 'SURE',
      limit: 0,
      max_hops: 'X',
    })
    expect(status).toBe(400)
    expect(body.errors.map((fault) => fault.path)).toEqual([
      '/depth',
      '/direction',
      '/limit',
      '/max_hops',
      '/min_confidence',
      '/tier',
    ])
    expect((await get('/code-graph/path', { from: 'a', to: 'b', max_depth: 13 })).status).toBe(400)
  })

  it('answers 500 items at most (CODE-QUERY-12, MEMORY-LIMITS-6)', async () => {
    const edges = Array.from({ length: 600 }, (_, at) => edge('hub', `leaf${String(at).padStart(3, '0')}`))
    await push({ mode: 'snapshot', edges })
    const most = await get('/code/callees', { id: 'hub', limit: 10_000 })
    expect(most.body.items).toHaveLength(500)
    expect(most.body).toMatchObject({ truncated: true })
    expect((await get('/code/callees', { id: 'hub' })).body.items).toHaveLength(100)
  })
})
