import { expect, test } from 'vitest'
import { applyPatch, type KubeObject } from '../api/api.ts'
import { pathOfObject } from '../api/objects.ts'
import { conditionsIn, putCondition } from './in-conditions.ts'
import { MemoryServer } from '../testing/memory-server.ts'

const spec = { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['a'] }
const refused = { type: 'Admitted', status: 'False', reason: 'NotFound', message: 'there is no Project demo' } as const

function fixture() {
  const client = new MemoryServer()
  let now = Date.parse('2026-01-01T00:00:00Z')
  const clock = { now: () => (now += 60_000) }
  const task = client.create({ kind: 'Task', name: 'one', spec })
  const put = (
    object: KubeObject,
    wanted?: Parameters<typeof putCondition>[3],
    voice: 'refused' | 'contended' = 'refused',
  ) => putCondition({ client, clock }, object, voice, wanted)
  return { client, task, put, writes: () => client.calls.length }
}

test('a condition has the generation and the time since when it is so', async () => {
  const { task, put } = fixture()
  const first = await put(task, refused)
  expect(conditionsIn(first, 'refused')).toEqual([
    { ...refused, lastTransitionTime: '2026-01-01T00:01:00.000Z', observedGeneration: 1 },
  ])
  const second = await put(first, { ...refused, message: 'other words' })
  expect(conditionsIn(second, 'refused')).toMatchObject([
    { message: 'other words', lastTransitionTime: '2026-01-01T00:01:00.000Z' },
  ])
})

test('the same condition is not written again, and one that somebody edits comes back', async () => {
  const { client, task, put, writes } = fixture()
  const first = await put(task, refused)
  await put(first, refused)
  expect(writes()).toBe(1)
  client.edit('Task', 'one', { status: undefined })
  expect(conditionsIn(await put(client.find('Task', 'one')!, refused), 'refused')).toHaveLength(1)
})

test('what the mirror wrote stays, whether a refusal comes or goes', async () => {
  const { client, task, put, writes } = fixture()
  const admitted = { type: 'Admitted', status: 'True', reason: 'Minted', message: '' }
  const running = { type: 'Running', status: 'True', reason: 'PodLives', message: '' }
  const { apiVersion, kind, metadata } = task
  const mirrored = await client.ask('PATCH', pathOfObject(task, 'status'), {
    type: applyPatch,
    query: { fieldManager: 'statewright', force: true },
    body: { apiVersion, kind, metadata: { name: metadata.name }, status: { stage: 'queued', conditions: [running] } },
  })
  const cleared = await put(await put(mirrored, refused))
  expect(cleared.status).toMatchObject({ conditions: [running] })
  client.edit('Task', 'one', { status: { conditions: [admitted] } })
  const before = writes()
  await put(client.find('Task', 'one')!)
  expect(writes()).toBe(before)
})

test('another orchestrator’s condition and our own do not meet', async () => {
  const { task, put } = fixture()
  const contended = { type: 'Contended', status: 'True', reason: 'OtherOrchestrator', message: 'm' } as const
  const both = await put(await put(task, refused), contended, 'contended')
  expect((await put(both)).status).toMatchObject({ conditions: [{ type: 'Contended' }] })
})
