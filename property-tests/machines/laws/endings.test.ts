import { expect, test } from 'vitest'
import type { Snapshot, Stepped } from '../world/trace.ts'
import { law5 } from './endings.ts'

const task = 'task:default/refine-demo-1'

function snapshot(status: string): Snapshot {
  return { status, value: { stage: 'delivered' }, context: { pod: { ordinal: 1 } } }
}

function stepped(type: string, before: Snapshot, effects: readonly string[]): Stepped {
  return {
    ...{ kind: 'stepped', actor: task, event: { type, at: 1 }, causedBy: 'people', before, after: snapshot('done') },
    effects: effects.map((effect) => ({ type: effect, params: { task } })),
    ...{ outstanding: [], timers: [], isQuiet: true },
  } as Stepped
}

test('what reaches a Task after its end, and is answered, ends it no second time', () => {
  const end = stepped('pod.final', snapshot('active'), ['deleteWorkspace'])
  expect(law5.breaches([end, stepped('outcome', snapshot('done'), ['answer'])])).toEqual([])
})

test('a Task that ends and keeps its volume breaks LAW-5', () => {
  expect(law5.breaches([stepped('pod.final', snapshot('active'), [])])).toEqual([`${task} settled and kept its volume`])
})
