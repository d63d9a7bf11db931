import { expect, test } from 'vitest'
import type { ActorAddress, ActorKind } from '../../machines/definition.ts'
import type { Hindrance } from '../../machines/turn/schema.ts'
import { testClock } from '../../http/testing/fixture.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import { hindrances, sentenceOf } from './hindrance.ts'
import { withWrapper } from './testing/scripted-wrapper.ts'

const since = new Date(1_000_000).toISOString()
const minutes = (count: number): number => 1_000_000 + count * 60_000

test.each<[Omit<Hindrance, 'since'>, number, string]>([
  [{ kind: 'model-silent', pings: 16 }, 4, 'the model has not answered for 4 min: its stream only pings (16 times)'],
  [{ kind: 'model-silent', pings: 1 }, 2, 'the model has not answered for 2 min: its stream only pings (once)'],
  [{ kind: 'model-silent', pings: 0 }, 125, 'the model has not answered for 2 h 5 min, and its stream brings nothing'],
  [
    { kind: 'model-retries', attempts: 5, status: 529 },
    0.5,
    'the model fails for 30 s: 5 requests in a row, the last with status 529',
  ],
  [
    { kind: 'model-retries', attempts: 3, status: 0 },
    1,
    'the model fails for 1 min: 3 requests in a row, the last by a broken connection',
  ],
  [{ kind: 'model-retries' }, 1, 'the model fails for 1 min'],
  [
    { kind: 'usage-limit', resetsAt: '2026-01-02T03:00:00.000Z' },
    1,
    'the usage limit of the model is reached until 2026-01-02T03:00:00.000Z',
  ],
  [{ kind: 'usage-limit' }, 1, 'the usage limit of the model is reached'],
  [{ kind: 'screen-still' }, -1, "the agent's screen stands still for 0 s, as at a dialog that waits for a person"],
])('%o is a sentence for people', (hindrance, after, sentence) => {
  expect(sentenceOf({ ...hindrance, since }, minutes(after))).toBe(sentence)
})

interface Scene {
  readonly pod?: object
  readonly status?: ActorView['status']
  readonly hindrance?: Hindrance
}

const silent: Hindrance = { kind: 'model-silent', since, pings: 2 }

/** Whoever asks of this actor, three minutes later, where the pod `default/t/2` is as the scene has it. */
async function asks(
  { pod = {}, status = 'active', hindrance = silent }: Scene,
  kind: ActorKind,
  id: string,
  context: object = {},
): Promise<unknown> {
  let found: unknown
  await withWrapper(async ({ session, url, client }) => {
    Object.assign(session, { hindrance })
    const read = async (address: ActorAddress): Promise<ActorView | undefined> =>
      address === 'pod:default/t/2' ? ({ status, context: { url, ...pod } } as unknown as ActorView) : undefined
    const hindranceOf = hindrances({ runtime: { read: read as never }, clock: testClock(minutes(3)), client })
    found = await hindranceOf({ kind, id, address: `${kind}:${id}`, context } as ActorView)
  })
  return found
}

const withPod = (ordinal: number, alive = true): object => ({ pod: { alive, ordinal } })
const askTask = (scene: Scene): Promise<unknown> => asks(scene, 'task', 'default/t', withPod(2))

test('a Task, its pod and their turn are hindered by what the wrapper of their pod names', async () => {
  const named = { ...silent, sentence: expect.stringContaining('for 3 min') }
  expect(await askTask({})).toEqual(named)
  expect(await asks({}, 'pod', 'default/t/2')).toEqual(named)
  expect(await asks({}, 'turn', 'default/t/2/0')).toEqual(named)
})

test('nothing is asked of a pod that is not there yet, that has ended, or that the Task left (OPERATIONS-13)', async () => {
  expect(await askTask({ pod: { url: '' } })).toBeUndefined()
  expect(await askTask({ status: 'done' })).toBeUndefined()
  expect(await asks({}, 'task', 'default/t', withPod(3))).toBeUndefined()
  expect(await asks({}, 'task', 'default/t', withPod(2, false))).toBeUndefined()
  expect(await asks({}, 'queue', 'default/t')).toBeUndefined()
})

test('a pod that does not answer, or answers nonsense, fails nobody who asks (OPERATIONS-13)', async () => {
  expect(await askTask({ pod: { url: 'http://127.0.0.1:1' } })).toBeUndefined()
  expect(await askTask({ hindrance: { ...silent, since: '2026-12-31T23:59:60Z' } })).toBeUndefined()
  const precise = `1970-01-01T01:16:40.${'0'.repeat(9_000)}+01:00`
  expect(await askTask({ hindrance: { ...silent, since: precise } })).toMatchObject({ since })
})
