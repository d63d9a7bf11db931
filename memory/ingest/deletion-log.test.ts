import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../testing/service.ts'
import { ingest, jobEnded } from './testing/jobs.ts'

let memory: TestMemory
let repos = 0
let repo = ''

beforeAll(async () => {
  memory = await openTestMemory()
}, 120_000)
afterAll(() => memory?.close())
beforeEach(() => {
  repo = `repo-${++repos}`
})

const item = (file: string, content: string, key: string): object => ({
  content,
  metadata: { file },
  idempotency_key: key,
})

async function idsOf(): Promise<Record<string, string>> {
  const { rows } = await memory.sql.query<{ id: string; content: string }>(
    'select id, content from memory where repo = $1',
    [repo],
  )
  return Object.fromEntries(rows.map(({ id, content }) => [content, id]))
}

/** Of these memories, in the order of the log. */
function deletions(ids: readonly string[]): object[] {
  return memory.log
    .lines()
    .filter((line) => line['action'] === 'memory.delete' && ids.includes(String(line['resource_id'])))
}

describe('the action log of memories that nobody deletes by name', () => {
  test('has a line for the memory that a write under its key replaces (MEMORY-LOG-6)', async () => {
    const write = { idempotency_key: 'k', metadata: { repo } }
    await memory.ask('POST', '/memories', { ...write, text: 'one' })
    const { one } = await idsOf()
    expect(deletions([one!])).toEqual([])
    await memory.ask('POST', '/memories', { ...write, text: 'two' })
    const { two } = await idsOf()
    const [made] = memory.log
      .lines()
      .filter((line) => line['action'] === 'memory.create' && line['resource_id'] === two)
    expect(deletions([one!])).toMatchObject([
      { level: 30, user: 'tester', reason: 'replaced', request_id: made!['request_id'] },
    ])
  })

  test('has a line for each memory that a job replaces or purges, with who asked for the job (MEMORY-LOG-6)', async () => {
    const items = [item('a', 'a1', 'a1'), item('b', 'b1', 'b1'), item('c', 'c1', 'c1'), item('d', 'd1', 'd1')]
    await jobEnded(memory, (await ingest(memory, { repo, items })).id)
    const before = await idsOf()
    const next = { repo, reconcile_files: ['a', 'b'], items: [item('a', 'a2', 'a2'), item('c', 'c2', 'c1')] }
    const { id: job } = await ingest(memory, next)
    await jobEnded(memory, job)
    const [bulk] = memory.log.lines().filter((line) => line['action'] === 'memory.bulk' && line['resource_id'] === job)
    const line = (content: string, reason: string): object => ({
      level: 30,
      resource_id: before[content],
      reason,
      job,
      user: 'tester',
      request_id: bulk!['request_id'],
      duration_ms: expect.any(Number),
    })
    const lines = deletions(Object.values(before))
    expect(lines).toHaveLength(3)
    expect(lines).toEqual(
      expect.arrayContaining(
        [line('b1', 'reconciled'), line('a1', 'reconciled'), line('c1', 'replaced')].map((one) =>
          expect.objectContaining(one),
        ),
      ),
    )
  })
})
