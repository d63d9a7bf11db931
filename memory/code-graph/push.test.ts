import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Sql } from '../../runtime/store/sql.ts'
import { PostgresGraph } from '../graph/postgres/store.ts'
import { openMemoryStore } from '../testing/service.ts'
import { push, sortPush } from './push.ts'
import type { PushMembers } from './schema.ts'

let sql: Sql
let graph: PostgresGraph

beforeAll(async () => {
  sql = await openMemoryStore()
  graph = new PostgresGraph(sql)
}, 120_000)
afterAll(() => sql?.close())

async function commitAfter(members: PushMembers): Promise<string | null | undefined> {
  const file = 'a.ts'
  await push(
    { graph, repo: 'r', pushedAt: 1 },
    await sortPush({
      members,
      files: [{ file, sha: '1' }],
      entities: [{ id: 'a', type: 'function', name: 'a', file }],
      edges: [],
      hyperedges: [],
      offRubric: { count: 0, examples: [] },
    }),
  )
  return (await graph.head('r'))?.commit
}

describe('the commit of a push', () => {
  test('stays where files come without one; a snapshot without one has none (CODE-PUSH-24)', async () => {
    expect(await commitAfter({ mode: 'snapshot', commit: 'c1' })).toBe('c1')
    expect(await commitAfter({ mode: 'files' })).toBe('c1')
    expect(await commitAfter({ mode: 'files', commit: 'c2' })).toBe('c2')
    expect(await commitAfter({ mode: 'snapshot' })).toBeNull()
  })
})
