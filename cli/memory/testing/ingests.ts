/** An ingest of many items, and what is to be seen of it in the store when it has ended. Test code only. */
import { join } from 'node:path'
import { expect } from 'vitest'
import type { JobBody } from '../../../memory/ingest/job-view.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import { openFolderSql } from '../../../runtime/store/pglite/pglite-folder.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { MemoryHost, MemoryProcess } from './host.ts'

export type Ask = (process: MemoryProcess, method: string, path: string, body?: unknown) => Promise<Response>

export function askWithToken(host: MemoryHost): Ask {
  return async ({ url }, method, path, body) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await host.token()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}

export function ingestOf(repo: string, items: number): object {
  return {
    repo,
    reconcile_files: ['gone.ts'],
    items: Array.from({ length: items }, (_, index) => ({
      idempotency_key: `item-${index}`,
      content: `In ${repo} the Module${index} talks to the Service${index % 7} about case ${index}.`,
      metadata: { file: `src/file-${index % 20}.ts` },
    })),
  }
}

export async function jobOf(ask: Ask, process: MemoryProcess, id: string): Promise<JobBody> {
  const answer = await ask(process, 'GET', `/ingest-jobs/${id}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as JobBody
}

export async function expectWhole(ask: Ask, process: MemoryProcess, id: string, items: number): Promise<void> {
  await expect
    .poll(async () => (await jobOf(ask, process, id)).status, { timeout: 120_000 + items * 300, interval: 100 })
    .toMatch(/succeeded|failed/)
  expect(await jobOf(ask, process, id)).toMatchObject({
    status: 'succeeded',
    total: items,
    done: items,
    failed: 0,
    skipped: 0,
  })
}

/** Every item once: as a memory, under its key, in the engine, and as an event that its job has taken. */
export async function expectOnce(sql: Sql, items: number): Promise<void> {
  const { rows } = await sql.query(
    `select count(*)::int as memories, count(distinct content)::int as texts, bool_and(status = 'ready') as ready,
      (select count(*)::int from memory_key) as keys, (select count(*)::int from engine_memory) as fed,
      (select count(*)::int from memory_removal) as removals, (select count(*)::int from ingest_item) as left
    from memory`,
  )
  expect(rows).toEqual([{ memories: items, texts: items, ready: true, keys: items, fed: items, removals: 0, left: 0 }])
  const told = await sql.query(
    `select count(*)::int as told, count(distinct actor || ' ' || (body::jsonb->>'index'))::int as items from event
    where body::jsonb->>'type' = 'item.stored' and handled`,
  )
  expect(told.rows).toEqual([{ told: items, items }])
}

export async function withStore(host: MemoryHost, use: (sql: Sql) => Promise<void>): Promise<void> {
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
