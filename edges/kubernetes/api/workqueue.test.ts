import { expect, test } from 'vitest'
import { captureLog } from '../../../http/testing/fixture.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { errorOf } from './answers.ts'
import { createWorkqueue } from './workqueue.ts'

/** Lets everything that waits for no clock go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

function queueUnderTest({ parallel = 2, random = (): number => 1 } = {}) {
  const clock = simulatedClock(1_000_000)
  const log = captureLog()
  const begun: string[] = []
  const open: { readonly key: string; readonly end: (error?: unknown) => void }[] = []
  const queue = createWorkqueue({
    name: 'test',
    clock,
    random,
    logger: log.logger,
    parallel,
    work: (key) => {
      begun.push(key)
      return new Promise((resolve, reject) =>
        open.push({ key, end: (error) => (error === undefined ? resolve() : reject(error)) }),
      )
    },
  })
  const end = async (key: string, error?: unknown): Promise<void> => {
    const at = open.findIndex((one) => one.key === key)
    open.splice(at, 1)[0]!.end(error)
    await settle()
  }
  return { clock, log, queue, begun, open, end }
}

test('works on as many keys at a time as it may, in the order they came', async () => {
  const { queue, begun, end } = queueUnderTest()
  for (const key of ['a', 'b', 'c', 'a', 'd']) queue.add(key)
  expect(begun).toEqual(['a', 'b'])
  await end('a')
  expect(begun).toEqual(['a', 'b', 'c'])
  await end('b')
  await end('c')
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'a'])
})

test('a key that comes while it waits is worked on once; while it is worked on, once more afterwards', async () => {
  const { queue, begun, open, end } = queueUnderTest({ parallel: 1 })
  for (const key of ['a', 'b', 'b', 'b']) queue.add(key)
  for (let times = 0; times < 3; times++) queue.add('a')
  await end('a')
  expect(open.map(({ key }) => key)).toEqual(['b'])
  await end('b')
  await end('a')
  expect(begun).toEqual(['a', 'b', 'a'])
})

test('a failure is retried with jitter below a bound that doubles to a minute, and logged', async () => {
  const { queue, clock, begun, end, log } = queueUnderTest()
  queue.add('a')
  for (const bound of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    const before = begun.length
    await end('a', errorOf(503, {}))
    clock.advance(bound - 1)
    expect(begun.length).toBe(before)
    clock.advance(1)
    expect(begun.length).toBe(before + 1)
  }
  await end('a')
  expect(clock.waiting()).toBe(0)
  expect(log.lines().length).toBe(9)
  expect(log.lines()[0]).toMatchObject({ key: 'a', failures: 1, retryInMs: 500 })
})

test('success forgets earlier failures', async () => {
  const { queue, clock, begun, end } = queueUnderTest()
  queue.add('a')
  await end('a', new Error('first'))
  clock.advance(500)
  await end('a')
  queue.add('a')
  await end('a', new Error('second'))
  clock.advance(500)
  expect(begun.length).toBe(4)
})

test('two keys that fail together come back apart', async () => {
  const numbers = [0.3, 0.9]
  const { queue, clock, begun, end } = queueUnderTest({ random: () => numbers.shift()! })
  for (const key of ['a', 'b']) queue.add(key)
  for (const key of ['a', 'b']) await end(key, new Error('away'))
  clock.advance(150)
  expect(begun).toEqual(['a', 'b', 'a'])
  clock.advance(300)
  expect(begun).toEqual(['a', 'b', 'a', 'b'])
})

test('a pause that the server asked for is kept, also by a key that is added meanwhile', async () => {
  const { queue, clock, begun, end } = queueUnderTest()
  queue.add('a')
  await end('a', errorOf(429, {}, '5'))
  queue.add('a')
  clock.advance(4_999)
  queue.add('a')
  expect(begun.length).toBe(1)
  clock.advance(1)
  expect(begun.length).toBe(2)
})

test('a terminal refusal is retried after 30 seconds, and at once when the key is added', async () => {
  const { queue, clock, begun, end } = queueUnderTest()
  queue.add('a')
  await end('a', errorOf(422, {}))
  clock.advance(29_999)
  expect(begun.length).toBe(1)
  clock.advance(1)
  expect(begun.length).toBe(2)
  await end('a', errorOf(422, {}))
  queue.add('a')
  expect(begun.length).toBe(3)
  await end('a')
  clock.advance(60_000)
  expect(begun.length).toBe(3)
})

test('a work that adds its own key and fails waits for its retry', async () => {
  const { queue, begun, end } = queueUnderTest()
  queue.add('a')
  queue.add('a')
  await end('a', new Error('no'))
  expect(begun.length).toBe(1)
})

test('after a time a key comes by itself; of two times the earlier counts, and an add does not end it', async () => {
  const { queue, clock, begun, end } = queueUnderTest()
  queue.after('a', 10_000)
  queue.after('a', 2_000)
  queue.after('a', 5_000)
  queue.add('a')
  await end('a')
  clock.advance(1_999)
  expect(begun.length).toBe(1)
  clock.advance(1)
  expect(begun.length).toBe(2)
  await end('a')
  clock.advance(60_000)
  expect(begun.length).toBe(2)
})

test('stop is final: it waits for what is worked on, and nothing begins any more', async () => {
  const { queue, clock, begun, end } = queueUnderTest({ parallel: 1 })
  queue.add('failed')
  await end('failed', new Error('no'))
  for (const key of ['a', 'b', 'a']) queue.add(key)
  queue.after('c', 1_000)
  let isStopped = false
  const stopped = queue.stop().then(() => (isStopped = true))
  queue.add('d')
  queue.after('e', 1)
  await settle()
  expect(isStopped).toBe(false)
  await end('a', new Error('late'))
  await stopped
  clock.advance(600_000)
  expect(begun).toEqual(['failed', 'a'])
  expect(clock.waiting()).toBe(0)
})

test('stop resolves at once where nothing is worked on', async () => {
  const { queue } = queueUnderTest()
  await queue.stop()
  await queue.stop()
})
