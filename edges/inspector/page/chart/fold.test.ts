import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allMachines } from '../../../../machines/registry.ts'
import type { Chart } from '../../charts/chart.ts'
import { branchesOf, foldChart, lineId, openAtFirst, parentOf, type ShownChart } from './fold.ts'
import { activeOn } from './taken.ts'

const room = { width: 740, height: 750 }

function writtenChart(kind: string): Chart {
  return JSON.parse(readFileSync(new URL(`../../generated/charts/${kind}.json`, import.meta.url), 'utf8')) as Chart
}

/** A path for each leaf: it, and in the regions beside it where they begin. */
function pathsOf(chart: Chart): readonly string[] {
  const children = (id: string) => chart.states.filter((state) => parentOf(state.id) === id)
  const begun = (id: string): readonly string[] => {
    const inner = children(id)
    return inner.length === 0 ? [id] : inner.filter(isBegun).flatMap((state) => begun(state.id))
  }
  const isBegun = ({ initial, kind }: Chart['states'][number]): boolean => initial || kind === 'region'
  const beside = (leaf: string): readonly string[] =>
    chart.states
      .filter(({ id, kind }) => kind === 'region' && !`${leaf}.`.startsWith(`${id}.`) && isAround(parentOf(id), leaf))
      .flatMap(({ id }) => begun(id))
  return chart.states.filter(({ id }) => children(id).length === 0).map(({ id }) => [id, ...beside(id)].join(' '))
}

function isAround(outer: string, leaf: string): boolean {
  return outer === '' || `${leaf}.`.startsWith(`${outer}.`)
}

function leavesOf(active: ReadonlySet<string>): string[] {
  return [...active].filter((id) => ![...active].some((other) => other !== id && isAround(id, other)))
}

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>

function isApart(one: Box, other: Box): boolean {
  return (
    one.x + one.width <= other.x ||
    other.x + other.width <= one.x ||
    one.y + one.height <= other.y ||
    other.y + other.height <= one.y
  )
}

function isInside(one: Box, outer: Box): boolean {
  return (
    one.x >= outer.x &&
    one.y >= outer.y &&
    one.x + one.width <= outer.x + outer.width &&
    one.y + one.height <= outer.y + outer.height
  )
}

/** Each fault of a drawing as a sentence. */
function faultsOf({ width, height, states, lines }: ShownChart): readonly string[] {
  const byId = new Map<string, Box>(states.map((state) => [state.id, state]))
  const frameOf = (id: string): Box => byId.get(parentOf(id)) ?? { x: 0, y: 0, width, height }
  const outside = states
    .filter((state) => !isInside(state, frameOf(state.id)))
    .map(({ id }) => `${id} leaves its frame`)
  const over = states.flatMap((one, index) =>
    states
      .slice(index + 1)
      .filter((other) => parentOf(one.id) === parentOf(other.id) && !isApart(one, other))
      .map((other) => `${one.id} is on ${other.id}`),
  )
  const ends = lines.flatMap(({ source, target, points }) => [
    ...(isOn(points[0], byId.get(source)) ? [] : [`a line does not begin at ${source}`]),
    ...(isOn(points.at(-1), byId.get(target)) ? [] : [`a line does not end at ${target}`]),
  ])
  const labels = lines.flatMap(({ label, source, target }) =>
    label === undefined
      ? []
      : states
          .filter(({ id }) => parentOf(id) === parentOf(source))
          .filter((state) => !isApart(state, label))
          .map(({ id }) => `the words from ${source} to ${target} are on ${id}`),
  )
  return [...outside, ...over, ...ends, ...labels]
}

function isOn(point: readonly [number, number] | undefined, box: Box | undefined): boolean {
  if (point === undefined || box === undefined) return false
  const [x, y] = point
  const near = (one: number, other: number): boolean => Math.abs(one - other) <= 1
  const isBeside = near(x, box.x) || near(x, box.x + box.width)
  const isAbove = near(y, box.y) || near(y, box.y + box.height)
  return (isBeside && y >= box.y && y <= box.y + box.height) || (isAbove && x >= box.x && x <= box.x + box.width)
}

