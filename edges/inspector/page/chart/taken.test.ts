import { readdirSync, readFileSync } from 'node:fs'
import { createActor, createMachine } from 'xstate'
import { expect, test } from 'vitest'
import { allMachines } from '../../../../machines/registry.ts'
import type { BundleFile } from '../../../../runtime/journal/bundle/schema.ts'
import { statePath } from '../../../../runtime/step/state-path.ts'
import type { Chart } from '../../charts/chart.ts'
import { eventName } from '../../charts/event-name.ts'
import { chartOf } from '../../charts/layout.ts'
import { activeOn, takenAlong, takenRows } from './taken.ts'

const machine = createMachine({
  id: 'm',
  type: 'parallel',
  states: {
    left: {
      initial: 'a',
      states: {
        a: { on: { go: [{ guard: 'first', target: 'b' }, { target: 'c' }], hop: 'd' } },
        b: { on: { go: 'a' }, after: { later: 'c' } },
        c: { initial: 'one', on: { again: '.one' }, states: { one: { on: { go: 'two' } }, two: {} } },
        d: { initial: 'check', states: { check: { always: { target: '#m.left.b' } } } },
      },
    },
    right: {
      initial: 'off',
      states: { off: { always: { guard: 'wanted', target: 'on' } }, on: { on: { go: 'off' } } },
    },
  },
})
const chart = await chartOf({ kind: 'task', version: 1, machine, createdBy: [], upgrades: {} })

function taken(before: string, after: string, event: string): string[] {
  return takenRows(chart, before, after, event).map(({ source, target }) => `${source} -> ${target}`)
}

function drawn(kind: string): Chart {
  return JSON.parse(readFileSync(new URL(`../../generated/charts/${kind}.json`, import.meta.url), 'utf8')) as Chart
}

test('changes that a review requests light no refusal of the forge: a line is lit by the move that was taken along it', () => {
  const task = drawn('task')
  const reviewed = 'stage.live.active.reviewing.clocked pod.working.busy'
  const again = 'stage.live.active.implementing.fresh pod.stopping'
  const rows = takenRows(task, reviewed, again, 'outcome')
  expect(rows).toEqual([
    { source: 'stage.live', target: 'stage.live.active.implementing', event: 'outcome' },
    { source: 'pod.working', target: 'pod.stopping', event: 'always' },
  ])
  const opening = 'stage.live.active.reviewing.opening'
  const shared = task.lines.find(
    ({ label, moves }) =>
      label?.lines.includes('mr.openFailed') && moves.some(({ source }) => source === `${opening}.settling`),
  )!
  expect([...takenAlong(shared, rows)]).toEqual([])
  const back = takenRows(
    task,
    `${opening}.settling pod.stopping`,
    'stage.live.active.implementing.fresh pod.none',
    'pod.final',
  )
  expect([...takenAlong(shared, back)]).toEqual(['always'])
})

const journals = new URL('../../../../runtime/fixtures/', import.meta.url)

/** What XState itself says of each step: the ground truth. Rows into the own state are no line. */
function stepsOf(kind: string): { before: string; after: string; event: string; moves: string[] }[] {
  const { machine } = allMachines.find((definition) => definition.kind === kind)!
  const names = readdirSync(journals).filter((name) => name.startsWith(`${kind}-v`))
  return names.flatMap((name) => {
    const [journal] = (JSON.parse(readFileSync(new URL(name, journals), 'utf8')) as BundleFile).actors
    const moves: string[] = []
    const actor = createActor(machine, {
      input: { id: journal!.address.slice(kind.length + 1) },
      clock: { setTimeout: () => 0, clearTimeout: () => undefined },
      inspect: (seen) => {
        if (seen.type !== '@xstate.microstep') return
        for (const { source, target = [], eventType } of seen._transitions)
          for (const { path } of target)
            if (path !== source.path)
              moves.push(`${source.path.join('.')} -> ${path.join('.')}: ${eventName(eventType)}`)
      },
    }).start()
    return journal!.events.map(({ event }) => {
      const before = statePath(actor.getSnapshot().value)
      moves.length = 0
      actor.send(event)
      return {
        before,
        after: statePath(actor.getSnapshot().value),
        event: event.type,
        moves: [...new Set(moves)].toSorted(),
      }
    })
  })
}

test.each(allMachines)('what $kind’s chart lights is exactly what each step of its journals took', ({ kind }) => {
  const chart = drawn(kind)
  const steps = stepsOf(kind)
  expect(steps.length).toBeGreaterThan(3)
  const lit = steps.map(({ before, after, event }) =>
    takenRows(chart, before, after, event)
      .map((row) => `${row.source} -> ${row.target}: ${row.event}`)
      .toSorted(),
  )
  // One that came back to where it began may light nothing: the journal does not tell it from one that stayed.
  const isReturn = (index: number): boolean => steps[index]!.before === steps[index]!.after && lit[index]!.length === 0
  const wrong = steps.flatMap((step, index) =>
    isReturn(index) || String(step.moves) === String(lit[index]) ? [] : [[step, lit[index]]],
  )
  expect(wrong).toEqual([])
})

test('of several rows for one event the one that leads to where the actor stands was taken', () => {
  expect(taken('left.a right.off', 'left.b right.off', 'go')).toEqual(['left.a -> left.b'])
  expect(taken('left.a right.off', 'left.c.one right.off', 'go')).toEqual(['left.a -> left.c'])
})

test('a region that followed by an eventless row is shown too', () => {
  expect(taken('left.a right.off', 'left.b right.on', 'go')).toEqual(['left.a -> left.b', 'right.off -> right.on'])
})

test('a state that was passed through within the step is shown as passed', () => {
  expect(taken('left.a right.off', 'left.b right.off', 'hop')).toEqual(['left.a -> left.d', 'left.d.check -> left.b'])
})

test('a timer is found by its delay', () => {
  expect(taken('left.b right.off', 'left.c.one right.off', 'xstate.after.later.m.left.b')).toEqual(['left.b -> left.c'])
})

test('a row into the own state is found', () => {
  expect(taken('left.c.two right.off', 'left.c.one right.off', 'again')).toEqual(['left.c -> left.c.one'])
})

test('an event that moved nothing took no row', () => {
  expect(taken('left.a right.on', 'left.a right.on', 'noted')).toEqual([])
})

test('the states around a leaf are active with it', () => {
  expect([...activeOn('left.c.one right.off')]).toEqual(['left', 'left.c', 'left.c.one', 'right', 'right.off'])
  expect([...activeOn('')]).toEqual([])
})
