/** The program itself: its door, and what deaths leave of an ingest. MEMORY_KILLS says how many: 9 are one at each tenth. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobBody } from '../../memory/ingest/job-view.ts'
import { askWithToken, expectOnce, expectWhole, ingestOf, jobOf, withStore } from './testing/ingests.ts'
import { memoryHost, otherAudience, type MemoryHost, type MemoryProcess } from './testing/host.ts'

const kills = Number(process.env['MEMORY_KILLS'] ?? 2)
const items = Number(process.env['REBUILD_MEMORIES'] ?? 300)

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
  test('is open to a token for this audience, and to nobody else (MEMORY-AUTH-2, MEMORY-AUTH-6)', async () => {
    expect((await ask('GET', '/ingest-jobs')).status).toBe(200)
    const other = await ask('GET', '/ingest-jobs', undefined, await host.token(otherAudience))
    expect([other.status, other.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    expect((await ask('GET', '/ingest-jobs', undefined, 'x.y.z')).status).toBe(401)
    expect((await fetch(`${memory.url}/ingest-jobs`)).status).toBe(401)
  })

  test('HTTP-RULE-1: documents need the bearer, operational routes do not (MEMORY-AUTH-21, MEMORY-HEALTH-7)', async () => {
    for (const path of ['/openapi.json', '/docs']) {
      expect((await fetch(`${memory.url}${path}`)).status).toBe(401)
      expect((await ask('GET', path)).status).toBe(200)
    }
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await fetch(`${memory.url}${path}`)).status).toBe(200)
  })

  test('HTTP-RULE-2: under the public prefix the same routes answer, the operational ones do not (DOCUMENTS-4, MEMORIES-12, INGEST-8)', async () => {
    expect((await ask('GET', '/api/v1/memory/ingest-jobs?limit=1')).status).toBe(200)
    for (const [path, body] of [
      ['/memories', { text: 'found where its answer says' }],
      ['/memories:bulk', { items: [] }],
    ] as const) {
      const made = await ask('POST', `/api/v1/memory${path}`, body)
      const location = made.headers.get('location') ?? ''
      expect([path, location.startsWith('/api/v1/memory/'), (await ask('GET', location)).status]).toEqual([
        path,
        true,
        200,
      ])
    }
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await ask('GET', `/api/v1/memory${path}`)).status).toBe(404)
  })
})

const databases = process.env['DATABASE_URL'] === undefined ? [] : [['PostgreSQL', process.env['DATABASE_URL']]]

describe.each([['the embedded store', ''], ...databases])('on %s', (_name, server) => {
  let own: MemoryHost
  beforeAll(async () => {
    own = await memoryHost(server)
  })
  afterAll(() => own?.close())

  test(
    `an ingest goes on after ${kills} deaths on its way, and every item is there exactly once (INGEST-JOBS-1, INGEST-JOBS-9, INGEST-JOBS-10)`,
    async () => {
      const askOwn = askWithToken(own)
      let process = await own.start()
      const accepted = await askOwn(process, 'POST', '/memories:bulk', ingestOf('lib', items))
      const { id } = (await accepted.json()) as JobBody
      const seen: number[] = []
      for (let death = 0; death < kills; death += 1) {
        const least = Math.floor(((death + 1) * items) / (kills + 1))
        const done = async (): Promise<number> => (await jobOf(askOwn, process, id)).done
        await expect.poll(done, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(least)
        await process.kill()
        process = await own.start()
        seen.push(await done())
      }
      await expectWhole(askOwn, process, id, items)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      expect(await process.stop()).toBe(0)
      await withStore(own, (sql) => expectOnce(sql, items))
    },
    180_000 + kills * 30_000,
  )
})
