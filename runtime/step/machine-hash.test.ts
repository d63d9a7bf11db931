import { describe, expect, it } from 'vitest'
import { machines } from '../../machines/registry.ts'
import { toyDefinition, toyMachine } from '../contract/toy-machine.ts'
import { machineHash } from './machine-hash.ts'
import { statePath } from './state-path.ts'
import { upgradeSnapshot } from './upgrade.ts'
import { answerOf, childOf, withdrawnTypes } from './own-effects.ts'

describe('the hash of a machine', () => {
  it('is the same for the same code and another for another version or guard', () => {
    const hash = machineHash(toyDefinition)
    expect(hash).toMatch(/^[0-9a-f]{16}$/)
    expect(machineHash({ ...toyDefinition })).toBe(hash)
    expect(machineHash({ ...toyDefinition, version: 2 })).not.toBe(hash)
    expect(
      machineHash({ ...toyDefinition, machine: toyMachine.provide({ guards: { isOpen: () => false } }) }),
    ).not.toBe(hash)
  })
})

describe('the hash of a machine of ours', () => {
  it('follows the generated one over its sources, and the version', () => {
    for (const definition of machines) {
      const hash = machineHash(definition)
      expect(definition.sourceHash).toMatch(/^[0-9a-f]{16}$/)
      expect(machineHash({ ...definition, sourceHash: '0' })).not.toBe(hash)
      expect(machineHash({ ...definition, version: definition.version + 1 })).not.toBe(hash)
    }
    expect(new Set(machines.map(machineHash)).size).toBe(machines.length)
  })
})

describe('a state path', () => {
  it.each([
    ['idle', 'idle'],
    [{ stage: { merging: 'asked' }, pod: 'none' }, 'stage.merging.asked pod.none'],
    [{ region: {} }, 'region'],
  ])('of %j is %s', (value, path) => {
    expect(statePath(value)).toBe(path)
  })
})

describe('upgrades', () => {
  const definition = {
    ...toyDefinition,
    version: 3,
    upgrades: { 1: (one: object) => ({ ...one, two: 2 }), 2: (two: object) => ({ ...two, three: 3 }) },
  }

  it('are applied one after another', () => {
    expect(upgradeSnapshot(definition, { one: 1 }, 1)).toEqual({ one: 1, two: 2, three: 3 })
    expect(upgradeSnapshot(definition, { now: 1 }, 3)).toEqual({ now: 1 })
  })

  it('refuse a snapshot of a newer version, and a gap', () => {
    expect(() => upgradeSnapshot(definition, {}, 4)).toThrow('newer than')
    expect(() => upgradeSnapshot({ ...definition, upgrades: {} }, {}, 2)).toThrow(
      'no upgrade of task from version 2 to 3',
    )
  })
})

describe('the effects of the runtime itself', () => {
  it('answer with the last answer, whose body may be spelled out or not', () => {
    const first = { type: 'answer', params: { status: 200, body: {} } }
    expect(answerOf([first, { type: 'answer', params: { status: 409, body: { code: 'taken' } } }])).toEqual({
      status: 409,
      body: { code: 'taken' },
    })
    expect(answerOf([{ type: 'answer', params: { code: 'x' } }])).toEqual({ status: 200, body: { code: 'x' } })
    expect(answerOf([])).toBeUndefined()
  })

  it('deliver an event at its cause’s time unless it has its own', () => {
    const effect = { type: 'deliver', params: { to: 'task:b', event: { type: 'x' } } }
    expect(childOf(effect, 7)).toEqual({ to: 'task:b', event: { type: 'x', at: 7 } })
    expect(childOf({ type: 'deliver', params: { to: 'task:b', event: { type: 'x', at: 3 } } }, 7)?.event.at).toBe(3)
    expect(childOf({ type: 'deliver', params: { to: 'nobody', event: { type: 'x' } } }, 7)).toBeUndefined()
  })

  it('withdraw the types that are named', () => {
    expect(withdrawnTypes({ type: 'withdrawEffects', params: { types: ['call', 3] } })).toEqual(['call'])
    expect(withdrawnTypes({ type: 'call', params: { types: ['call'] } })).toEqual([])
  })
})
