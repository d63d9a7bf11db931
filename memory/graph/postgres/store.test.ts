import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import { anEdge, anEntity, aPush, contributionOf, dump } from '../contract/builders.ts'
import { graphContract } from '../contract/contract.ts'
import { PostgresGraph } from './store.ts'

const patience = 120_000

graphContract('PGlite', async () => {
  const sql = await openMemoryStore()
  return { store: new PostgresGraph(sql, { isOnlyWriter: true }), close: () => sql.close() }
})

describe('a code graph in Postgres', { timeout: patience }, () => {
  let sql: Sql
  beforeAll(async () => void (sql = await openMemoryStore()), patience)
  afterAll(() => sql?.close(), patience)

  async function count(table: string): Promise<unknown> {
    return (await sql.query(`select count(*)::int as count from ${table}`)).rows[0]?.['count']
  }

  it('sees what another process pushed', async () => {
    const [one, other] = [new PostgresGraph(sql), new PostgresGraph(sql)]
    await one.push(aPush('shared', { 'a.ts': contributionOf(anEntity('a')) }))
    expect((await other.read('shared', dump))?.entities).toHaveLength(1)
    await one.push(aPush('shared', { 'a.ts': contributionOf(anEntity('a'), anEntity('b')) }))
    expect((await other.read('shared', dump))?.entities).toHaveLength(2)
  })

  it('asks the store for no head that nobody else can change, and never keeps one from before a push', async () => {
    let heads = 0
    const counting: Sql = {
      ...sql,
      query: (text, params) => {
        if (text.includes('from code_graph where')) heads += 1
        return sql.query(text, params)
      },
    }
    const graph = new PostgresGraph(counting, { isOnlyWriter: true })
    await graph.push(aPush('alone', { 'a.ts': contributionOf(anEntity('a')) }))
    await graph.read('alone', dump)
    const before = heads
    for (let time = 0; time < 5; time++) await graph.read('alone', dump)
    expect(heads).toBe(before)
    const pushing = graph.push(aPush('alone', { 'b.ts': contributionOf(anEntity('b')) }))
    const during = [graph.head('alone'), graph.head('alone')]
    const head = await pushing
    await Promise.all(during)
    expect(await graph.head('alone')).toEqual(head)
  })

  it('lets a push go on beside a reader that asks again and again of a graph in memory', async () => {
    const graph = new PostgresGraph(sql, { isOnlyWriter: true })
    await graph.push(aPush('busy', { 'a.ts': contributionOf(anEntity('a')) }))
    await graph.read('busy', dump)
    const state = { isPushing: true, reads: 0 }
    const reading = (async () => {
      for (; state.isPushing && state.reads < 100_000; state.reads += 1) await graph.read('busy', dump)
    })()
    await graph.push(aPush('busy', { 'b.ts': contributionOf(anEntity('b')) }))
    state.isPushing = false
    await reading
    expect(state.reads).toBeLessThan(100_000)
  })

  it('leaves nothing behind of what was replaced, of parts that were shown, and of snapshots given up (CODE-PUSH-22)', async () => {
    await emptyMemoryStore(sql)
    const graph = new PostgresGraph(sql)
    const whole = aPush('tidy', { 'a.ts': contributionOf(anEntity('a')) })
    await graph.push(whole)
    await graph.push(whole)
    const { mode: _, ...push } = whole
    const part = { ...push, snapshotId: 's', final: false, unsettled: { entities: [], edges: [], hyperedges: [] } }
    await graph.stage({ ...part, part: 1 })
    await graph.stage({ ...part, part: 2, final: true })
    expect([await count('code_graph_generation'), await count('code_graph_part')]).toEqual([1, 0])
    await graph.stage({ ...part, part: 1 })
    expect(await count('code_graph_generation')).toBe(2)
    const aDayLater = push.pushedAt + 25 * 60 * 60_000
    await graph.push({ ...whole, pushedAt: aDayLater })
    expect([await count('code_graph_generation'), await count('code_graph_file')]).toEqual([1, 1])
  })

  it('shows nothing of a push that failed in the middle', async () => {
    const graph = new PostgresGraph(sql)
    await graph.push(aPush('broken', { 'a.ts': contributionOf(anEntity('a')) }))
    const failing: Sql = { ...sql, tx: (run) => sql.tx((tx) => run(refusing(tx))) }
    const next = aPush('broken', { 'a.ts': contributionOf(anEntity('b')) })
    for (const mode of ['snapshot', 'files'] as const)
      await expect(new PostgresGraph(failing).push({ ...next, mode })).rejects.toThrow('no space')
    expect((await graph.read('broken', dump))?.entities).toEqual([anEntity('a')])
  })

  it('takes a file that brings more than one piece', async () => {
    const edges = Array.from({ length: 9_001 }, (_, at) => anEdge(`a${at}`, 'b'))
    const graph = new PostgresGraph(sql)
    await graph.push(aPush('long', { 'a.ts': contributionOf(...edges), '': contributionOf(anEntity('b')) }))
    expect(await count(`code_graph_file where file = 'a.ts' and piece > 0`)).toBe(2)
    expect(await graph.read('long', async (view) => (await view.sizes()).edges)).toBe(9_001)
    expect(await graph.misses('long', [{ file: 'a.ts', sha: 'sha of a.ts' }])).toEqual([])
  })
})

/** Fails where a head is written. */
function refusing(tx: Queryable): Queryable {
  return {
    ...tx,
    query: (text, params) =>
      text.startsWith('insert into code_graph (') ? Promise.reject(new Error('no space')) : tx.query(text, params),
  }
}
