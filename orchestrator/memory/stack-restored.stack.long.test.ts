/** A stack's database, dumped and restored into another stack as docs/memory.md says: `npm run long -- stack-drills`. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { issue } from '../../standins/cnpg/certificates.ts'
import { pods } from '../../standins/cnpg/cluster.ts'
import { name as testCluster, secretOf } from '../../standins/cnpg/testing/clusters.ts'
import { repository } from '../../standins/kubelet/testing/real-kubelet.ts'
import { withStack, type Stack } from '../../standins/cnpg/testing/real-stack.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { withStackLife, type StackLife } from '../testing/stack-life.ts'

vi.setConfig({ testTimeout: 900_000 })

const run = promisify(execFile)
const cluster = `${testCluster}-demo`
const repo = 'shelves'
const notes = 60
const mostBytes = 512 * 1024 * 1024

/** What a person runs in the pod by `kubectl exec`, which the stand-in kubelet lacks: the same programs, by a certificate. */
type InPod = (program: string, ...parameters: readonly string[]) => Promise<string>

async function inPod(stack: Stack, folder: string): Promise<InPod> {
  const { 'ca.crt': cert = '', 'ca.key': key = '' } = await secretOf(stack, `${cluster}-ca`)
  const superuser = await issue(folder, { subject: 'postgres', issuer: { cert, key } })
  const [ca, sslcert, sslkey] = ['ca.crt', 'postgres.crt', 'postgres.key'].map((file) => join(folder, file))
  await Promise.all([writeFile(ca!, cert), writeFile(sslcert!, superuser.cert)])
  await writeFile(sslkey!, superuser.key, { mode: 0o600 })
  const { podIP } = ((await stack.find(pods, `${cluster}-1`))?.status ?? {}) as { readonly podIP?: string }
  const { stdout } = await run(join(repository, '.ci', 'postgres.sh'), ['find'])
  const env = {
    ...process.env,
    ...{ PGHOST: podIP, PGUSER: 'postgres', PGDATABASE: 'postgres', PGSSLMODE: 'verify-ca' },
    ...{ PGSSLROOTCERT: ca, PGSSLCERT: sslcert, PGSSLKEY: sslkey },
  }
  return async (program, ...parameters) =>
    (await run(join(stdout.trim(), program), parameters, { env, maxBuffer: mostBytes })).stdout
}

