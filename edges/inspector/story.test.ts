import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import type { StoryAnswer } from './read-story.ts'
import { goodToken, playStory, withFixture, type Fixture } from './testing/fixture.ts'

let fixture: Fixture
let task: ActorAddress
let end: () => void
let ended: Promise<void>

beforeAll(async () => {
  const stopped = new Promise<void>((resolve) => (end = resolve))
  await new Promise<void>((ready, failed) => {
    ended = withFixture(async (built) => {
      fixture = built
      task = await playStory(built)
      ready()
      await stopped
    })
    ended.catch(failed)
  })
})
afterAll(async () => {
  end()
  await ended
})

function ask(address: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${fixture.url}/inspector/api/story?address=${encodeURIComponent(address)}`, { headers })
}

async function read(): Promise<StoryAnswer> {
  const answer = await ask(task, { authorization: `Bearer ${goodToken}` })
  expect(answer.status).toBe(200)
  return (await answer.json()) as StoryAnswer
}

/** INSPECTOR-6. */
test('a Task’s story has a lane for what it waits for, for Task, queue, pods, turns and each thread', async () => {
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
  expect(story.cut).toBeNull()
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

test('nobody reads it without a session or a token, and what is no Task has none', async () => {
  expect((await ask(task, {})).status).toBe(401)
  const authorization = `Bearer ${goodToken}`
  expect((await ask('queue:default/demo', { authorization })).status).toBe(404)
  expect((await ask('task:default/nobody', { authorization })).status).toBe(404)
  expect((await ask('nonsense', { authorization })).status).toBe(404)
})
