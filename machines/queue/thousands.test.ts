import { expect, test } from 'vitest'
import { transition } from 'xstate'
import { positions } from './admission.ts'
import { newQueue, type QueueContext, type WaitingEntry } from './context.ts'
import { queueMachine } from './machine.ts'

const count = 3000
const slots = 3
const at = 1_000_000

/** Later ones are more urgent, three at a time; the first `slots` of them have theirs. */
function anEntry(number: number): WaitingEntry {
  const admittedAt = number < slots ? at : null
  return {
    entry: `spawn/${number}`,
    sort: 'spawn',
    task: `default/task-${number}`,
    class: 'normal',
    priority: count - Math.floor(number / 3),
    kind: 'implement',
    sequence: number,
    enqueuedAt: at,
    admittedAt,
  }
}

interface Queue {
  readonly context: QueueContext
  /** What the steps granted, in order. */
  send(event: { readonly type: string; readonly [field: string]: unknown }): readonly string[]
}

function aFullQueue(
  entries: readonly WaitingEntry[] = Array.from({ length: count }, (_, number) => anEntry(number)),
): Queue {
  const context: QueueContext = {
    ...newQueue('default/demo'),
    at,
    maxConcurrentAgents: slots,
    capacity: count,
    alertCapacity: 1,
    closedReason: null,
    entries,
    sequence: count,
  }
  let snapshot = queueMachine.resolveState({
    value: { readiness: 'ready', pause: 'running', budget: 'open' },
    context,
  })
  return {
    get context() {
      return snapshot.context
    },
    send(event) {
      const [next, actions] = transition(queueMachine, snapshot, { at, ...event } as never)
      snapshot = next as typeof snapshot
      return actions.map(({ params }) => (params as unknown as { event: { entry: string } }).event.entry)
    },
  }
}

/** The most urgent first, and of the equally urgent the first that came. */
const inTurn = Array.from({ length: count - slots }, (_, index) => index + slots)
  .toSorted((one, other) => Math.floor(other / 3) - Math.floor(one / 3) || one - other)
  .map((number) => `spawn/${number}`)

test('of thousands that wait each freed slot goes to the next in turn, and the rest at once where there is room for all (QUEUED-EVENT-7)', () => {
  const queue = aFullQueue()
  const granted: string[] = []
  for (const leaving of ['spawn/0', 'spawn/1', 'spawn/2', ...inTurn.slice(0, 5)]) {
    const now = queue.send({ type: 'queue.release', entry: leaving })
    expect(now).toHaveLength(1)
    granted.push(...now)
  }
  granted.push(
    ...queue.send({ type: 'queue.configured', maxConcurrentAgents: count, capacity: count, alertCapacity: 1 }),
  )
  expect(granted).toEqual(inTurn)
})

test('one more behind thousands waits as the last of its urgency; a repeat and a withdrawal change that one alone (QUEUED-EVENT-7)', () => {
  const queue = aFullQueue()
  const last = { ...anEntry(count), entry: 'spawn/last', priority: 3 * count }
  const { sequence: _, enqueuedAt: __, admittedAt: ___, ...asked } = last
  expect(queue.send({ type: 'queue.enqueue', ...asked })).toEqual([])
  const all = positions(queue.context, at)
  expect(all.map(({ entry }) => entry)).toEqual([...inTurn, 'spawn/last'])
  expect(all.map(({ position }) => position)).toEqual(all.map((_one, index) => index + 1))
  queue.send({ type: 'queue.enqueue', ...asked })
  expect(queue.context.entries).toHaveLength(count + 1)
  queue.send({ type: 'queue.withdraw', entry: 'spawn/1500' })
  expect(positions(queue.context, at).map(({ entry }) => entry)).toEqual(
    [...inTurn, 'spawn/last'].filter((entry) => entry !== 'spawn/1500'),
  )
})

test('a step over thousands looks at each entry a few times, and no more (QUEUED-EVENT-7)', () => {
  let looks = 0
  const watched = Array.from({ length: count }, (_, number) => {
    const { admittedAt, ...entry } = anEntry(number)
    return {
      ...entry,
      get admittedAt() {
        looks += 1
        return admittedAt
      },
    }
  })
  aFullQueue(watched).send({ type: 'queue.release', entry: 'spawn/0' })
  expect(looks).toBeGreaterThan(count)
  expect(looks).toBeLessThanOrEqual(10 * count)
})
