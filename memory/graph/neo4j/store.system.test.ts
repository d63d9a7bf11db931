import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { anEdge, anEntity, aPush, contributionOf, dump } from '../contract/builders.ts'
import { graphContract } from '../contract/contract.ts'
import type { GraphStore } from '../port.ts'
import { PostgresGraph } from '../postgres/store.ts'
import { openBolt, type Bolt } from './bolt.ts'
import { Neo4jGraph } from './store.ts'

const url = process.env['NEO4J_URL'] ?? ''
const patience = 120_000

function openNeo4j(sql: Sql, bolt: Bolt, space: string): Neo4jGraph {
  return new Neo4jGraph({
    truth: new PostgresGraph(sql),
    bolt,
    space,
    owner: 'test',
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
  })
}

async function removeSpace(bolt: Bolt, space: string): Promise<void> {
  await bolt.alone(
    'MATCH (n) WHERE n.graph STARTS WITH $space CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS',
    { space },
  )
}

describeRequiring('neo4j', 'Neo4j over Bolt (CODE-QUERY-15)', () => {
  graphContract(
    'Neo4j',
    async () => {
      const sql = await openMemoryStore()
      const bolt = openBolt({ url })
      const space = randomUUID()
      const graph = openNeo4j(sql, bolt, space)
      const waiting: Partial<GraphStore> = {
        // Otherwise Postgres would answer most of the questions, and pass the contract in Neo4j's name.
        read: async (repo, ask) => {
          await graph.settled()
          return graph.read(repo, ask)
        },
      }
      return {
        store: new Proxy(graph, {
          get: (target, name) => {
            const own = waiting[name as keyof GraphStore] ?? Reflect.get(target, name)
            return typeof own === 'function' ? own.bind(target) : own
          },
        }),
        async close() {
          const { neo4j, postgres } = graph.served()
          await graph.settled()
          await removeSpace(bolt, space)
          await graph.close()
          await sql.close()
          // Only a push between the wait and the question sends a reader to Postgres.
          expect(neo4j).toBeGreaterThan(postgres * 5)
        },
      }
    },
    { seed: 8, numRuns: 8 },
  )

  let sql: Sql
  beforeAll(async () => void (sql = await openMemoryStore()), patience)
  afterAll(() => sql?.close(), patience)

  it('is caught up with when it comes back, and Postgres answers meanwhile', { timeout: patience }, async () => {
    const bolt = openBolt({ url })
    const space = randomUUID()
    const state = { isDown: true }
    const down = Object.assign(new Error('connection refused'), { name: 'Neo4jError' })
    const flaky: Bolt = {
      ...bolt,
      read: (run) => (state.isDown ? Promise.reject(down) : bolt.read(run)),
      write: (run) => (state.isDown ? Promise.reject(down) : bolt.write(run)),
      alone: (text, parameters) => (state.isDown ? Promise.reject(down) : bolt.alone(text, parameters)),
    }
    const graph = openNeo4j(sql, flaky, space)
    await graph.push(aPush('r', { 'a.ts': contributionOf(anEntity('a'), anEdge('a', 'b')) }))
    await graph.settled()
    const fromPostgres = await graph.read('r', dump)
    expect(fromPostgres?.edges).toHaveLength(1)
    state.isDown = false
    await expect
      .poll(
        async () => {
          await graph.read('r', dump)
          return graph.served().neo4j
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBeGreaterThan(0)
    expect(await graph.read('r', dump)).toEqual(fromPostgres)
    await removeSpace(bolt, space)
    await graph.close()
  })

  it('believes neither an answer nor a refusal that came while the graph changed', { timeout: patience }, async () => {
    const bolt = openBolt({ url })
    const space = randomUUID()
    const graph = openNeo4j(sql, bolt, space)
    await graph.push(aPush('moved', { 'a.ts': contributionOf(anEntity('a')) }))
    await graph.settled()
    const asked = async (refuses: boolean): Promise<number> => {
      let isFirst = true
      const answer = await graph.read('moved', async (view) => {
        const { version } = view.head
        if (isFirst) {
          isFirst = false
          await graph.push(aPush('moved', { 'a.ts': contributionOf(anEntity('a'), anEntity(`b${version}`)) }))
          await graph.settled()
          const isMixed = (await view.entity(`b${version}`)) !== undefined
          if (isMixed && refuses) throw new Error('seen in a version that it is not part of')
        }
        return version
      })
      return answer ?? 0
    }
    expect(await asked(false)).toBe(2)
    await graph.settled()
    expect(await asked(true)).toBe(3)
    expect(graph.served()).toEqual({ neo4j: 0, postgres: 2 })
    await removeSpace(bolt, space)
    await graph.close()
  })

  it('is filled anew from Postgres, whatever was in it', { timeout: patience }, async () => {
    const bolt = openBolt({ url })
    const space = randomUUID()
    const first = openNeo4j(sql, bolt, space)
    await first.push(aPush('again', { 'a.ts': contributionOf(anEntity('a'), anEdge('a', 'b')) }))
    await first.settled()
    await bolt.write((query) =>
      query('MATCH (n:CodeEntity {id: "b"}) WHERE n.graph STARTS WITH $space DETACH DELETE n', { space }),
    )
    await bolt.write((query) =>
      query('CREATE (:CodeGraph {key: $key, space: $space, repo: "stranger", graph: "x"})', {
        key: `${space} x`,
        space,
      }),
    )
    await first.rebuild()
    expect((await first.read('again', dump))?.edges).toEqual([anEdge('a', 'b')])
    expect(first.served()).toMatchObject({ neo4j: 1 })
    await removeSpace(bolt, space)
    await first.close()
  })

  it('refuses a wrong password with a reason', { timeout: patience }, async () => {
    const wrong = new URL(url)
    wrong.password = 'wrong'
    const bolt = openBolt({ url: wrong.href })
    await expect(bolt.read((query) => query('RETURN 1 AS one'))).rejects.toMatchObject({
      code: 'Neo.ClientError.Security.Unauthorized',
    })
    await bolt.close()
  })
})
