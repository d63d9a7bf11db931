import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActorKind } from '../../../machines/definition.ts'
import { machines } from '../../../machines/registry.ts'
import { listedMachines } from '../../../machines/why/listed.ts'
import type { FindQuery, Runtime } from '../../../runtime/runtime.ts'
import type { ActorBundle, BundleFile } from '../../../runtime/journal/bundle/schema.ts'
import { bundleReader, orderFaults, shownFaults, type BundleReader } from './bundle-reader.ts'
import { boardReader } from './read-board.ts'
import { readStory } from './read-story.ts'
import { rowOf } from '../routes/actors.ts'
import { bundleOf, issueFacts, openFixture, playStory } from '../testing/fixture.ts'

const head = '0123456789abcdef0123456789abcdef01234567'
let runtime: Runtime
let file: BundleFile
let reader: BundleReader
let end: () => Promise<void>

beforeAll(async () => {
  const opened = await openFixture()
  ;({ end } = opened)
  runtime = opened.fixture.runtime
  await playStory(opened.fixture)
  const facts = { ...issueFacts(21), headSha: head, headBranch: 'b', baseBranch: 'main', draft: false, ci: 'none' }
  const rest = { mergeable: null, headByBot: false, pushedBy: 'rosa', pushedByGated: false, wanted: false }
  await opened.fixture.send('merge-request:default/lib-21', { type: 'mr.observed', facts: { ...facts, ...rest } })
  // From now on it only reads.
  await runtime.stop()
  file = await bundleOf(opened.fixture)
  reader = bundleReader(file, listedMachines)
})
afterAll(() => end())

const queries: readonly (readonly [kind: ActorKind, query: FindQuery])[] = [
  ['task', { limit: 100 }],
  ['task', { limit: 1 }],
  ['task', { limit: 100, text: 'DURATIONS' }],
  ['task', { limit: 100, text: 'units  DURATIONS 7' }],
  ['task', { limit: 100, text: '%' }],
  ['merge-request', { limit: 100, text: `${head} units` }],
  ['task', { limit: 100, status: 'done' }],
  ['task', { limit: 100, status: 'quarantined' }],
  ['task', { limit: 100, path: 'Busy', texts: { project: 'default/DEMO', person: '' } }],
  ...['stage.live', 'live.active', 'lock', 'liv', 'clocked pod', '%'].map(
    (path) => ['task', { limit: 100, path }] as const,
  ),
  ['task', { limit: 100, texts: { repository: 'li' } }],
  ['task', { limit: 100, restsSince: 0 }],
  ['pod', { limit: 100, order: 'newest' }],
  ['queue', { limit: 100, text: 'demo' }],
  ['queue', { limit: 100, texts: { project: 'default/demo' } }],
]

describe('a bundle is read as the runtime reads its store (INSPECTOR-8)', () => {
  test('each actor with its journal, timers and effects', async () => {
    expect(file.actors.length).toBeGreaterThan(8)
    for (const { address } of file.actors) {
      const actor = address as `${ActorKind}:${string}`
      expect(await reader.read(actor)).toEqual(await runtime.read(actor))
      const page = { from: 2, limit: 3 }
      // Answers to callers are in no bundle.
      const rows = (await runtime.history(actor, page)).map((row) => ({ ...row, answer: undefined }))
      expect(await reader.history(actor, page)).toEqual(rows)
      expect(await reader.pendingTimers({ actor })).toEqual(await runtime.pendingTimers({ actor }))
      const withoutState = (await runtime.pendingEffects({ actor })).map((effect) => ({ ...effect, state: 'pending' }))
      expect(await reader.pendingEffects({ actor })).toEqual(withoutState)
    }
    expect(await reader.read('task:default/nobody')).toBeUndefined()
    expect(await reader.history('task:default/nobody')).toEqual([])
  })

  test.each(queries)('%s by %o', async (kind, query) => {
    expect(await reader.find(kind, query)).toEqual(await runtime.find(kind, query))
    const [first] = (await runtime.find(kind, { ...query, limit: 1 })).views
    const after = first && { address: first.address, updatedAt: first.updatedAt }
    if (after)
      expect(await reader.find(kind, { ...query, after })).toEqual(await runtime.find(kind, { ...query, after }))
  })

  test.each([
    [1, ` 21 UNITS ${head.slice(0, 7)}`],
    [1, head.toUpperCase()],
    [0, head.slice(0, 6)],
    [0, `${head.slice(0, 7)} minutes`],
  ])('finds %i by all words of a search and the begin of a commit: %s (INSPECTOR-7)', async (count, text) => {
    for (const one of [reader, runtime]) expect((await one.find('merge-request', { limit: 9, text })).total).toBe(count)
  })

  test('how many there are in each state, and with each word', async () => {
    const [ours, theirs] = await Promise.all([reader, runtime].map((one) => one.tally(['project', 'reason'])))
    expect(new Set(ours?.states)).toEqual(new Set(theirs?.states))
    expect(new Set(ours?.words)).toEqual(new Set(theirs?.words))
    expect(ours?.words.length).toBeGreaterThan(3)
  })

  test('what lives and what has ended', async () => {
    for (const { kind } of machines) {
      expect(await reader.list(kind, { status: 'active' })).toEqual(await runtime.list(kind, { status: 'active' }))
      const query = { since: 0, limit: 1 }
      if (kind === 'task') expect(await reader.listEnded(kind, query)).toEqual(await runtime.listEnded(kind, query))
    }
  })
})

