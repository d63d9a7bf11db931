import { expect, test } from 'vitest'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import type { KubeObject } from '../api/api.ts'
import type { Happening } from '../api/events.ts'
import { createTaskEvents } from './status-events.ts'
import { at, aTask } from '../testing/mirroring.ts'

const task = { kind: 'Task', metadata: { name: 'a', namespace: 'default', uid: 'uid-1' } } as KubeObject
const time = (minutes: number): string => new Date(at + minutes * 60_000).toISOString()
const admitted = {
  ...{ type: 'Admitted', status: 'True', reason: 'Minted', message: 'the queue admitted it' },
  lastTransitionTime: time(0),
}
const whole = {
  conditions: [admitted],
  stageEnteredAt: time(5),
  stages: [
    { stage: 'implementing', at: time(0) },
    { stage: 'awaiting-human', at: time(1), reason: 'ci-red' },
    { stage: 'operator-error', at: time(2), reason: 'turn-failed' },
    { stage: 'awaiting-human', at: time(3), reason: 'ci-red' },
    { stage: 'failed', at: time(5), reason: 'agent-contract-mismatch' },
  ],
  mergeRequests: [
    { repository: 'lib', number: 7, state: 'merged', mergeCommit: 'abc' },
    { repository: 'app', number: 8, state: 'open' },
  ],
}

function underTest(now = at + 300_000) {
  const clock = simulatedClock(now)
  const recorded: Happening[] = []
  const recorder = { record: async (_object: KubeObject, happening: Happening) => void recorded.push(happening) }
  return { clock, recorded, events: createTaskEvents(recorder, clock) }
}

test('admission, each park, each merge and the failure of a Task, once', () => {
  const { recorded, events } = underTest()
  for (let time = 0; time < 3; time += 1) events.report(task, aTask('a', whole))
  expect(recorded).toEqual([
    { type: 'Normal', reason: 'Admitted', message: 'the queue admitted it', occurrence: 'admitted' },
    { type: 'Normal', reason: 'Parked', message: 'awaiting-human: ci-red', occurrence: `parked/${time(1)}` },
    { type: 'Warning', reason: 'Parked', message: 'operator-error: turn-failed', occurrence: `parked/${time(2)}` },
    { type: 'Normal', reason: 'Parked', message: 'awaiting-human: ci-red', occurrence: `parked/${time(3)}` },
    { type: 'Normal', reason: 'Merged', message: 'merge request 7 of lib as abc', occurrence: 'merged/lib/7' },
    { type: 'Warning', reason: 'Failed', message: 'agent-contract-mismatch', occurrence: 'failed' },
  ])
})

test('another process gives the same words and occurrences, so the recorder writes none twice', () => {
  const [first, second] = [underTest(), underTest(at + 600_000)]
  for (const { events } of [first, second]) events.report(task, aTask('a', whole))
  expect(second.recorded).toEqual(first.recorded)
})

test('what a server has forgotten by now does not come again', () => {
  const { recorded, events } = underTest(at + 62 * 60_000)
  events.report(task, aTask('a', whole))
  expect(recorded.map(({ occurrence }) => occurrence)).toEqual([`parked/${time(3)}`, 'merged/lib/7', 'failed'])
})

test('a Task that waits has nothing to report', () => {
  const { recorded, events } = underTest()
  events.report(task, aTask('a', { stage: 'queued' }))
  expect(recorded).toEqual([])
})
