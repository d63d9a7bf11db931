import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allMachines } from '../../../../machines/registry.ts'
import type { Chart } from '../../charts/chart.ts'
import { branchesOf, foldChart, isAround, openAtFirst, parentOf } from './fold.ts'
import { litLabels } from './lit-labels.ts'
import { activeOn, takenAlong, type Taken } from './taken.ts'

const room = { width: 740, height: 750 }

function writtenChart(kind: string): Chart {
  return JSON.parse(readFileSync(new URL(`../../generated/charts/${kind}.json`, import.meta.url), 'utf8')) as Chart
}

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>

/** More than a pixel of rounding. */
function isOn(one: Box, other: Box): boolean {
  return (
    one.x + 1 < other.x + other.width &&
    other.x + 1 < one.x + one.width &&
    one.y + 1 < other.y + other.height &&
    other.y + 1 < one.y + one.height
  )
}

/** Where the actor stands after a row: the leaf that it leads to, or the first one inside. */
function leafOf({ states }: Chart, id: string): string {
  const inner = states.filter((state) => parentOf(state.id) === id)
  const next = inner.find(({ initial }) => initial) ?? inner[0]
  return next === undefined ? id : leafOf({ states } as Chart, next.id)
}

/** Each row that leads anywhere, as the page shows it at first. */
function viewsOf(chart: Chart) {
  return chart.states.flatMap(({ id: source, rows }) =>
    rows.flatMap(({ event, target }) => {
      if (target === undefined || target === source) return []
      const taken: readonly Taken[] = [{ source, target, event }]
      const active = activeOn(leafOf(chart, target))
      const isTaken = (line: Chart['lines'][number]): boolean => takenAlong(line, taken).size > 0
      const shown = foldChart(chart, { open: openAtFirst(chart, active, room), active, isTaken }, room)
      return [{ name: `${source} ${event} ${target}`, shown, taken, labels: litLabels(shown, taken) }]
    }),
  )
}

describe.each(allMachines)('the words of the last step in the chart of $kind', ({ kind }) => {
  const views = viewsOf(writtenChart(kind))

  test('lie on no state, on no name of a branch and on no other words', () => {
    const faults = views.flatMap(({ name, shown, labels }) => {
      const branches = branchesOf(shown)
      const isOpen = ({ id, within }: (typeof shown.states)[number]) => branches.has(id) && within === undefined
      return labels.flatMap((label) => [
        ...shown.states
          .filter((state) => state.id !== label.id)
          .filter((state) => isOn(label, isOpen(state) ? { ...state, height: 24 } : state))
          .map(({ id }) => `${name}: on ${id}`),
        ...shown.lines
          .filter((line) => line.label && `${line.source} ${line.target}` !== label.id && isOn(label, line.label))
          .map((line) => `${name}: on the words from ${line.source} to ${line.target}`),
        ...(isOn({ x: -1e4, y: -1e4, width: 1e4, height: 2e4 }, label) ? [`${name}: outside`] : []),
      ])
    })
    expect(faults).toEqual([])
  })

  test('name each event that a line or a state shows as taken, `always` too', () => {
    for (const { name, shown, taken, labels } of views) {
      const lines = shown.lines.filter((line) => takenAlong(line, taken).size > 0)
      const isIntoShown = taken.some(
        ({ source, target }) =>
          (isAround(source, target) || isAround(target, source)) && shown.states.some(({ id }) => id === target),
      )
      expect(labels.length > 0, name).toBe(lines.length > 0 || isIntoShown)
    }
  })
})
