/**
 * Where the events of the last step are written: in the words of their line or of the state that they lead into, where
 * those name them, else along it where nothing else is.
 */
import type { ChartLine } from '../../charts/chart.ts'
import { aroundLines, labelSize, lineHeight, type Size } from '../../charts/text-size.ts'
import { branchesOf, isAround, lineId, type ShownChart, type ShownState } from './fold.ts'
import { takenAlong, type Taken } from './taken.ts'

interface Box extends Size {
  readonly x: number
  readonly y: number
}

export interface LitLabel extends Box {
  /** Of the line or the state. */
  readonly id: string
  readonly text: string
}

type Points = ChartLine['points']

/** What may be lit: a line, or a state that rows of states around it lead into. */
interface Subject {
  readonly id: string
  readonly points: Points
  readonly events: readonly string[]
  /** Where each word stands that is drawn already. */
  readonly drawn: readonly { readonly text: string; readonly x: number; readonly y: number }[]
}

export function litLabels(chart: ShownChart, taken: readonly Taken[]): readonly LitLabel[] {
  const subjects = [
    ...chart.lines.map((line) => lineSubject(line, taken)),
    ...chart.states.map((state) => stateSubject(state, taken)),
  ]
  const named = subjects.flatMap(({ id, events, drawn }) =>
    drawn
      .filter(({ text }) => events.includes(text))
      .map(({ text, x, y }): LitLabel => ({ id, text, x, y, ...labelSize([text]) })),
  )
  const others = subjects.flatMap(({ id, points, events, drawn }) =>
    events.filter((event) => !drawn.some(({ text }) => text === event)).map((text) => ({ id, points, text })),
  )
  return others.reduce<readonly LitLabel[]>(
    (all, { id, points, text }) => [...all, { id, text, ...freePlace(points, labelSize([text]), chart, all) }],
    named,
  )
}

function lineSubject(line: ChartLine, taken: readonly Taken[]): Subject {
  const { points, label } = line
  return {
    id: lineId(line),
    points,
    events: [...takenAlong(line, taken)],
    drawn: label?.lines.map((text, index) => ({ text, x: label.x, y: label.y + index * lineHeight })) ?? [],
  }
}

function stateSubject({ id, x, y, width, height, fromAround }: ShownState, taken: readonly Taken[]): Subject {
  const into = taken.filter(({ source, target }) => target === id && source !== id && isNested(source, id))
  return {
    id,
    points: [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ],
    events: [...new Set(into.map(({ event }) => `↳ ${event}`))],
    drawn: aroundLines(fromAround).map((text, index) => ({ text, x: x + 10, y: y + 23 + index * lineHeight })),
  }
}

function isNested(one: string, other: string): boolean {
  return isAround(one, other) || isAround(other, one)
}

/** The place along these points that covers least; the longest part comes first. */
function freePlace(points: Points, size: Size, chart: ShownChart, placed: readonly Box[]): Box {
  const branches = branchesOf(chart)
  const others = [
    ...chart.states.map((state) => (branches.has(state.id) && state.within === undefined ? headOf(state) : state)),
    ...chart.lines.flatMap(({ label }) => label ?? []),
    ...placed,
  ]
  const cost = (box: Box): number =>
    others.reduce((sum, other) => sum + shared(box, other), 0) + size.width * size.height - shared(box, whole(chart))
  const on = placesAlong(points).map(([x, y]) => ({ ...size, x: x - size.width / 2, y: y - size.height / 2 }))
  const beside = gaps.flatMap((gap) =>
    on.flatMap((box) => [
      { ...box, x: box.x + size.width / 2 + gap },
      { ...box, x: box.x - size.width / 2 - gap },
      { ...box, y: box.y + size.height / 2 + gap },
      { ...box, y: box.y - size.height / 2 - gap },
    ]),
  )
  return [...on, ...beside].reduce((best, box) => (cost(box) < cost(best) ? box : best))
}

/** Where lines are short between large boxes, the nearest free place is aside of the boxes. */
const gaps = [1, 8, 16, 32]

function whole({ width, height }: Size): Box {
  return { x: 0, y: 0, width, height }
}

/** Of an open branch its name alone. */
function headOf({ x, y, width }: ShownState): Box {
  return { x, y, width, height: 26 }
}

function shared(one: Box, other: Box): number {
  const along = (at: 'x' | 'y', size: 'width' | 'height'): number =>
    Math.max(0, Math.min(one[at] + one[size], other[at] + other[size]) - Math.max(one[at], other[at]))
  return along('x', 'width') * along('y', 'height')
}

/** From the middle of each part outwards. */
const shares = [0.5, 0.35, 0.65, 0.2, 0.8]

function placesAlong(points: Points): readonly (readonly [number, number])[] {
  const parts = points.slice(1).map((to, index) => [points[index] ?? to, to] as const)
  const length = ([[ax, ay], [bx, by]]: (typeof parts)[number]): number => Math.abs(bx - ax) + Math.abs(by - ay)
  return parts
    .toSorted((one, other) => length(other) - length(one))
    .flatMap(([[ax, ay], [bx, by]]) =>
      shares.map((share): readonly [number, number] => [ax + (bx - ax) * share, ay + (by - ay) * share]),
    )
}
