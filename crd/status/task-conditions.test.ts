import { expect, test } from 'vitest'
import { newIssue, type IssueContext } from '../../machines/issue/context.ts'
import { newTask, withChanges, type TaskContext, type TaskPatch } from '../../machines/task/context.ts'
import { taskMachine } from '../../machines/task/machine.ts'
import type { Condition } from './condition.ts'
import { parkedStages, taskConditions, type ConditionFacts } from './task-conditions.ts'

const at = Date.parse('2026-01-02T03:00:00Z')
const minute = 60_000
const timeIn = (minutes: number): string => new Date(at + minutes * minute).toISOString()
const entered = (stage: string, minutes: number) => ({ stage, at: at + minutes * minute, reason: null })
const minted: TaskPatch = { stage: { name: 'minted', enteredAt: at, history: [entered('minted', 0)] } }

function shown(change: TaskPatch, facts: ConditionFacts = { issues: [] }): Record<string, Condition> {
  const task = withChanges(newTask('default/a'), minted, change)
  return Object.fromEntries(taskConditions(task, facts, 7).map((one) => [one.type, one]))
}
const said = ({ status, reason, lastTransitionTime }: Condition): readonly string[] => [
  status,
  reason,
  lastTransitionTime,
]
const issueWith = (change: Partial<IssueContext>) => ({ context: { ...newIssue('default/lib-1'), ...change } })
const owned = (change: Partial<TaskContext['forge']['issues'][number]>): TaskPatch => ({
  forge: {
    everOwnedIssue: true,
    issues: [{ repository: 'lib', number: 1, state: 'open', grant: null, ...change }] as never,
  },
})

test('TASK-RESOURCE-16: a Task has the five types of the contract, each once, dated, at its generation (RESOURCES-29)', () => {
  const task = withChanges(newTask('default/a'), minted)
  const conditions = taskConditions(task, { issues: [] }, 7)
  expect(conditions.map(({ type }) => type)).toEqual(['Admitted', 'Running', 'Approved', 'Stalled', 'Complete'])
  for (const one of conditions)
    expect(one).toMatchObject({ lastTransitionTime: timeIn(0), observedGeneration: 7, reason: /^[A-Za-z]+$/ as never })
})

test('TASK-RESOURCE-16: Running since its pod was asked for, and not since that one ended', () => {
  const alive = { pod: { alive: true, ordinal: 2, startedAt: at + 3 * minute } }
  expect(said(shown(alive)['Running']!)).toEqual(['True', 'PodLives', timeIn(3)])
  const over = { pod: { alive: false, ordinal: 2 } }
  expect(said(shown(over, { issues: [], podEndedAt: at + 9 * minute })['Running']!)).toEqual([
    'False',
    'NoPod',
    timeIn(9),
  ])
  const stage = { name: 'reviewing', enteredAt: at + 8 * minute }
  expect(said(shown({ ...over, stage })['Running']!)).toEqual(['False', 'NoPod', timeIn(8)])
})

test('TASK-RESOURCE-16: Approved when each of its issues is granted, since the newest grant, or the comment that it rested on', () => {
  const grants = [1, 4].map((minutes) => issueWith({ grant: { at: at + minutes * minute } as never }))
  const granted = owned({ grant: { planHash: 'p', self: false } })
  expect(said(shown(granted, { issues: grants })['Approved']!)).toEqual(['True', 'Granted', timeIn(4)])
  const approvals = [2, 3].map((minutes) => ({ commentId: `${minutes}`, at: at + minutes * minute }))
  const delivered = issueWith({ boundPlans: { 2: 'p', 3: 'other' }, facts: { approvals } as never })
  const ofPlan = { ...granted, journal: { planHash: 'p' } }
  expect(said(shown(ofPlan, { issues: [delivered] })['Approved']!)).toEqual(['True', 'Granted', timeIn(2)])
  expect(said(shown(owned({}))['Approved']!)).toEqual(['False', 'NotApproved', timeIn(0)])
  const back = issueWith({ withdrawals: [{ at: at + 6 * minute }] as never })
  expect(said(shown(owned({ withdrawn: true }), { issues: [back] })['Approved']!)).toEqual([
    'False',
    'Withdrawn',
    timeIn(6),
  ])
  expect(said(shown({})['Approved']!)).toEqual(['True', 'NoIssue', timeIn(0)])
})

test('TASK-RESOURCE-16, MERGE-15: the question about checks names them and what could not be read', () => {
  const detail = 'codecov: failure; whether the forge requires it is unknown: the rulesets of main'
  const stage = { name: 'awaiting-human', class: 'parked', reason: 'optional-check', detail } as const
  expect(shown({ stage })['Stalled']!.message).toBe(`optional-check: ${detail}`)
  expect(shown({ stage: { ...stage, detail: 'x'.repeat(9000) } })['Stalled']!.message.length).toBeLessThan(600)
  expect(shown({ stage: { ...stage, reason: 'stage-deadline' } })['Stalled']!.message).toBe('stage-deadline')
})

test('TASK-RESOURCE-16: Stalled while it is parked, since the first of the parks in a row', () => {
  const history = [
    entered('minted', 0),
    entered('implementing', 1),
    entered('awaiting-human', 2),
    entered('operator-error', 5),
  ]
  const parked = {
    stage: { name: 'operator-error', class: 'parked', reason: 'pod-lost', enteredAt: at + 5 * minute, history },
  } as const
  expect(said(shown(parked)['Stalled']!)).toEqual(['True', 'OperatorError', timeIn(2)])
  expect(shown(parked)['Stalled']!.message).toBe('pod-lost')
  const released = [...history, entered('implementing', 7), entered('reviewing', 9)]
  const active = {
    stage: { name: 'reviewing', class: 'active', enteredAt: at + 9 * minute, history: released },
  } as const
  expect(said(shown(active)['Stalled']!)).toEqual(['False', 'NotParked', timeIn(7)])
})

test('TASK-RESOURCE-16: Complete once it is final, in the words of its end', () => {
  const history = [entered('minted', 0), entered('delivered', 8)]
  const final = { stage: { name: 'delivered', class: 'terminal', enteredAt: at + 8 * minute, history } } as const
  expect(said(shown(final)['Complete']!)).toEqual(['True', 'Delivered', timeIn(8)])
  expect(said(shown({})['Complete']!)).toEqual(['False', 'InProgress', timeIn(0)])
})

test('the parks are those of the machine', () => {
  const { parked } = taskMachine.root.states['stage']!.states['live']!.states
  expect(Object.keys(parked!.states).toSorted()).toEqual(parkedStages.toSorted())
})
