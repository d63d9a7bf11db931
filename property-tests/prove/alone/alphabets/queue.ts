import type { QueueContext } from '../../../../machines/queue/context.ts'
import type { TimelessEvent } from '../walk.ts'

export function configured(maxConcurrentAgents: number, capacity: number, alertCapacity: number): TimelessEvent {
  return { type: 'queue.configured', maxConcurrentAgents, capacity, alertCapacity }
}

export function enqueue(entry: string, more: object = {}): TimelessEvent {
  const task = `default/${entry}`
  return {
    type: 'queue.enqueue',
    entry,
    sort: 'spawn',
    task,
    class: 'normal',
    priority: 60,
    kind: 'implement',
    ...more,
  }
}

function seedFor(kind: string): object {
  const issues = [{ issue: 'default/lib-1' }]
  return { goal: 'x', origin: { kind, ref: '' }, issues, mergeRequests: [{ mergeRequest: 'default/lib-mr-2' }] }
}

export const queueBirths: readonly TimelessEvent[] = [
  configured(2, 1, 1),
  configured(1, 2, 1),
  configured(0, 1, 1),
  enqueue('a'),
  { type: 'queue.keyed', key: 'print' },
]

/** Of an alert: into an open incident, into one whose Task has ended, and after one that is over, as the edge found it. */
function firings(fingerprint: string, { incidents = [], sequence }: QueueContext): readonly TimelessEvent[] {
  const { task = 'default/none', issue } = incidents.find((one) => one.fingerprint === fingerprint) ?? {}
  const asked = { class: 'alert', sort: 'mint', seed: seedFor('alert'), priority: 0 }
  const found = [
    {},
    { ended: true },
    { over: { task } },
    { over: { task: 'default/older' } },
    { over: { task, issue } },
    ...(issue ? [{ over: { task, issue: { ...issue, number: 5 } } }] : []),
    ...(issue ? [{ over: { task, issue: { ...issue, repository: 'app' } } }] : []),
  ]
  return found.map((one) => enqueue(`mint/${fingerprint}-${sequence}`, { ...asked, alert: { fingerprint, ...one } }))
}

export function queueWords(context: object): readonly TimelessEvent[] {
  const { entries, finished, incidents = [] } = context as QueueContext
  const known = [...entries, ...finished].map(({ entry }) => entry)
  return [
    ...queueBirths,
    enqueue('b', { priority: 20 }),
    enqueue('c', { class: 'alert' }),
    enqueue('d', { sort: 'mint', seed: seedFor('webhook'), priority: -5 }),
    enqueue('f', { sort: 'mint', seed: seedFor('human') }),
    enqueue('e', { sort: 'mint' }),
    // The Task of an incident, minted, waits for its next pod.
    ...incidents.slice(0, 1).map(({ task }) => enqueue('w', { task })),
    ...['f1', 'f2'].flatMap((fingerprint) => firings(fingerprint, context as QueueContext)),
    ...[...incidents.slice(0, 2).map(({ task }) => task), 'default/nobody'].map((task) => ({
      type: 'queue.filed',
      task,
      repository: 'lib',
      number: 4,
    })),
    ...[...known.slice(0, 4), 'unknown'].flatMap((entry) => [
      { type: 'queue.withdraw', entry },
      { type: 'queue.release', entry },
    ]),
    ...['open', 'normalHeld', 'allHeld'].map((state) => ({ type: 'queue.budgeted', state })),
    { type: 'queue.keyed', key: 'other' },
    ...['print', 'other'].flatMap((key): readonly TimelessEvent[] => [
      { type: 'queue.withheld', key, cause: 'no_credit', message: 'words', since: 5, until: 9 },
      { type: 'queue.withheld', key, cause: 'no_credit', message: 'words', since: 5, until: 9, again: true },
      { type: 'queue.served', key },
      { type: 'queue.probe', key },
    ]),
    { type: 'queue.paused', by: 'ada', reason: 'a look' },
    { type: 'queue.paused', by: 'bob', reason: 'another look' },
    { type: 'queue.resumed', by: 'ada', reason: '' },
    { type: 'queue.opened' },
    { type: 'queue.closed', reason: 'TokenRefused' },
    { type: 'queue.closed', reason: 'Deleted' },
  ]
}
