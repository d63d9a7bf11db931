import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../runtime/logger.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { instanceOf } from '../../store/instance.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { anEntity, aPush, contributionOf } from '../contract/builders.ts'
import { PostgresGraph } from '../postgres/store.ts'
import type { Bolt, Parameters, Row } from './bolt.ts'
import { Neo4jGraph } from './store.ts'

let stores: Sql[] = []
beforeAll(async () => {
  stores = [await openMemoryStore(), await openMemoryStore()]
}, 120_000)
afterAll(() => Promise.all(stores.map((sql) => sql.close())))

/** Of a graph database: who owns a space, which repositories lie in it, and what was asked to go. */
class Spaces {
  readonly owners = new Map<string, string>()
  readonly repos = new Map<string, string[]>()
  readonly deleted: unknown[] = []
  /** How often the constraints were asked for. */
  schemas = 0

  readonly query = async (text: string, parameters: Parameters = {}): Promise<readonly Row[]> => {
    const space = String(parameters['space'])
    if (text.startsWith('MERGE (s:CodeSpace')) {
      if (!this.owners.has(space)) this.owners.set(space, String(parameters['owner']))
      return [{ owner: this.owners.get(space) }]
    }
    if (text.includes('DELETE')) this.deleted.push(parameters)
    // Of the one entity that a test pushes.
    if (text.includes('RETURN nodes')) return [{ nodes: 1, edges: 0 }]
    return text.includes('RETURN g.repo') ? (this.repos.get(space) ?? []).map((repo) => ({ repo })) : []
  }

  readonly bolt: Bolt = {
    read: (run) => run(this.query),
    write: (run) => run(this.query),
    alone: async (text, parameters) => {
      if (text.includes('code_graph_key')) this.schemas += 1
      await this.query(text, parameters)
    },
    server: async () => 'neo4j',
    close: async () => undefined,
  }
}

async function graphOf(sql: Sql, { bolt }: Spaces, space: string): Promise<Neo4jGraph> {
  const common = { clock: systemClock, random: Math.random, logger: silentLogger }
  return new Neo4jGraph({ truth: new PostgresGraph(sql), bolt, space, owner: await instanceOf(sql), ...common })
}

test('a space belongs to the first database that used it: the rebuild of another one is refused and removes nothing (KNOWLEDGE-11, KNOWLEDGE-12)', async () => {
  const neo4j = new Spaces()
  const [one, other] = [await graphOf(stores[0]!, neo4j, 'shop'), await graphOf(stores[1]!, neo4j, 'shop')]
  await one.rebuild()
  neo4j.repos.set('shop', ['lib'])
  await expect(other.rebuild()).rejects.toThrow('another memory service owns GRAPH_SPACE shop')
  await expect(other.rebuild()).rejects.toThrow('another memory service')
  expect(neo4j.deleted).toEqual([])
  await one.rebuild()
  expect(neo4j.deleted).not.toEqual([])
})

test('without GRAPH_SPACE each database has a space of its own, and the same after a restart (KNOWLEDGE-11, KNOWLEDGE-12)', async () => {
  const neo4j = new Spaces()
  for (const sql of [...stores, ...stores]) await (await graphOf(sql, neo4j, '')).rebuild()
  const ids = await Promise.all(stores.map(instanceOf))
  expect(new Set(ids).size).toBe(2)
  expect(neo4j.owners).toEqual(new Map(ids.map((id) => [id, id])))
})

test('a graph that Neo4j has lost while the service ran is loaded with its indexes, in a space of its own (KNOWLEDGE-11)', async () => {
  const neo4j = new Spaces()
  const graph = await graphOf(stores[0]!, neo4j, 'lost')
  await graph.push(aPush('lib', { 'a.ts': contributionOf(anEntity('a')) }))
  await graph.settled()
  expect(neo4j.schemas).toBe(1)
  // This server shows nothing of what was brought to it.
  neo4j.owners.clear()
  await graph.read('lib', (view) => view.entity('a'))
  await graph.settled()
  expect([neo4j.schemas, neo4j.owners.has('lost')]).toEqual([2, true])
})

test('a push to a Neo4j that has lost a graph brings the whole of it, and no difference (KNOWLEDGE-11)', async () => {
  const neo4j = new Spaces()
  const graph = await graphOf(stores[0]!, neo4j, 'lost-before-a-push')
  await graph.push(aPush('lost', { 'a.ts': contributionOf(anEntity('a')) }))
  await graph.settled()
  neo4j.owners.clear()
  await graph.push(aPush('lost', { 'a.ts': contributionOf(anEntity('a')), 'b.ts': contributionOf(anEntity('b')) }))
  await graph.settled()
  expect([neo4j.schemas, neo4j.owners.has('lost-before-a-push')]).toEqual([2, true])
})
