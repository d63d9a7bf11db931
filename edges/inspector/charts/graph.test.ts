import { and, createMachine, not, or } from 'xstate'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allMachines, machines } from '../../../machines/registry.ts'
import { refuses } from '../../../machines/task/answers.ts'
import { does, sequence, type Decide } from '../../../machines/task/chart.ts'
import { because } from '../../../machines/task/stage-entry.ts'
import type { Chart } from './chart.ts'
import { eventName } from './event-name.ts'
import { graphOf, type GraphState } from './graph.ts'
import { chartOf } from './layout.ts'
import { actionNames, guardName } from './names.ts'
import { svgOf } from './svg.ts'

const machine = createMachine({
  id: 'm',
  initial: 'a',
  states: {
    a: {
      initial: 'x',
      on: { leave: 'b', restart: '.y', noted: {} },
      states: { x: { on: { go: 'y', far: '#m.b' } }, y: { after: { 5000: '#m.b' }, on: { again: '#m.a' } } },
    },
    b: { always: { guard: () => true, target: 'c' } },
    c: { always: { guard: () => false, target: 'b' }, on: { end: 'd' } },
    d: { type: 'final' },
  },
})

function allOf(states: readonly GraphState[]): readonly GraphState[] {
  return states.flatMap((state) => [state, ...allOf(state.children)])
}

function find(states: readonly GraphState[], id: string): GraphState {
  return allOf(states).find((state) => state.id === id)!
}

test('rows between the same two neighbours are one line, each row with its own source and target', () => {
  const line = graphOf(machine).lines.find(({ source, target }) => source === 'a' && target === 'b')
  expect(line?.parent).toBe('')
  expect(line?.moves).toEqual([
    { source: 'a', target: 'b', events: ['leave'] },
    { source: 'a.x', target: 'b', events: ['far'] },
    { source: 'a.y', target: 'b', events: ['after 5 s'] },
  ])
})

test('a row that leads into its own state, or out to one around it, is said in the box it leads to', () => {
  const { states, lines } = graphOf(machine)
  expect(find(states, 'a.y').fromAround).toEqual(['restart'])
  expect(find(states, 'a').fromAround).toEqual(['again'])
  expect(
    lines.some(({ moves }) => moves.some(({ events }) => events.includes('restart') || events.includes('again'))),
  ).toBe(false)
})

test('eventless rows both ways are one line with two heads', () => {
  const lines = graphOf(machine).lines.filter(
    ({ source, target }) => `${source}${target}` === 'bc' || `${source}${target}` === 'cb',
  )
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ isBothWays: true, moves: [{ source: 'b' }, { source: 'c' }] })
})

test('the table of a state holds every row of it, those that lead nowhere too', () => {
  const { states } = graphOf(machine)
  expect(find(states, 'a').rows).toEqual([
    { event: 'leave', target: 'b' },
    { event: 'restart', target: 'a.y' },
    { event: 'noted' },
  ])
  expect(find(states, 'b').rows).toEqual([{ event: 'always', guard: 'true', target: 'c' }])
  expect(find(states, 'd').kind).toBe('final')
  expect(find(states, 'a.x').initial).toBe(true)
})

test.each([
  ['xstate.after.60000.m.a', 'after 60 s'],
  ['xstate.after.mergeDelay.task.stage.live', 'after mergeDelay'],
  ['', 'always'],
  ['mr.merged', 'mr.merged'],
])('the event %j is called %j', (type, name) => {
  expect(eventName(type)).toBe(name)
})

interface Asked {
  readonly context: { readonly budget: string; readonly pod: { readonly ordinal: number } }
  readonly event: { readonly pod: number; readonly cause: string }
}
const when =
  (holds: (context: Asked['context'], event: Asked['event']) => boolean) =>
  ({ context, event }: Asked): boolean =>
    holds(context, event)
const isOfPod = (context: Asked['context'], event: Asked['event']): boolean => event.pod === context.pod.ordinal
const over =
  (limit: string) =>
  ({ context }: Asked) =>
    context.budget === limit
const endsBy = (...causes: readonly string[]) =>
  when((context, event) => isOfPod(context, event) && causes.includes(event.cause))

test.each([
  ['by its name', 'ofProbe', 'ofProbe'],
  ['by the name that it denies', not('ofProbe'), 'not ofProbe'],
  ['by the name of the function that it wraps', when(isOfPod), 'isOfPod'],
  ['by what it compares, with the value that it was made with', over('held'), "budget === 'held'"],
  ['by all that it asks', endsBy('unbound', 'lost'), "isOfPod && ['unbound', 'lost'].includes(event.cause)"],
  [
    'by all that it asks together',
    and(['ready', (_args, limit) => limit === 1 || limit === 2]),
    'ready and (limit === 1 || limit === 2)',
  ],
  ['by each name that it may have', or(['ready', { type: 'ofProbe' }]), 'ready or ofProbe'],
  ['with the parts of its parts', not(or([and(['ready', 'on']), 'held'])), 'not ((ready and on) or held)'],
])('a guard is called %s', (_how, guard, name) => {
  expect(guardName(guard)).toBe(name)
})

