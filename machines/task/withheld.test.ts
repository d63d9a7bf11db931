import { describe, expect, test } from 'vitest'
import { ATask, working } from '../testing/a-task.ts'

const running = () => new ATask().mint().running()

const hour = 3_600_000

describe('a model that is withheld', () => {
  test('Task work/model.withheld: a turn that runs goes on, and no other begins: the pod stops and its slot is free (MODEL-KEY-2)', () => {
    const task = running().send('model.withheld')
    expect(task.pod).toEqual({ working: 'busy' })
    task.failed('usage_limit', { resetsAt: task.context.at + 5 * hour })
    expect([task.pod, task.told('pod')]).toEqual(['stopping', [{ type: 'pod.stop', reason: 'model-withheld' }]])
    expect(task.final('gone').pod).toBe('awaitingSlot')
    expect([task.stage, task.context.turn.failedInRow]).toEqual(['implementing', 0])
  })

  test('a Task that rests after its failed turn stops its pod', () => {
    const task = running().failed('key_refused')
    expect(task.pod).toEqual({ working: 'resting' })
    expect(task.send('model.withheld').pod).toBe('stopping')
  })

  test('a pod that starts is stopped before it asks for a turn', () => {
    expect(new ATask().mint().slot().send('model.withheld').pod).toBe('stopping')
  })

  test('an agent that waits for people keeps its pod, until there is something to say to it', () => {
    const task = running().send('agent.asked', { pod: 1, repository: 'lib', number: 1 }).ended().send('model.withheld')
    expect(task.pod).toEqual({ working: 'idle' })
    expect(task.comment().pod).toBe('stopping')
  })

  test('a slot that is granted later is used: the queue says so first (MODEL-KEY-4)', () => {
    const task = running().failed('no_credit').send('model.withheld').final('gone')
    expect(task.context.pod.withheld).toBe(false)
    task.send('model.withheld').send('model.served')
    expect(task.slot().pod).toBe('starting')
  })
})

describe('the budget of a stage', () => {
  test('its clock stands while the model is withheld, beyond the life of a pod too (CONTINUITY-5, MODEL-KEY-6)', () => {
    const task = working('incident', { origin: { kind: 'alert', ref: '' } })
    expect(task.timers['investigatingBudget']).toBe(4 * hour)
    task
      .pass(hour)
      .send('model.withheld')
      .failed('usage_limit', { resetsAt: task.context.at + 5 * hour })
    task.final('gone').send('model.withheld')
    expect(task.timers).toEqual({})
    task.pass(50 * hour).send('model.served')
    expect([task.stage, task.timers['investigatingBudget']]).toEqual(['investigating', 3 * hour])
  })

  test('each hold gives its time back (MODEL-KEY-6)', () => {
    const task = running()
    for (let n = 0; n < 3; n += 1)
      task
        .pass(hour)
        .send('model.withheld')
        .pass(9 * hour)
        .send('model.served')
    expect(task.timers['implementingBudget']).toBe(69 * hour)
  })

  test('a new visit has the whole budget (MODEL-KEY-6)', () => {
    const task = running().pass(hour).send('model.withheld').send('model.served').fire('implementingBudget')
    expect(task.stage).toBe('awaiting-human')
    task.final().comment()
    expect(task.running().timers['implementingBudget']).toBe(72 * hour)
  })
})
