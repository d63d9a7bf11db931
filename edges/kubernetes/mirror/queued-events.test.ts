import { expect, test } from 'vitest'
import { anEntry, aTask, mirrorUnderTest } from '../testing/mirroring.ts'

/** `count` entries of which the first `admitted` have their slot. */
function queueOf(count: number, admitted: number) {
  return Array.from({ length: count }, (_, index) =>
    anEntry(
      `e-${index}`,
      index < admitted
        ? { state: 'Admitted', admittedAt: '2026-01-02T03:00:00Z' }
        : { state: 'Queued', position: index - admitted + 1, reason: 'no free slot' },
      index,
    ),
  )
}

function underTest(count: number) {
  let isDeaf = false
  const world = mirrorUnderTest({ deliver: (change) => void (isDeaf || change()) })
  const deafen = (): void => void (isDeaf = true)
  const { server, actors, clock, settle, mirror } = world
  const show = (admitted: number): void => {
    queueOf(count, admitted).forEach((view) => actors.show(view))
    actors.stepped('queue:default/demo')
  }
  const seconds = async (many: number): Promise<void> => {
    for (let second = 0; second < many; second += 1) {
      await settle()
      clock.advance(1_000)
    }
    await settle()
  }
  const patches = () => server.calls.filter(({ method, kind }) => method === 'PATCH' && kind === 'QueuedEvent').length
  const statusOf = (index: number) => server.find('QueuedEvent', `default/e-${index}`)?.status
  mirror.start()
  return { ...world, deafen, show, seconds, patches, statusOf }
}

test('1,600 entries are made once; an admission then patches what it admits, and places every 10 s', async () => {
  const { show, seconds, patches, statusOf, server } = underTest(1_600)
  show(0)
  await seconds(12)
  expect(patches()).toBe(3_200)
  expect([statusOf(49), statusOf(50)]).toEqual([
    { state: 'Queued', position: 50, reason: 'no free slot' },
    { state: 'Queued' },
  ])
  server.calls.length = 0
  for (let admitted = 1; admitted <= 20; admitted += 1) {
    show(admitted)
    await seconds(1)
  }
  expect(statusOf(19)).toMatchObject({ state: 'Admitted' })
  // 20 admissions, and the places of 50 at once, at 10 s and at 20 s.
  expect(patches()).toBeLessThanOrEqual(20 + 3 * 50)
  await seconds(10)
  expect([statusOf(20), statusOf(69), statusOf(70)]).toEqual([
    { state: 'Queued', position: 1, reason: 'no free slot' },
    { state: 'Queued', position: 50, reason: 'no free slot' },
    { state: 'Queued' },
  ])
  expect(patches()).toBeLessThanOrEqual(20 + 4 * 50)
})

test('an admission is shown within a second, though places are not due', async () => {
  const { show, seconds, statusOf } = underTest(3)
  show(0)
  await seconds(3)
  show(1)
  await seconds(1)
  expect([statusOf(0), statusOf(1)]).toMatchObject([{ state: 'Admitted' }, { position: 2 }])
  await seconds(10)
  expect(statusOf(1)).toMatchObject({ position: 1 })
})

test('what left its queue is kept with its end, and goes when the queue forgets it; it is not made again', async () => {
  const { actors, show, seconds, statusOf, server } = underTest(2)
  show(0)
  await seconds(3)
  const done = { ...anEntry('e-0', { state: 'Done', reason: 'released' }), spec: { projectRef: 'demo' } }
  actors.show(done)
  actors.show({ ...done, metadata: { ...done.metadata, name: 'e-9' } })
  actors.stepped('queue:default/demo')
  await seconds(12)
  expect(statusOf(0)).toEqual({ state: 'Done', reason: 'released' })
  expect(server.find('QueuedEvent', 'default/e-0')!.spec).toMatchObject({ sort: 'mint' })
  expect(statusOf(9)).toBeUndefined()
  actors.views.delete('QueuedEvent/default/e-0')
  actors.stepped('queue:default/demo')
  await seconds(3)
  expect(server.all('QueuedEvent').map(({ metadata }) => metadata.name)).toEqual(['e-1'])
})