const accept: Decide<never> = () => ({})

test.each([
  ['by its name', 'accept', ['accept']],
  ['by its name beside its parameters', { type: 'accept', params: { by: 1 } }, ['accept']],
  ['by the name of the decision that it became of', does(accept), ['accept']],
  ['by the call that made it', does(because('laps')), ["because('laps')"]],
  [
    'by the call that made it, as that is written',
    does(refuses('conflict', 'it ended')),
    ["refuses('conflict', 'it ended')"],
  ],
  ['by each of its decisions', does(sequence(accept, because('laps'))), ['accept', "because('laps')"]],
  ['by what it writes', does(() => ({ context: { pod: { withheld: true } } })), ['pod: { withheld: true }']],
])('an action is called %s', (_how, action, names) => {
  expect(actionNames(action)).toEqual(names)
})

test.each(allMachines)('each row of $kind names what it does', ({ kind }) => {
  const actions = writtenChart(kind).states.flatMap(({ rows }) => rows.flatMap((row) => row.actions ?? []))
  const wordless =
    /^\W*$|^(?:unnamed|anonymous|undefined|enqueueActions|perform|does|sequence|collect)\b|=>|^\(|\bcontext\b|__/
  expect(actions.filter((action) => wordless.test(action))).toEqual([])
})

test.each(allMachines)('each guarded row of $kind says what its guard asks', ({ kind }) => {
  const guards = writtenChart(kind).states.flatMap(({ rows }) => rows.flatMap(({ guard }) => guard ?? []))
  const wordless = /^\W*$|^[\d.]+$|^(?:if|guard|anonymous|unnamed|undefined|true|false)$|=>|\bcontext\b|__/
  expect(guards.filter((guard) => wordless.test(guard))).toEqual([])
})

/** As it is checked in, which `npm run check` compares with what the generator makes: to lay all of them out took 15 s. */
function writtenChart(kind: string): Chart {
  return JSON.parse(readFileSync(new URL(`../generated/charts/${kind}.json`, import.meta.url), 'utf8')) as Chart
}

test('what is checked in is what the layout makes', async () => {
  const definition = machines.find(({ kind }) => kind === 'turn')!
  expect(JSON.parse(JSON.stringify(await chartOf(definition)))).toEqual(writtenChart('turn'))
})

describe.each(machines)('the chart of $kind', (definition) => {
  const chart = writtenChart(definition.kind)

  test('holds each state of the machine with its rows', () => {
    const rowsById = (states: readonly Pick<GraphState, 'id' | 'rows'>[]): unknown =>
      JSON.parse(JSON.stringify(Object.fromEntries(states.map(({ id, rows }) => [id, rows.map(isGuarded)]))))
    // The runner rewrites imports, so what has no name reads otherwise here.
    const isGuarded = ({ guard, actions = [], ...row }: GraphState['rows'][number]) => ({
      ...row,
      isGuarded: guard !== undefined,
      actions: actions.length,
    })
    expect([chart.kind, chart.version]).toEqual([definition.kind, definition.version])
    expect(rowsById(chart.states)).toEqual(rowsById(allOf(graphOf(definition.machine).states)))
  })

  test('holds every state inside its frame and nothing on top of a neighbour', () => {
    const { width, height, states } = chart
    const byId = new Map(states.map((state) => [state.id, state]))
    for (const state of states) {
      const parent = byId.get(state.id.split('.').slice(0, -1).join('.')) ?? { x: 0, y: 0, width, height }
      expect(state.x).toBeGreaterThanOrEqual(parent.x)
      expect(state.y).toBeGreaterThanOrEqual(parent.y)
      expect(state.x + state.width).toBeLessThanOrEqual(parent.x + parent.width)
      expect(state.y + state.height).toBeLessThanOrEqual(parent.y + parent.height)
    }
    const parentOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('.')))
    for (const [index, one] of states.entries()) {
      for (const other of states.slice(index + 1).filter(({ id }) => parentOf(id) === parentOf(one.id))) {
        const apart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y
        expect(apart, `${one.id} and ${other.id}`).toBe(true)
      }
    }
  })

  test('names every state and loses no row', () => {
    const svg = svgOf(chart)
    for (const { id } of chart.states) expect(svg).toContain(`id="${id}"`)
    const drawn = chart.lines.flatMap(({ moves }) =>
      moves.flatMap(({ source, target, events }) => events.map((event) => `${source} ${event} ${target}`)),
    )
    const isNested = (one: string, other: string): boolean =>
      `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`)
    for (const { id, rows } of chart.states) {
      for (const { event, target } of rows) {
        if (target !== undefined && !isNested(id, target)) expect(drawn).toContain(`${id} ${event} ${target}`)
      }
    }
  })
})
