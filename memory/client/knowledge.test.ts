import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'
import { pushGraph, type PushOutcome } from './push/push.ts'
import { extractFrom, folderOf, writeFiles } from '../extract/testing/folder.ts'
import { planIngest, type IngestPlan } from './ingest/plan.ts'
import { settledRecord } from './ingest/record.ts'
import { ingest } from './ingest/run.ts'
import { findCommit } from './ingest/tree.ts'
import { memoryClient, type MemoryClient } from './memory-client.ts'

let memory: TestMemory
let client: MemoryClient

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

beforeAll(async () => {
  memory = await openTestMemory()
  const tokens = { token: async () => 'good', forget: () => undefined }
  client = memoryClient({ url: memory.url, tokens, clock: systemClock, fetch, wait })
})

afterAll(async () => {
  await memory.close()
})

interface Edges {
  readonly items: readonly { readonly entity: { readonly id: string } }[]
}

async function callersOf(repo: string, id: string): Promise<string[]> {
  const query = `repo=${repo}&id=${encodeURIComponent(id)}`
  const { items } = (await client.get(`/code/callers?${query}`)) as Edges
  return items.map(({ entity }) => entity.id).toSorted()
}

test('a push sends all at first, then what has changed; an unchanged file whose names lead elsewhere now is sent, too (EXTRACTION-5, GRAPH-RULE-4)', async () => {
  const repo = 'push'
  const dir = folderOf({
    'a.ts': `import { run } from './b.ts'\nexport function start(): void { run() }`,
    'b.ts': 'export function run(): void {}',
    'c.ts': 'export function other(): void {}',
    'd.ts': 'export const d = 1',
    'e.ts': 'export const e = 1',
  })
  let ids = 0
  const push = async (full = false): Promise<PushOutcome> =>
    pushGraph((await extractFrom(dir)).pieces, { client, repo, full, newId: () => `s${(ids += 1)}` })

  expect(await push()).toMatchObject({ mode: 'snapshot', files: 5 })
  expect(await callersOf(repo, 'b.ts#run')).toEqual(['a.ts#start'])
  expect(await push()).toMatchObject({ mode: 'nothing' })

  writeFiles(dir, { 'b.ts': `export { other as run } from './c.ts'` })
  expect(await push()).toMatchObject({ mode: 'files', files: 2 })
  expect(await callersOf(repo, 'c.ts#other')).toEqual(['a.ts#start'])

  rmSync(join(dir, 'd.ts'))
  expect(await push()).toMatchObject({ mode: 'files', files: 0, gone: 1 })
  const incremental = await client.get(`/code-graph/stats?repo=${repo}`)
  expect(await push(true)).toMatchObject({ mode: 'snapshot', files: 4 })
  const { nodes, edges } = (await client.get(`/code-graph/stats?repo=${repo}`)) as { nodes: number; edges: number }
  expect(incremental).toMatchObject({ nodes, edges })
})

test('a graph that is too big for one body goes as a staged snapshot, and readers see it whole', async () => {
  const repo = 'staged'
  const { pieces } = await extractFrom(
    folderOf(Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`f${n}.ts`, `export function f${n}(): void {}`]))),
  )
  expect(await pushGraph(pieces, { client, repo, full: false, newId: () => 'snap', mostBytes: 900 })).toMatchObject({
    mode: 'snapshot',
    files: 6,
  })
  expect(await client.get(`/code-graph/stats?repo=${repo}`)).toMatchObject({ nodes: 12 })
})

function repository(): string {
  const dir = folderOf({
    'README.md': '# Parcel\n\nSends parcels by pigeon.',
    'src/pigeon.ts': 'export function fly(): void {}',
    'src/door.ts': 'export function openTheDoor(): void {}',
    '.env': 'API_KEY=real',
    'config.ts': `const apiKey = '${'q8Zr2LmX9vBt4KwY'}7HsD'`,
    '.gitignore': 'out/\n',
    'out/built.ts': 'nobody()',
  })
  git(dir, 'init', '-q', '-b', 'main')
  commit(dir, 'Teach the pigeon to fly')
  return dir
}

function git(dir: string, ...parameters: string[]): void {
  execFileSync('git', ['-C', dir, '-c', 'user.name=t', '-c', 'user.email=t@t.test', ...parameters], { stdio: 'ignore' })
}

function commit(dir: string, subject: string): void {
  git(dir, 'add', '-A', '-f', '.')
  git(dir, 'rm', '-q', '-r', '--cached', 'out', '--ignore-unmatch')
  git(dir, 'commit', '-q', '-m', subject)
}

/** What a run would send, against what the service has now. */
async function planOf(dir: string, repo: string, mostCommits = 10): Promise<IngestPlan> {
  const issues = [{ number: 7, title: 'The pigeon is late', body: 'By a day.' }]
  const order = { dir, commit: await findCommit(dir, 'HEAD'), repo, largestBytes: 10_000, mostCommits, issues }
  return planIngest({ ...order, isWhole: false }, await settledRecord(repo, { client, wait }))
}

