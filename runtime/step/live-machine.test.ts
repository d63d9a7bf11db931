import fc from 'fast-check'
import { assign, createActor, enqueueActions, initialTransition, raise, setup, transition } from 'xstate'
import type { AnyMachineSnapshot } from 'xstate'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject, MachineEvent } from '../../machines/definition.ts'
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
  return made.assign({ log: ({ context }) => [...context.log, name].slice(-60), last: name === 'x' ? undefined : name })
}

/**
 * Everything in which an order of states could show: regions, `always` in two of them, timers, raised events, states
 * entered again, from inside and from another region. A machine with history goes without plans (`step-plans.ts`).
 */
function machineOf(hasHistory: boolean) {
  const past: Readonly<Record<string, { readonly type: 'history' }>> = hasHistory
    ? { past: { type: 'history' as const } }
    : {}
  const deepPast: Readonly<Record<string, { readonly type: 'history'; readonly history: 'deep' }>> = hasHistory
    ? { deepPast: { type: 'history' as const, history: 'deep' as const } }
    : {}
  return made.createMachine({
    id: 'm',
    context: { log: [] },
    type: 'parallel',
    on: {
      ...(hasHistory ? { back: { target: '.one.past' }, deep: { target: '.two.deepPast' } } : {}),
      both: { actions: [noting('both'), { type: 'told', params: { by: 'root' } }] },
      across: { target: ['#l2', '#c'], actions: noting('across') },
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
            id: 'c',
            entry: [raise({ type: 'inner', at: 0 }), raise({ type: 'later', at: 0 }, { delay: 50, id: 'l' })],
            on: { go: 'a', next: { actions: noting('c next') } },
          },
          ...past,
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
              left: { initial: 'l1', states: { l1: { on: { go: 'l2' } }, l2: { id: 'l2', on: { inner: 'l1' } } } },
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
          ...deepPast,
        },
      },
      three: {
        initial: 'u',
        entry: noting('three'),
        exit: noting('left three'),
        on: {
          again: { target: 'three', reenter: true },
          inside: { target: '.v', actions: { type: 'told', params: { by: 'inside' } } },
        },
        states: {
          u: {
            entry: noting('u'),
            exit: [
              noting('left u'),
              { type: 'told', params: ({ context }: { context: Context }) => ({ at: context.last }) },
            ],
            always: { guard: ({ event }) => event.type === 'wake', target: 'v' },
            on: {
              self: { target: 'u', actions: noting('self') },
              renew: { target: 'u', reenter: true },
              next: { target: 'v', guard: ({ context }) => context.log.length % 2 === 0 },
            },
          },
          v: {
            entry: [noting('v'), raise({ type: 'next', at: 0 }, { delay: 9, id: 'v' })],
            initial: 'v1',
            states: {
              v1: { exit: noting('left v1'), on: { next: { target: 'v2' } } },
              v2: { entry: noting('v2') },
            },
            on: {
              self: { target: '.v1' },
              next: {
                target: 'u',
                actions: enqueueActions(({ context, enqueue, check }) => {
                  enqueue.assign({ last: 'queued' })
                  if (check('isLong')) enqueue({ type: 'told', params: { long: context.log.length } })
                  else enqueue.raise({ type: 'both', at: 0 })
                  enqueue.cancel('v')
                }),
              },
            },
          },
        },
      },
    },
  })
}

const common = ['go', 'x', 'both', 'out', 'swap', 'inner', 'unheard', 'xstate.after.1000.m.one.b']
const types = [...common, 'wake', 'back', 'deep', 'across', 'again', 'inside', 'self', 'renew', 'next']
const histories = fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 25 })

function eventOf(type: string): MachineEvent {
  return { type, at: 5 }
}

describe.each([
  ['with history', true],
  ['without', false],
] as const)('a machine %s whose snapshot stays in memory', (_, hasHistory) => {
  const machine = machineOf(hasHistory)
  const live = liveMachine(machine)

  function born(): AnyMachineSnapshot {
    return live.initial({ id: 'x' }).snapshot
  }

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
    const notes = [
      'one always',
      'two always',
      'p heard',
      'left a',
      'across',
      'left three',
      'left u',
      'left v1',
      'after',
    ]
    expect([...seen]).toEqual(expect.arrayContaining(hasHistory ? [...notes, 'history'] : notes))
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
})

describe('a step in memory', () => {
  it('that was taken before from the same states is not XState’s to take again, unless more follows from it', () => {
    const machine = machineOf(false)
    const live = liveMachine(machine)
    const asked = vi.spyOn(machine, 'transition')
    const steps = (...history: string[]): number => {
      let { snapshot } = live.initial({ id: 'x' })
      asked.mockClear()
      for (const type of history) ({ snapshot } = live.transition(snapshot, eventOf(type)))
      return asked.mock.calls.length
    }
    const plain = ['both', 'renew', 'self', 'inside', 'again', 'unheard']
    expect(steps(...plain)).toBe(5)
    expect(steps(...plain)).toBe(0)
    // In two regions at once, and with an event raised within the step.
    expect([steps('go'), steps('go'), steps('across'), steps('across')]).toEqual([1, 1, 1, 1])
  })

  it('that was taken before goes otherwise where a guard says so: in two regions, or on with a raised event', () => {
    const machine = machineOf(false)
    const live = liveMachine(machine)
    const both = [[], ['both'], ['both', 'both']]
    const histories = both.flatMap((more) => [
      ['across', ...more, 'next'],
      ['inside', 'next', ...more, 'next'],
    ])
    for (const history of [...histories, ...histories]) {
      let { snapshot } = live.initial({ id: 'x' })
      for (const type of history) {
        const [next, actions] = transition(machine, snapshot as never, eventOf(type))
        const taken = live.transition(snapshot, eventOf(type))
        expect([taken.snapshot.value, taken.snapshot.context]).toEqual([next.value, next.context])
        expect(taken.actions.map((action) => action.type)).toEqual(actions.map((action) => action.type))
        snapshot = taken.snapshot
      }
    }
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