test('what left its queue and somebody deletes stays away: the store knows no more what it asked for', async () => {
  const { actors, mirror, show, seconds, server } = underTest(2)
  show(0)
  await seconds(3)
  actors.show({ ...anEntry('e-0', { state: 'Done', reason: 'released' }), spec: { projectRef: 'demo' } })
  for (const name of ['e-0', 'e-1'] as const) server.remove('QueuedEvent', `default/${name}`)
  await mirror.resync()
  await seconds(12)
  expect(server.all('QueuedEvent').map(({ metadata }) => metadata.name)).toEqual(['e-1'])
})

test('a person’s Task shows that it is queued within 2 s of its entry, though places are not due', async () => {
  const { actors, show, seconds, server } = underTest(3)
  const { uid } = server.create({ kind: 'Task', name: 'default/e-2', spec: { projectRef: 'demo' } }).metadata
  const origin = { origin: { kind: 'human', ref: uid } }
  actors.show(aTask('e-2', {}, origin))
  actors.views.delete('QueuedEvent/default/e-2')
  await seconds(2)
  actors.stepped('queue:default/demo')
  await seconds(2)
  expect(server.find('Task', 'default/e-2')!.status).toBeUndefined()
  actors.show(aTask('e-2', { stage: 'queued', position: 3 }, origin))
  show(0)
  await seconds(2)
  expect(server.find('Task', 'default/e-2')!.status).toEqual({ stage: 'queued', position: 3 })
})

test('a person’s Task that waits shows its place as its entry does', async () => {
  const { actors, show, seconds, server } = underTest(3)
  const { uid } = server.create({ kind: 'Task', name: 'default/e-2', spec: { projectRef: 'demo' } }).metadata
  const waiting = (position: number): void =>
    actors.show(aTask('e-2', { stage: 'queued', position }, { origin: { kind: 'human', ref: uid } }))
  waiting(3)
  show(0)
  await seconds(12)
  expect(server.find('Task', 'default/e-2')!.status).toEqual({ stage: 'queued', position: 3 })
  waiting(1)
  show(2)
  await seconds(12)
  expect(server.find('Task', 'default/e-2')!.status).toEqual({ stage: 'queued', position: 1 })
})

test('an entry that another writer changed meanwhile is read again, whatever the watch brings', async () => {
  const { actors, show, seconds, statusOf, server, deafen } = underTest(1)
  show(0)
  await seconds(3)
  deafen()
  let raced = false
  actors.slowly = async () => {
    if (raced) return
    raced = true
    server.edit('QueuedEvent', 'default/e-0', { status: { state: 'Admitted' } })
    actors.show(anEntry('e-0', { state: 'Done', reason: 'released' }))
  }
  show(1)
  await seconds(3)
  expect(raced).toBe(true)
  expect(statusOf(0)).toEqual({ state: 'Done', reason: 'released' })
})

test('however many steps there are, the queues are read once a second', async () => {
  const { actors, show, settle, clock } = underTest(2)
  let reads = 0
  const list = actors.derived.list
  actors.derived.list = async (...asked) => {
    reads += 1
    return list(...asked)
  }
  for (let step = 0; step < 50; step += 1) {
    await settle(show(step % 2))
    clock.advance(100)
  }
  expect(reads).toBeLessThanOrEqual(6)
})

test('a slow server delays no status beyond the second', async () => {
  const { show, seconds, statusOf, server, clock } = underTest(20)
  server.before = async ({ kind, isStatus }) => {
    if (kind === 'QueuedEvent' && !isStatus) clock.advance(200)
  }
  show(0)
  await seconds(3)
  expect(statusOf(19)).toMatchObject({ position: 20 })
})
