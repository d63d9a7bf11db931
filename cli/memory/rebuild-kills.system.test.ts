/** `statewright memory rebuild`, killed at every tenth: no memory is lost to queries, whoever finishes it (KNOWLEDGE-18). */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JobBody } from '../../memory/ingest/job-view.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { isDrawn } from '../../testing/drawn.ts'
import { programDir } from '../program.ts'
import { memoryHost, type MemoryHost } from './testing/host.ts'
import { askWithToken, expectWhole, ingestOf, withStore, type Ask } from './testing/ingests.ts'

/** `REBUILD_MEMORIES=3000` is the long form. */
const memories = Number(process.env['REBUILD_MEMORIES'] ?? 300)
const patience = { timeout: 300_000, interval: 50 }

interface Rebuilding {
  readonly ended: Promise<number | null>
  kill(): Promise<void>
}

function startRebuild({ databaseUrl, stateDir }: MemoryHost): Rebuilding {
  const env = {
    PATH: process.env['PATH'] ?? '',
    STATE_DIR: stateDir,
    ...(databaseUrl === '' ? {} : { DATABASE_URL: databaseUrl }),
  }
  const program = join(programDir, 'bin', 'statewright.mjs')
  const child = spawn(process.execPath, [program, 'memory', 'rebuild'], { env, stdio: 'ignore' })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { ended, kill: async () => void (child.kill('SIGKILL'), await ended) }
}

async function fill(host: MemoryHost, ask: Ask): Promise<void> {
  const service = await host.start()
  const answer = await ask(service, 'POST', '/memories:bulk', ingestOf('lib', memories))
  expect(answer.status).toBe(202)
  await expectWhole(ask, service, ((await answer.json()) as JobBody).id, memories)
  expect(await service.stop()).toBe(0)
}

/** `lost`: said to be found, and in no answer. */
async function standing(sql: Sql): Promise<{ readonly ready: number; readonly lost: number }> {
  const { rows } = await sql.query<{ ready: number; lost: number }>(
    `select count(*) filter (where status = 'ready')::int as ready,
      count(*) filter (where status <> 'processing' and not exists (select from engine_memory where memory_id = m.id))::int as lost
    from memory m`,
  )
  return rows[0]!
}

/** As if the minutes had passed after which a service takes what the dead had begun. */
async function letClaimsEnd(sql: Sql): Promise<void> {
  await sql.query('update memory set feed_at = 0, updated_at = 0')
}

/** The service brings in what a killed rebuild left, and finds each memory. */
async function expectAllFound(host: MemoryHost, ask: Ask): Promise<void> {
  const service = await host.start()
  const degraded = async (): Promise<readonly string[]> =>
    ((await (await ask(service, 'GET', '/engine')).json()) as { readonly degraded: readonly string[] }).degraded
  await expect.poll(degraded, patience).toEqual([])
  for (let index = 0; index < memories; index += Math.ceil(memories / 30)) {
    const question = { mode: 'naive', text: `Module${index}`, top_k: 1, filter: { repo: 'lib' } }
    const answer = await ask(service, 'POST', '/queries', question)
    expect(JSON.stringify(await answer.json())).toContain(`Module${index} talks`)
  }
  expect(await service.stop()).toBe(0)
  await withStore(host, async (sql) => expect(await standing(sql)).toEqual({ ready: memories, lost: 0 }))
}

describeRequiring('postgres', 'on PostgreSQL', () => {
  test('a rebuild that is killed at any tenth loses no memory (KNOWLEDGE-18)', { timeout: 900_000 }, async () => {
    const host = await memoryHost()
    try {
      const ask = askWithToken(host)
      await fill(host, ask)
      await withStore(host, async (sql) => {
        for (let tenth = 0; tenth < 10; tenth += 1) {
          const least = (tenth * memories) / 10
          const before = await sql.query<{ version: number }>('select version::int as version from engine_index')
          const rebuild = startRebuild(host)
          const isThere = async (): Promise<boolean> => {
            const { rows } = await sql.query<{ version: number }>('select version::int as version from engine_index')
            return rows[0]!.version !== before.rows[0]!.version && (await standing(sql)).ready >= least
          }
          await expect.poll(isThere, { ...patience, interval: 5 }).toBe(true)
          await rebuild.kill()
          expect([tenth, (await standing(sql)).lost]).toEqual([tenth, 0])
        }
        await letClaimsEnd(sql)
      })
      await expectAllFound(host, ask)
    } finally {
      await host.close()
    }
  })
})

test.runIf(isDrawn('a killed rebuild of the embedded store'))(
  'a rebuild that is killed loses no memory of the embedded store (KNOWLEDGE-18)',
  { timeout: 900_000 },
  async () => {
    const host = await memoryHost('')
    try {
      const ask = askWithToken(host)
      await fill(host, ask)
      const rebuild = startRebuild(host)
      // Nobody else can look into its folder: at this moment it is somewhere in its work, or through.
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await rebuild.kill()
      await withStore(host, async (sql) => {
        expect((await standing(sql)).lost).toBe(0)
        await letClaimsEnd(sql)
      })
      await expectAllFound(host, ask)
    } finally {
      await host.close()
    }
  },
)