interface Results {
  readonly score_kind: string
  readonly results: readonly { readonly score: number; readonly metadata: Readonly<Record<string, string>> }[]
}

async function filesFor(repo: string, text: string, mode = 'hybrid'): Promise<string[]> {
  const { results } = (await client.post('/queries:data', { mode, text, top_k: 5, filter: { repo } })) as Results
  return results.map(({ metadata }) => metadata['file'] ?? '')
}

test('an ingest stores files, commits and issues with repo and file, and later only what has changed; secrets stay out (KNOWLEDGE-15, REPO-INGEST-1, REPO-INGEST-2, REPO-INGEST-3)', async () => {
  const repo = 'parcel'
  const dir = repository()
  const first = await planOf(dir, repo)
  expect(first.leftOut.map(({ file }) => file)).toEqual(expect.arrayContaining(['.env', 'config.ts']))
  expect(JSON.stringify(first.changed)).not.toContain('q8Zr2LmX9vBt4KwY')
  expect(first.changed.map(({ file }) => file)).not.toContain('out/built.ts')
  const totals = await ingest(first, { client, repo, wait })
  expect(totals).toMatchObject({ done: first.changed.length, failed: 0, succeeded: true })
  expect(await filesFor(repo, 'pigeon')).toEqual(expect.arrayContaining(['README.md', 'src/pigeon.ts']))

  writeFileSync(join(dir, 'src/pigeon.ts'), 'export function glide(): void {}')
  rmSync(join(dir, 'src/door.ts'))
  commit(dir, 'Glide')
  const plan = await planOf(dir, repo)
  expect(plan.changed.map(({ file }) => file)).toEqual(['src/pigeon.ts', expect.stringMatching(/^@commit/)])
  expect(plan.gone).toEqual(['src/door.ts'])
  await ingest(plan, { client, repo, wait })
  expect(await filesFor(repo, 'glide', 'naive')).toContain('src/pigeon.ts')
  expect(await filesFor(repo, 'openTheDoor', 'naive')).not.toContain('src/door.ts')
})

test('a run that was cut behind an accepted job waits for that job, and stores nothing twice (REPO-INGEST-8)', async () => {
  const repo = 'cut'
  const dir = repository()
  const plan = await planOf(dir, repo)
  const cut = { ...client, get: () => Promise.reject(new Error('power is gone')) }
  await expect(ingest(plan, { client: cut, repo, wait })).rejects.toThrow('power is gone')
  expect(await planOf(dir, repo)).toMatchObject({ changed: [], gone: [], commit: undefined })
  const { rows } = await memory.sql.query<{ n: number }>('select count(*)::int as n from memory where repo = $1', [
    repo,
  ])
  expect(rows).toEqual([{ n: plan.changed.length }])
})

test('a hybrid query of one repository finds a file by the change that resembles it, though no word of it is in the file', async () => {
  const repo = 'history'
  const dir = folderOf({ 'a/x1.ts': 'export const alpha = 1', 'a/x2.ts': 'export const beta = 2' })
  git(dir, 'init', '-q', '-b', 'main')
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'Begin')
  git(dir, 'add', 'a/x1.ts')
  git(dir, 'commit', '-q', '-m', 'Unrelated start')
  git(dir, 'add', 'a/x2.ts')
  git(dir, 'commit', '-q', '-m', 'Fix timezone of invoices')
  await ingest(await planOf(dir, repo), { client, repo, wait })
  const answer = (await client.post('/queries', {
    mode: 'hybrid',
    text: 'timezone of an invoice is wrong',
    top_k: 10,
    filter: { repo },
  })) as Results
  expect(answer.results[0]?.metadata['file']).toBe('a/x2.ts')
  expect(answer.score_kind).toBe('fused')
  const scores = answer.results.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  expect(Math.max(...scores)).toBeLessThanOrEqual(1)
})

test('the service away for a moment is asked again; a refused token is renewed once', async () => {
  const answers = [new TypeError('fetch failed'), 503, 401, 200]
  let forgotten = 0
  const waited: number[] = []
  const moody: typeof fetch = async () => {
    const next = answers.shift()
    if (next instanceof Error) throw next
    return new Response(next === 200 ? '{"fine":true}' : '{}', { status: Number(next) })
  }
  const tokens = { token: async () => 't', forget: () => void (forgotten += 1) }
  const patient = memoryClient({
    url: 'http://memory.test',
    tokens,
    clock: systemClock,
    fetch: moody,
    wait: async (ms) => void waited.push(ms),
  })
  expect(await patient.get('/engine')).toEqual({ fine: true })
  expect(forgotten).toBe(1)
  expect(waited).toHaveLength(2)
})