describe.each(allMachines)('the chart of $kind', ({ kind }) => {
  const chart = writtenChart(kind)
  const views = pathsOf(chart).map((path) => {
    const active = activeOn(path)
    const open = openAtFirst(chart, active, room)
    return { path, active, shown: foldChart(chart, { open, active }, room) }
  })

  test('draws each active state at first, or names it in its folded branch, wherever the actor is', () => {
    for (const { path, active, shown } of views) {
      const named = shown.states.flatMap(({ id, within }) => within?.active.map((leaf) => `${id}.${leaf}`) ?? [])
      const drawn = shown.states.map(({ id }) => id)
      expect([...drawn, ...named], path).toEqual(expect.arrayContaining(leavesOf(active)))
    }
  })

  test('draws at first the state that a region moved on to from where it begins', () => {
    const regions = chart.states.filter(({ kind }) => kind === 'region').map(({ id }) => id)
    for (const { path, shown } of views) {
      const [leaf = ''] = path.split(' ')
      const region = regions.findLast((id) => isAround(id, leaf)) ?? ''
      const isBegun = chart.states.every(
        ({ id, initial }) => initial || id === region || !isAround(region, id) || !isAround(id, leaf),
      )
      if (!isBegun) expect(shown.states.map(({ id }) => id)).toContain(leaf)
    }
  })

  test('lays nothing on anything, and each line begins and ends at its states', () => {
    for (const { path, shown } of views) expect(faultsOf(shown), path).toEqual([])
  })

  test('opens any branch without laying anything on anything', () => {
    const open = new Set<string>()
    for (const id of branchesOf(chart)) {
      open.add(id)
      const shown = foldChart(chart, { open, active: new Set() }, room)
      if (open.size < branchesOf(chart).size) expect(faultsOf(shown), id).toEqual([])
    }
  })

  test('has at first place in what the page has at 1440 x 900, with text of 11 px', () => {
    for (const { path, shown } of views) {
      expect(shown.width, path).toBeLessThanOrEqual(room.width)
      expect(shown.height, path).toBeLessThanOrEqual(room.height)
    }
  })
})

test('a folded branch says how many states it holds, and which of them are active', () => {
  const chart = writtenChart('task')
  const active = activeOn('stage.live.active.implementing.clocked pod.working.busy')
  const { states } = foldChart(chart, { open: new Set(['stage']), active }, room)
  const within = (id: string) => states.find((state) => state.id === id)?.within
  expect(within('stage.live')).toMatchObject({ active: ['active.implementing.clocked'] })
  expect(within('pod')).toMatchObject({ count: 10, active: ['working.busy'] })
  expect(states.some(({ id }) => id.startsWith('stage.live.'))).toBe(false)
})

test('lines of branches without an active state say their events where somebody opened the branch', () => {
  const chart = writtenChart('task')
  const active = activeOn('stage.live.active.implementing.clocked pod.none')
  const labelled = (open: readonly string[], selected?: string) =>
    foldChart(chart, { open: new Set([...openAtFirst(chart, active, room), ...open]), active, selected }, room)
      .lines.filter(({ label }) => label !== undefined)
      .map(({ source }) => source)
  const merging = 'stage.live.active.merging'
  const asked = `${merging}.asked`
  expect(labelled([])).not.toContain(merging)
  expect(labelled([merging, asked]).some((source) => source.startsWith(`${asked}.`))).toBe(true)
  expect(labelled([], merging)).toContain(merging)
})

test('a line that is selected says its events', () => {
  const chart = writtenChart('task')
  const active = activeOn('stage.live.active.implementing.clocked pod.none')
  const id = 'stage.live.active stage.live.parked'
  const labelOf = (selected?: string) =>
    foldChart(chart, { open: openAtFirst(chart, active, room), active, selected }, room).lines.find(
      (line) => lineId(line) === id,
    )?.label?.lines
  expect(labelOf()).toBeUndefined()
  expect(labelOf(id)).toHaveLength(3)
})

test('a line of the last step says its event where it has place, and makes no chart too large', () => {
  const chart = writtenChart('task')
  const active = activeOn('stage.live.active.implementing.clocked pod.none')
  const fresh = 'stage.live.active.implementing.fresh'
  const isTaken = ({ source }: Chart['lines'][number]): boolean => source === fresh
  const look = { open: openAtFirst(chart, active, room), active }
  const shown = foldChart(chart, { ...look, isTaken }, room)
  expect(shown.lines.find(isTaken)?.label).toBeDefined()
  expect(faultsOf(shown)).toEqual([])
  const bareHeight = (height: number): number => foldChart(chart, look, { ...room, height }).height
  let least = bareHeight(room.height)
  while (bareHeight(least - 1) < least) least -= 1
  expect(foldChart(chart, { ...look, isTaken }, { ...room, height: least }).height).toBeLessThanOrEqual(least)
})
