import { log, setup } from 'xstate'
import { describe, expect, it } from 'vitest'
import { event } from '../contract/harness.ts'
import { toyDefinition } from '../contract/toy-machine.ts'
import type { JsonObject, MachineDefinition, MachineEvent } from '../../machines/definition.ts'
import { bodyOf } from './live-machine.ts'
import { readSnapshot, step } from './step.ts'
import type { Step, StepOutcome } from './step.ts'

const input = { id: 'a' }

function taken(outcome: StepOutcome): Step {
  if (outcome.fault) throw new Error(outcome.message)
  return outcome
}

function after(...events: readonly MachineEvent[]): Step {
  let current: Step | undefined
  for (const one of events) current = taken(step(toyDefinition, current?.snapshot, one, input))
  return taken(current ?? step(toyDefinition, undefined, event('opened'), input))
}

/** The snapshot as a load finds it. */
function read(body: string): Step['snapshot'] {
  return taken(readSnapshot(toyDefinition, JSON.parse(body) as JsonObject)).snapshot
}

describe('a step', () => {
  it('brings an actor into being with its id and applies the event that did', () => {
    const born = after(event('noted', { note: 'first' }))
    expect(born).toMatchObject({ path: 'idle', status: 'active', handled: true, timersSet: [], timersCancelled: [] })
    expect(born.snapshot.context).toEqual({ id: 'a', count: 1, log: ['first'], chain: expect.any(Number), sent: {} })
    expect(born.effects).toEqual([{ type: 'answer', params: { status: 200, body: { count: 1 } } }])
  })

  it('is the same for the same snapshot and event, byte by byte', () => {
    const base = after(event('noted', { note: 'x' }))
    const body = bodyOf(base.snapshot)
    const [one, two] = [1, 2].map(() => taken(step(toyDefinition, read(body), event('armed'), input)))
    expect(one && bodyOf(one.snapshot)).toBe(two && bodyOf(two.snapshot))
    expect(one).toEqual(two)
  })

  it('turns `after` into a timer, and leaving the state into its cancellation', () => {
    const armed = after(event('opened'), event('armed'))
    expect(armed.timersSet).toEqual([
      { id: 'xstate.after.5000.toy.waiting', delayMs: 5000, event: { type: 'xstate.after.5000.toy.waiting' } },
    ])
    const disarmed = taken(step(toyDefinition, armed.snapshot, event('disarmed'), input))
    expect(disarmed).toMatchObject({ timersSet: [], timersCancelled: ['xstate.after.5000.toy.waiting'] })
  })

  it('sets a timer anew when its state is left and entered again', () => {
    const again = after(event('opened'), event('armed'), event('armed'))
    expect(again.timersSet).toHaveLength(1)
    expect(again.timersCancelled).toEqual([])
  })

  it('gives a delayed raise with its data', () => {
    expect(after(event('opened'), event('later', { at: 5 })).timersSet).toEqual([
      { id: 'later', delayMs: 1000, event: { type: 'later.came', at: 5, note: 'later' } },
    ])
  })

  it('says when no state took the event, and changes nothing', () => {
    const base = after(event('opened'))
    const same = taken(step(toyDefinition, base.snapshot, event('disarmed'), input))
    expect(same.handled).toBe(false)
    expect(same.snapshot).toBe(base.snapshot)
  })

  it('reports a guard or an action that throws as a fault of the event', () => {
    const base = after(event('opened'))
    for (const type of ['poisonGuard', 'poisonAction']) {
      expect(step(toyDefinition, base.snapshot, event(type), input)).toMatchObject({
        fault: 'event',
        message: expect.stringMatching(/throws/),
      })
    }
  })

  it('reports a state that is no more as a fault of the snapshot', () => {
    const base = after(event('opened'))
    const persisted = { ...(JSON.parse(bodyOf(base.snapshot)) as JsonObject), value: 'gone' }
    expect(readSnapshot(toyDefinition, persisted)).toMatchObject({
      fault: 'snapshot',
      message: expect.stringMatching(/gone/),
    })
  })

  it('of a finished actor answers that it is final and asks for nothing, whatever its root would do', () => {
    const done = after(event('opened'), event('closed'))
    expect(done.status).toBe('done')
    const late = taken(step(toyDefinition, done.snapshot, event('noted'), input))
    expect(late).toMatchObject({
      status: 'done',
      handled: false,
      effects: [{ type: 'answer', params: { status: 409, body: { code: 'actor-final' } } }],
    })
    expect(late.snapshot).toBe(done.snapshot)
  })

  it('refuses machines whose actions are not data', () => {
    const machine = setup({ types: { events: {} as MachineEvent } }).createMachine({
      initial: 'a',
      states: { a: { on: { go: { actions: log('x') } } } },
    })
    const definition: MachineDefinition = { ...toyDefinition, machine }
    const born = taken(step(definition, undefined, event('opened'), input))
    expect(step(definition, born.snapshot, event('go'), input)).toMatchObject({
      fault: 'event',
      message: expect.stringMatching(/not data/),
    })
  })
})