test('a Task has one title in list, board and story, in a file too that has the Task alone', async () => {
  const alone = { ...file, actors: file.actors.filter(({ kind }) => kind === 'task') }
  const clock = { now: () => file.exportedAt, elapsed: () => 0 }
  for (const read of [reader, bundleReader(alone, listedMachines)]) {
    const { views } = await read.find('task', { limit: 9, text: 'lib#7' })
    expect(views.map((view) => rowOf(view).title)).toEqual(['Parse durations with 7 units'])
    const board = await boardReader({ runtime: read, clock, maintainers: async () => new Map() })({ q: '7 units' })
    expect(board.working.cards.map(({ title }) => title)).toEqual(['Parse durations with 7 units'])
    const story = await readStory({ runtime: read, clock }, views[0]?.address ?? '')
    expect(story?.record.title).toBe('Parse durations with 7 units')
  }
})

test('a file that was written by a program shows without a fault', async () => {
  expect(orderFaults(file, machines)).toEqual([])
  expect(await shownFaults(file, reader)).toEqual([])
})

test('of a file of many Tasks `why` is tried for the first twenty, and one that fails there is a fault of its Task', async () => {
  const known = file.actors.find(({ kind, status }) => kind === 'task' && status === 'active')
  if (known === undefined) throw new Error('no Task lives')
  const copy = (index: number): ActorBundle => ({ ...known, address: `task:default/copy-${index}` })
  const many = { ...file, actors: Array.from({ length: 30 }, (_, index) => copy(index)) }
  let asked = 0
  const whyOf = async (): Promise<undefined> => {
    asked += 1
    if (asked === 7) throw new Error('no such state')
  }
  const faults = await shownFaults(many, bundleReader(many, listedMachines), whyOf)
  expect(asked).toBe(20)
  expect(faults).toEqual([{ path: '/actors/6', message: 'cannot be shown: no such state' }])
})

test('of pods, turns and threads that a file does not hold its story says so, and no word of what they did', async () => {
  const clock = { now: () => file.exportedAt }
  const wordsIn = async (isHeld: (kind: string) => boolean): Promise<unknown> => {
    const actors = file.actors.filter(({ kind }) => isHeld(kind))
    const { address } = actors.find(({ kind, status }) => kind === 'task' && status === 'active')!
    const read = bundleReader({ ...file, actors }, listedMachines)
    const { story } = (await readStory({ runtime: read, clock, file: 'a.json' }, address))!
    return Object.fromEntries(story.lanes.slice(3).map(({ title, bars }) => [title, bars.map(({ word }) => word)]))
  }
  const away = ['not in this file']
  expect(await wordsIn((kind) => kind === 'task')).toEqual({ Pods: away, Turns: away, 'Issue lib#7': away })
  const whole = await wordsIn(() => true)
  expect(JSON.stringify(whole)).not.toContain('file')
  expect(await wordsIn((kind) => kind !== 'turn')).toEqual({ ...(whole as object), Turns: away })
})

test('an actor that this version cannot load is quarantined, and the rest is shown', async () => {
  const cut = file.actors.map((actor) =>
    actor.kind === 'task' ? { ...actor, snapshot: null, events: actor.events.slice(1) } : actor,
  )
  const read = bundleReader({ ...file, actors: cut }, listedMachines)
  expect(await shownFaults({ ...file, actors: cut }, read)).toEqual([])
  const [task] = await read.list('task')
  expect(task).toMatchObject({ status: 'quarantined', fault: expect.stringMatching(/./) })
})

test('a file that no program wrote is refused by the places of its faults', async () => {
  const [first, second] = file.actors as [ActorBundle, ActorBundle]
  const strange = [
    { ...first, address: second.address, kind: 'nothing', status: 'asleep', seq: 99 },
    { ...second, seq: second.seq + 1 },
    second,
  ]
  expect(orderFaults({ ...file, actors: strange }, machines).map(({ path }) => path)).toEqual([
    '/actors/0/address',
    '/actors/0/kind',
    '/actors/0/status',
    '/actors/0/events/0/seq',
    '/actors/1/address',
    '/actors/1/events/0/seq',
    '/actors/2/address',
  ])
})

test.each([
  ['task', { forge: 7 }],
  ['pod', {}],
  ['issue', { facts: { title: 7 } }],
] as const)(
  'a context of a %s that no machine wrote is a fault of its actor, and none that the page meets first',
  async (kind, context) => {
    const found = (await reader.list(kind, { status: 'active' }))[0]!
    const snapshot = { value: found.value, status: 'active', context, children: {}, historyValue: {} }
    const { seq, version } = found
    const actors = file.actors.map((actor): ActorBundle => {
      const hostile = { seq, version, machineHash: actor.machineHash, snapshot }
      return actor.address === found.address ? { ...actor, snapshot: hostile } : actor
    })
    const faults = await shownFaults({ ...file, actors }, bundleReader({ ...file, actors }, listedMachines))
    const place = actors.findIndex(({ address }) => address === found.address)
    // The story of its Task may fail by it too.
    expect(faults).toContainEqual({ path: `/actors/${place}`, message: expect.stringMatching(/^cannot be shown: ./) })
  },
)
