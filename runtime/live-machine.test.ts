import fc from 'fast-check'
import { assign, createActor, initialTransition, raise, setup, transition } from 'xstate'
import type { AnyMachineSnapshot } from 'xstate'
import { describe, expect, it } from 'vitest'
import type { JsonObject, MachineEvent } from '../machines/definition.ts'
import { bodyOf, liveMachine, persistedOf } from './live-machine.ts'

interface Context {
  readonly log: readonly string[]
  readonly last?: string | undefined
}

const made = setup({
  types: { context: {} as Context, events: {} as MachineEvent },
  actions: { told: () => undefined },
  guards: { isLong: ({ context }: { context: Context }) => context.log.length % 3 === 2 },
})

function noting(name: string) {
  return made.assign({ log: ({ context }) => [...context.log, name].slice(-7), last: name === 'x' ? undefined : name })
}

/** Everything in which an order of states could show: regions, `always` in two of them, history, timers, raised events. */
const machine = made.createMachine({
  id: 'm',
  context: { log: [] },
  type: 'parallel',
  on: {
    back: '.one.past',
    deep: '.two.deepPast',
    both: { actions: [noting('both'), { type: 'told', params: { by: 'root' } }] },
  },
  states: {
    one: {
      initial: 'a',
      states: {
        a: { on: { go: 'b', x: { actions: noting('x') } }, exit: noting('left a') },
        b: {
          on: { go: 'c' },
          always: { guard: 'isLong', target: 'c', actions: noting('one always') },
          after: { 1000: { target: 'a', actions: noting('after') } },
        },
        c: {
          entry: [raise({ type: 'inner', at: 0 }), raise({ type: 'later', at: 0 }, { delay: 50, id: 'l' })],
          on: { go: 'a' },
        },
        past: { type: 'history' },
      },
    },
    two: {
      initial: 'p',
      states: {
        p: { on: { go: 'q', inner: { actions: noting('p heard') } } },
        q: {
          type: 'parallel',
          on: { out: 'p' },
          states: {
            left: { initial: 'l1', states: { l1: { on: { go: 'l2' } }, l2: { on: { inner: 'l1' } } } },
            right: {
              initial: 'r1',
              states: {
                r1: { on: { swap: 'r2' }, always: { guard: 'isLong', target: 'r2', actions: noting('two always') } },
                r2: {
                  on: {
                    swap: {
                      target: 'r1',
                      actions: {
                        type: 'told',
                        params: ({ context }: { context: Context }) => ({ n: context.log.length }),
                      },
                    },
                  },
                },
              },
            },
          },
        },
        deepPast: { type: 'history', history: 'deep' },
      },
    },
  },
})

const types = ['go', 'x', 'back', 'deep', 'both', 'out', 'swap', 'inner', 'unheard']
const histories = fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 25 })
const live = liveMachine(machine)

function born(): AnyMachineSnapshot {
  return live.initial({ id: 'x' }).snapshot
}

function eventOf(type: string): MachineEvent {
  return { type, at: 5 }
}

describe('a machine whose snapshot stays in memory', () => {
  it('goes as XState’s own transition goes: the same state, context and actions, handled or not', () => {
    fc.assert(
      fc.property(histories, (history) => {
        let snapshot = born()
        for (const type of history) {
          const event = eventOf(type)
          const [next, actions] = transition(machine, snapshot as never, event)
          const taken = live.transition(snapshot, event)
          expect(taken.snapshot.value).toEqual(next.value)
          expect(taken.snapshot.context).toEqual(JSON.parse(JSON.stringify(next.context)))
          expect(taken.actions.map(({ type: name, params }) => [name, params])).toEqual(
            actions.map((action) => [action.type, action.params]),
          )
          expect(taken.handled).toBe(machine.getTransitionData(snapshot as never, event).length > 0)
          snapshot = taken.snapshot
        }
      }),
    )
  })

  it('goes the same way, byte by byte, when it is written and read again before any step', () => {
    fc.assert(
      fc.property(histories, fc.infiniteStream(fc.boolean()), (history, reads) => {
        let [kept, read] = [born(), born()]
        for (const type of history) {
          if (reads.next().value) read = live.load(JSON.parse(bodyOf(read)) as JsonObject)
          const [one, two] = [live.transition(kept, eventOf(type)), live.transition(read, eventOf(type))]
          expect(bodyOf(two.snapshot)).toBe(bodyOf(one.snapshot))
          expect(JSON.stringify(two.actions.map(({ type: name, params }) => [name, params]))).toBe(
            JSON.stringify(one.actions.map(({ type: name, params }) => [name, params])),
          )
          kept = one.snapshot
          read = two.snapshot
        }
      }),
    )
  })

  it('reaches by those histories what an order could show in', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(histories, (history) => {
        let snapshot = born()
        for (const type of history) snapshot = live.transition(snapshot, eventOf(type)).snapshot
        for (const note of (snapshot.context as Context).log) seen.add(note)
        if (Object.keys(snapshot.historyValue as object).length > 0) seen.add('history')
      }),
      { numRuns: 300, seed: 1 },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['one always', 'two always', 'p heard', 'history', 'left a']))
  })

  it('begins as XState begins it', () => {
    const [first, actions] = initialTransition(machine)
    const taken = live.initial({ id: 'x' })
    expect(persistedOf(taken.snapshot)).toEqual(
      JSON.parse(JSON.stringify(machine.getPersistedSnapshot(first as never))),
    )
    expect(taken.actions).toHaveLength(actions.length)
  })

  it('reads what an actor of XState has written', () => {
    const actor = createActor(machine).start()
    for (const type of ['go', 'go', 'swap']) actor.send(eventOf(type))
    const persisted = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as JsonObject
    actor.stop()
    expect(persistedOf(live.load(persisted))).toEqual(persisted)
  })

  it('is left as it was by a step that threw, however far that came', () => {
    const throwing = setup({ types: { context: {} as { list: number[] }, events: {} as MachineEvent } }).createMachine({
      context: { list: [1] },
      on: {
        spoil: {
          actions: assign(({ context }) => {
            context.list.push(2)
            return {}
          }),
        },
        grow: { actions: assign({ list: ({ context }) => [...context.list, 3] }) },
      },
    })
    const one = liveMachine(throwing)
    const before = one.initial({ id: 'x' }).snapshot
    expect(() => one.transition(before, eventOf('spoil'))).toThrow(/not extensible/)
    expect(before.context).toEqual({ list: [1] })
    expect(one.transition(before, eventOf('grow')).snapshot.context).toEqual({ list: [1, 3] })
  })
})
