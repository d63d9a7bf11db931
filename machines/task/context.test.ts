import { expect, test } from 'vitest'
import { newTask, withChanges } from './context.ts'

const task = newTask('default/t')

test('a change of one field of a part leaves its other fields and the other parts as they were', () => {
  const changed = withChanges(task, { goal: 'else', pod: { ordinal: 2 } })
  expect(changed).toEqual({ ...task, goal: 'else', pod: { ...task.pod, ordinal: 2 } })
  expect(changed.stage).toBe(task.stage)
  expect(task.pod.ordinal).toBe(0)
})

test('of several changes of one field the last one holds, and none takes back what another says of the part', () => {
  const stage = { reason: 'budget', detail: null }
  expect(withChanges({ stage }, undefined, { stage: { detail: 'day' } }, { stage: { wants: null } })).toEqual({
    stage: { reason: 'budget', detail: 'day', wants: null },
  })
})
