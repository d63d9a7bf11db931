import { expect, test } from 'vitest'
import type { PlacedRow } from './evidence.ts'
import { nothingIsMintedWhilePaused } from './pauses.ts'

const queue = 'queue:default/demo'

function row(event: object, told: readonly string[] = [], address: string = queue): PlacedRow {
  const effects = told.map((type) => ({
    type: 'deliver',
    params: { to: 'task:default/implement-library-1', event: { type } },
  }))
  return { place: 1, seq: 7, address, event, effects } as unknown as PlacedRow
}

const configured = (maxConcurrentAgents: number, address?: string): PlacedRow =>
  row({ type: 'queue.configured', maxConcurrentAgents }, [], address)
const stopped = row({ type: 'queue.paused', by: 'ops', reason: 'a look' })
const resumed = row({ type: 'queue.resumed', by: 'ops', reason: 'seen' })
const deleted = row({ type: 'queue.closed', reason: 'Deleted' })
const enqueued = (...told: readonly string[]): PlacedRow => row({ type: 'queue.enqueue' }, told)

test.each(['model.withheld', 'model.served', 'task.close'])(
  'a paused queue may send a Task %s, which begins nothing',
  (word) => {
    expect(nothingIsMintedWhilePaused([configured(0), enqueued(word)])).toEqual([])
  },
)

test.each<[what: string, before: readonly PlacedRow[]]>([
  ['was never configured', []],
  ['has no slots', [configured(3), configured(0)]],
  ['an operator paused', [configured(3), stopped]],
  ['an operator paused, whatever is applied since', [configured(3), stopped, configured(0), configured(2)]],
  ['has no slots, whatever an operator resumes', [configured(0), stopped, resumed]],
  ['has no slots while another queue has some', [configured(0), configured(3, 'queue:default/other')]],
])('a queue that %s lets nothing begin (SCHEDULE-3)', (_what, before) => {
  for (const word of ['task.minted', 'slot.granted'])
    expect(nothingIsMintedWhilePaused([...before, enqueued('model.served', word)])).toEqual([
      `paused: ${queue} 7 let something begin`,
    ])
})

test.each<[what: string, before: readonly PlacedRow[]]>([
  ['has slots', [configured(0), configured(1)]],
  ['an operator resumed', [configured(1), stopped, resumed]],
  ['belongs to a new Project of a name that was paused', [configured(1), stopped, deleted, configured(1)]],
  ['has slots while another queue has none', [configured(1), configured(0, 'queue:default/other')]],
])('a queue that %s lets Tasks begin', (_what, before) => {
  expect(nothingIsMintedWhilePaused([...before, enqueued('task.minted'), enqueued('slot.granted')])).toEqual([])
})
