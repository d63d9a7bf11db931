/** The program itself: its door, and what a death at any moment leaves of an ingest. MEMORY_KILLS says how many deaths. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobBody } from '../../memory/ingest/job-view.ts'
import { openPgSql } from '../../runtime/store/pg-sql.ts'
import { openFolderSql } from '../../runtime/store/pglite-folder.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { memoryHost, otherAudience, type MemoryHost, type MemoryProcess } from './host.ts'

const kills = Number(process.env['MEMORY_KILLS'] ?? 2)
const items = 150

let host: MemoryHost
let memory: MemoryProcess

beforeAll(async () => {
  host = await memoryHost()
  memory = await host.start({ BASE_PATH: '/api/v1/memory' })
}, 120_000)
afterAll(() => host?.close())

async function ask(method: string, path: string, body?: unknown, token?: string): Promise<Response> {
  const bearer = token ?? (await host.token())
  return fetch(`${memory.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

describe('the door', () => {
  test('is open to a token for this audience, and to nobody else', async () => {
    expect((await ask('GET', '/ingest-jobs')).status).toBe(200)
    const other = await ask('GET', '/ingest-jobs', undefined, await host.token(otherAudience))
    expect([other.status, other.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    expect((await ask('GET', '/ingest-jobs', undefined, 'x.y.z')).status).toBe(401)
    expect((await fetch(`${memory.url}/ingest-jobs`)).status).toBe(401)
  })

  test('1.10: documents need the bearer, operational routes do not', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      expect((await fetch(`${memory.url}${path}`)).status).toBe(401)
      expect((await ask('GET', path)).status).toBe(200)
    }
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await fetch(`${memory.url}${path}`)).status).toBe(200)
  })

  test('1.9: under the public prefix the same routes answer, the operational ones do not', async () => {
    expect((await ask('GET', '/api/v1/memory/ingest-jobs?limit=1')).status).toBe(200)
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await ask('GET', `/api/v1/memory${path}`)).status).toBe(404)
  })
})

test(
  `an ingest goes on after ${kills} deaths at any moment, and every item is there exactly once`,
  async () => {
    const body = {
      repo: 'lib',
      reconcile_files: ['gone.ts'],
      items: Array.from({ length: items }, (_, index) => ({
        idempotency_key: `item-${index}`,
        content: `The Module${index} talks to the Service${index % 7} about case ${index}.`,
        metadata: { file: `src/file-${index % 20}.ts` },
      })),
    }
    const { id } = (await (await ask('POST', '/memories:bulk', body)).json()) as JobBody
    const seen: number[] = []
    for (let death = 0; death < kills; death += 1) {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 250))
      await memory.kill()
      memory = await host.start()
      seen.push((await jobNow(id)).done)
    }
    await expect
      .poll(async () => (await jobNow(id)).status, { timeout: 60_000, interval: 100 })
      .toMatch(/succeeded|failed/)
    expect(await jobNow(id)).toMatchObject({ status: 'succeeded', total: items, done: items, failed: 0, skipped: 0 })
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(await memory.stop()).toBe(0)
    await withStore(async (sql) => {
      const { rows } = await sql.query(
        `select count(*)::int as memories, count(distinct content)::int as texts, bool_and(status = 'ready') as ready,
        (select count(*)::int from memory_key) as keys, (select count(*)::int from engine_memory) as fed,
        (select count(*)::int from memory_removal) as removals, (select count(*)::int from ingest_item) as left
      from memory`,
      )
      expect(rows).toEqual([
        { memories: items, texts: items, ready: true, keys: items, fed: items, removals: 0, left: 0 },
      ])
      const told = await sql.query(
        `select count(*)::int as told, count(distinct body::jsonb->>'index')::int as items from event
      where body::jsonb->>'type' = 'item.stored' and handled`,
      )
      expect(told.rows).toEqual([{ told: items, items }])
    })
  },
  120_000 + kills * 30_000,
)

async function jobNow(id: string): Promise<JobBody> {
  const answer = await ask('GET', `/ingest-jobs/${id}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as JobBody
}

async function withStore(use: (sql: Sql) => Promise<void>): Promise<void> {
  const { databaseUrl, stateDir } = host
  const sql =
    databaseUrl === ''
      ? await openFolderSql(join(stateDir, 'database'), ['vector'])
      : await openPgSql({ url: databaseUrl })
  try {
    await use(sql)
  } finally {
    await sql.close()
  }
}