async function withoutService(psql: InPod, use: () => Promise<void>): Promise<void> {
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'memory'`
  await psql('psql', '-qc', 'alter role memory nologin', '-c', end)
  await use()
  await psql('psql', '-qc', 'alter role memory login')
}

/** By table: what is in it, whatever the order. */
async function tablesOf(psql: InPod): Promise<Readonly<Record<string, string>>> {
  const ask = (statement: string): Promise<string> => psql('psql', '-XAtd', 'memory', '-c', statement)
  const names = (
    await ask(`select quote_ident(tablename) from pg_tables where schemaname = 'public' order by 1`)
  ).split('\n')
  const found: Record<string, string> = {}
  for (const table of names.filter(Boolean)) {
    const rows = await ask(`copy (select t::text from public.${table} t order by 1) to stdout`)
    found[table] = `${rows.split('\n').length - 1} rows ${createHash('sha256').update(rows).digest('hex')}`
  }
  return found
}

async function all(life: StackLife, path: string): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (let cursor: unknown = ''; cursor !== undefined;) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(String(cursor))}`
    const { items, next_cursor: next } = await life.ask(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=100${more}`,
    )
    found.push(...(items as readonly unknown[]))
    cursor = next
  }
  return found
}

/** What the service answers, of everything that it can be asked about what is in it. */
async function answersOf(life: StackLife, ids: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const memories: unknown[] = []
  for (const id of ids) memories.push(await life.ask('GET', `/memories/${id}`))
  const queries: unknown[] = []
  for (const text of ['which crane lifts 107 tons', 'what stands on shelf 3', 'note 12'])
    for (const mode of ['naive', 'local', 'hybrid']) queries.push(await life.ask('POST', '/queries', { text, mode }))
  const graph: Record<string, unknown> = {}
  for (const path of ['/code-graph/stats', '/code-graph/communities', '/code-graph/bridges', '/code-graph/important'])
    graph[path] = await life.ask('GET', `${path}?repo=${repo}`)
  return {
    memories,
    queries,
    graph,
    code: await all(life, `/code/entities?repo=${repo}`),
    neighbors: await life.ask('GET', `/code/neighbors?repo=${repo}&id=main`),
    entities: await all(life, '/entities'),
    edges: await all(life, '/edges'),
    record: await life.ask('GET', `/ingest-record?repo=${repo}`),
  }
}

async function fill(life: StackLife): Promise<readonly string[]> {
  const { until } = life.cluster.fixture
  const ids: string[] = []
  for (let n = 0; n < notes; n += 1) {
    const content = `Note ${n}: the crane of Harbour Works lifts ${n + 100} tons, says Ada Byron.`
    const { id } = await life.ask('POST', '/memories', { content, metadata: { kind: 'note', n: String(n) } })
    ids.push(String(id))
  }
  const items = Array.from({ length: notes }, (_, n) => ({
    content: `Crate ${n} stands on shelf ${n % 7}.`,
    metadata: { repo, file: `src/file-${n}.ts` },
  }))
  const job = await life.ask('POST', '/memories:bulk', { repo, commit: 'abc', items })
  await until('the job is over', async () => {
    const { status } = await life.ask('GET', `/ingest-jobs/${String(job['id'])}`)
    return status === 'succeeded' || undefined
  })
  const file = (id: string): object => ({ id, type: 'file', name: id, file: id })
  await life.ask('POST', `/code-graph:bulk?repo=${repo}`, {
    commit: 'abc',
    mode: 'snapshot',
    files: [
      { file: 'app.ts', sha: '1' },
      { file: 'parse.ts', sha: '2' },
    ],
    entities: [
      ...['app.ts', 'parse.ts'].map(file),
      ...['main', 'parse'].map((id) => ({
        id,
        type: 'function',
        name: id,
        file: id === 'main' ? 'app.ts' : 'parse.ts',
      })),
    ],
    edges: [
      { from: 'app.ts', to: 'main', relation: 'contains' },
      { from: 'parse.ts', to: 'parse', relation: 'contains' },
      { from: 'main', to: 'parse', relation: 'calls' },
    ],
    hyperedges: [{ id: 'h', relation: 'participate_in', label: 'parsing', members: ['main', 'parse', 'app.ts'] }],
  })
  const [from, to] = (await all(life, '/entities')) as readonly { readonly id: string }[]
  await life.ask('POST', '/edges', { from: from?.id, to: to?.id, relation: 'stands-beside', description: 'by hand' })
  await until('the engine has them all', async () => {
    const states = await Promise.all(ids.map((id) => life.ask('GET', `/memories/${id}`)))
    return states.every(({ status }) => status === 'ready') || undefined
  })
  return ids
}

async function withLife(use: (life: StackLife, stack: Stack) => Promise<void>): Promise<void> {
  await withStack((stack) =>
    withStackLife({ ...stack, usesCloudNativePg: true }, async (life) => {
      await life.apply({})
      await life.until('Running')
      await use(life, stack)
    }),
  )
}

describeRequiring('stack', 'a stack that was restored from a dump of another', () => {
  test('answers as the other did, to every memory, edge and code graph, and has each row of each table', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stack-restored-'))
    const dump = join(folder, 'memory.dump')
    let ids: readonly string[] = []
    let answers: unknown
    let tables: unknown
    try {
      await withLife(async (life, stack) => {
        ids = await fill(life)
        answers = await answersOf(life, ids)
        const psql = await inPod(stack, folder)
        await withoutService(psql, async () => {
          await psql('pg_dump', '-Fc', '-f', dump, 'memory')
          tables = await tablesOf(psql)
        })
      })
      await withLife(async (life, stack) => {
        await life.ask('POST', '/memories', {
          content: 'The new stack had this one before.',
          metadata: { kind: 'note' },
        })
        const psql = await inPod(stack, folder)
        await withoutService(psql, async () => {
          await psql('pg_restore', '-d', 'memory', '--clean', '--if-exists', '--single-transaction', dump)
          expect(await tablesOf(psql)).toEqual(tables)
        })
        await life.cluster.kubectl('rollout', 'restart', 'deployment/memory-demo')
        await life.cluster.kubectl('rollout', 'status', 'deployment/memory-demo', '--timeout=120s')
        await life.until('Running')
        expect(await answersOf(life, ids)).toEqual(answers)
        const { id } = await life.ask('POST', '/memories', { content: 'It stores again.', metadata: { kind: 'note' } })
        expect(await life.ask('GET', `/memories/${String(id)}`)).toMatchObject({ content: 'It stores again.' })
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
