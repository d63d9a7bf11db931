import { expect, test } from 'vitest'
import type { Effect } from '../../../runtime/runtime.ts'
import type { Moment } from '../world/trace.ts'
import { law10 } from './labels.ts'

const actor = 'issue:default/lib-1'

function writing(...labels: readonly string[]): Effect {
  return { type: 'writeLabels', params: { labels: [...labels] } }
}

function stepped(status: string, effects: readonly Effect[], outstanding: readonly string[]): Moment {
  const after = { value: { live: status }, status: 'active', context: { status, implementRan: false } }
  const event = { type: 'issue.observed', at: 1 }
  return {
    ...{ kind: 'stepped', actor, event, causedBy: 'people', before: undefined, after },
    ...{ effects, outstanding, timers: [], isQuiet: true },
  }
}

function performed({ params }: Effect): Moment {
  return {
    kind: 'performed',
    effect: { key: `${actor}/1/0`, actor, type: 'writeLabels', params },
    result: 'done',
    actors: new Map(),
  }
}

const [planning, approved] = [writing('planning'), writing('approved')]
const both: readonly Moment[] = [
  stepped('refined', [planning], ['writeLabels']),
  stepped('approved', [approved], ['writeLabels', 'writeLabels']),
  performed(planning),
]
const later = stepped('approved', [], [])

test('labels that the forge refuses for good are asked of nobody, though earlier ones were written since they were asked for', () => {
  expect(law10.breaches([...both, later])).toEqual([])
})

test('labels that were written and are not those of the Issue break LAW-10', () => {
  const breach = 'an issue that is refined has the labels "approved"'
  expect(law10.breaches([...both, performed(approved), later])).toEqual([])
  expect(law10.breaches([...both, performed(approved), stepped('refined', [], [])])).toEqual([breach])
})

test('an older writing that comes after a newer one breaks LAW-10', () => {
  const breach = 'an issue that is approved has the labels "planning"'
  expect(law10.breaches([...both.slice(0, 2), performed(approved), performed(planning), later])).toEqual([breach])
})
