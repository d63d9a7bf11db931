import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import type { ActorAddress } from '../../../machines/definition.ts'
import type { JournalRow } from '../../../runtime/runtime.ts'
import type { Observed } from '../deps.ts'
import { readStory, type StoryAnswer } from './read-story.ts'
import { goodToken, openFixture, playStory, type Fixture } from '../testing/fixture.ts'

let fixture: Fixture
let task: ActorAddress
let end: () => Promise<void>

beforeAll(async () => {
  ;({ fixture, end } = await openFixture())
  task = await playStory(fixture)
})
afterAll(() => end())

function ask(address: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${fixture.url}/inspector/api/story?address=${encodeURIComponent(address)}`, { headers })
}

async function read(): Promise<StoryAnswer> {
  const answer = await ask(task, { authorization: `Bearer ${goodToken}` })
  expect(answer.status).toBe(200)
  return (await answer.json()) as StoryAnswer
}

test('a Task’s story has a lane for what it waits for, for Task, queue, pods, turns and each thread (INSPECTOR-6)', async () => {
  const { story } = await read()
  expect(story.lanes.map(({ title }) => title)).toEqual(['Waits for', 'Task', 'Queue', 'Pods', 'Turns', 'Issue lib#7'])
  const words = Object.fromEntries(story.lanes.map(({ title, bars }) => [title, bars.at(-1)!.word]))
  expect(words).toMatchObject({
    'Waits for': 'working',
    Task: 'implementing',
    Queue: 'has a slot',
    Pods: 'pod 1: working',
    Turns: 'turn 1/0: working',
  })
  expect([story.cut, story.isOver]).toEqual([null, false])
})

test('beside it stand plan, notes, links, and each effect with its attempts and last error; nothing of a secret', async () => {
  const { record, effects } = await read()
  expect(record.title).toBe('Parse durations with 7 units')
  expect(record.plan).toMatchObject({ kind: 'plan', by: 'implement pod 1' })
  expect(record.plan!.body).toContain('Parse units one by one')
  expect(record.links).toEqual([{ text: 'lib#7', url: 'https://forge.example/lib/issues/7' }])
  expect(effects).toContainEqual(
    expect.objectContaining({ type: 'postComment', lastError: expect.stringContaining('502') }),
  )
  expect(JSON.stringify(await read())).not.toContain('ghp_')
})

test('with the story comes what `why` has of the Task, in its own words: what it cost, and the shortest way to delivered (INSPECTOR-10)', async () => {
  const { why } = await read()
  expect(why?.rows).toEqual([{ name: 'cost', text: '1 turn, 42,000 tokens, about 0.30 USD so far' }])
  expect(why?.way?.title).toBe(`The shortest way to delivered, ${why?.way?.steps.length} events:`)
  expect(why?.way?.steps.at(-1)).toEqual({ by: 'forge', does: 'merges the merge request in lib', stage: 'delivered' })
})

test('a story whose `why` cannot be read comes without it, and the server logs the error (INSPECTOR-6)', async () => {
  const { runtime, clock } = fixture
  const { logger, lines } = captureLog()
  const whyOf = async (): Promise<never> => {
    throw new Error('the memory is away')
  }
  const answer = await readStory({ runtime, clock, whyOf, logger }, task)
  expect(answer?.why).toBeNull()
  expect(answer?.story.lanes.length).toBeGreaterThan(2)
  expect(lines()).toEqual([
    expect.objectContaining({ level: 50, task, err: expect.objectContaining({ message: 'the memory is away' }) }),
  ])
})

test('nobody reads it without a session or a token, and what is no Task has none', async () => {
  expect((await ask(task, {})).status).toBe(401)
  const authorization = `Bearer ${goodToken}`
  expect((await ask('queue:default/demo', { authorization })).status).toBe(404)
  expect((await ask('task:default/nobody', { authorization })).status).toBe(404)
  expect((await ask('nonsense', { authorization })).status).toBe(404)
})

/** As the fixture's runtime, where the Task has made so many steps, of which the journal keeps those from `kept` on. */
function longTask(steps: number, kept: number): Observed {
  const { runtime } = fixture
  const path = (seq: number): string =>
    `stage.live.active.implementing.clocked pod.working.${seq % 2 === 0 ? 'busy' : 'idle'}`
  const row = (seq: number): JournalRow => ({
    address: task,
    seq,
    key: `${seq}`,
    at: seq * 1000,
    event: { type: 'turn.ended', at: seq * 1000, finalText: 'x'.repeat(1000) },
    effects: [],
    path: path(seq),
    status: 'active',
    handled: true,
    machineHash: '',
  })
  return {
    read: async (address) => {
      const view = await runtime.read(address)
      return address === task && view ? { ...view, seq: steps, path: path(steps) } : view
    },
    find: (kind, query) => runtime.find(kind, query),
    tally: (texts) => runtime.tally(texts),
    history: async (address, query = {}) => {
      if (address !== task) return runtime.history(address, query)
      const { from = 1, limit = 1000 } = query
      return Array.from({ length: Math.min(limit, steps - from + 1) }, (_, index) => row(from + index)).filter(
        ({ seq }) => seq >= kept,
      )
    },
    pendingEffects: (query) => runtime.pendingEffects(query),
    pendingTimers: (query) => runtime.pendingTimers(query),
    subscribe: (listener) => runtime.subscribe(listener),
  }
}

test('a Task of 5,000 steps gets a bounded answer, which says from which step it is', async () => {
  const answer = await readStory({ runtime: longTask(5000, 1), clock: fixture.clock }, task)
  expect(answer!.story.cut).toEqual({ step: 3001, isKept: true })
  expect(answer!.story.from).toBe(3001 * 1000)
  expect(JSON.stringify(answer).length).toBeLessThan(150_000)
})

test('after retention a story says from which step it is, and where nothing was kept, that too', async () => {
  const read = (kept: number) => readStory({ runtime: longTask(50, kept), clock: fixture.clock }, task)
  expect((await read(20))!.story.cut).toEqual({ step: 20, isKept: false })
  const { story, record } = (await read(51))!
  expect([story.lanes, story.cut?.isKept]).toEqual([[], false])
  expect(record.plan!.kind).toBe('plan')
})

test('a Task whose threads nobody can list fails before it asks for its pods, so that no failed reading goes unheard', async () => {
  const asked: string[] = []
  const runtime: Observed = {
    ...longTask(5, 1),
    read: async (address) => {
      asked.push(address)
      const view = await fixture.runtime.read(address)
      return view && { ...view, context: { ...view.context, forge: { issues: [], mergeRequests: null } } }
    },
  }
  await expect(readStory({ runtime, clock: fixture.clock }, task)).rejects.toThrow(TypeError)
  expect(asked).toEqual([task])
})
