/**
 * A chart with some branches folded to their heads. The generator has placed every state; here what is left moves
 * together. Two things that share a row or a column stay in their order, so nothing is laid on anything (fold.test.ts).
 */
import type { Chart, ChartLine, ChartState } from '../../charts/chart.ts'
import { joined, moved, type Placed as PlacedPart } from '../../charts/placed.ts'
import { branchSize, stateSize, type Size } from '../../charts/text-size.ts'

/** What a chart is fitted into, in CSS pixels. */
export type Room = Size

const margin = 6
const framePadding = 8
const gaps = { box: 10, line: 7, label: 2 }
/** Of a state in a tight drawing: its name, and no room for more. */
const tightHeight = 27

export function parentOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('.')))
}

export function lineId({ source, target }: Pick<ChartLine, 'source' | 'target'>): string {
  return `${source} ${target}`
}

/** States that have states inside. */
export function branchesOf({ states }: Chart): ReadonlySet<string> {
  return new Set(states.map(({ id }) => parentOf(id)).filter(Boolean))
}

/**
 * Which branches are open at first: all where the room has place for them, else those around an active state that it has
 * place for. Regions that moved on from their beginning come before those that rest there.
 */
export function openAtFirst(chart: Chart, active: ReadonlySet<string>, room: Room): ReadonlySet<string> {
  const branches = branchesOf(chart)
  if (isWithin(chart, room)) return branches
  const isMoved = (id: string): boolean =>
    chart.states.some(
      (state) => active.has(state.id) && !state.initial && state.kind !== 'region' && isAround(id, state.id),
    )
  const around = [...branches].filter((id) => active.has(id))
  let open: ReadonlySet<string> = new Set()
  const add = (ids: readonly string[]): void => {
    const more = new Set([...open, ...ids])
    if (isWithin(laidOut(chart, { open: more, active }, room, true), room)) open = more
    else if (ids.length > 1) for (const id of ids) add([id])
  }
  add(around.filter(isMoved))
  add(around.filter((id) => !isMoved(id)))
  return open
}

function isWithin({ width, height }: Size, room: Room): boolean {
  return width <= room.width && height <= room.height
}

export function isAround(outer: string, inner: string): boolean {
  return `${inner}.`.startsWith(`${outer}.`)
}

interface Look {
  readonly open: ReadonlySet<string>
  readonly active: ReadonlySet<string>
  /** Its lines say their events, as those of active states do. */
  readonly selected?: string | undefined
  /** The lines of the last step say theirs too, where there is place. */
  readonly isTaken?: ((line: ChartLine) => boolean) | undefined
}

/** `within`: of a folded branch, how many states it holds and which of them are active. */
export interface ShownState extends ChartState {
  readonly within?: { readonly count: number; readonly active: readonly string[] }
}

export interface ShownChart extends Chart {
  readonly states: ShownState[]
}

type Placed = PlacedPart<ShownState>

/** Where words and names from around leave too little room, the drawing is tight: without those that a click tells. */
export function foldChart(chart: Chart, look: Look, room: Room): ShownChart {
  if ([...branchesOf(chart)].every((id) => look.open.has(id))) return chart
  const roomy = laidOut(chart, look, room, false)
  if (isWithin(roomy, room)) return roomy
  const tight = laidOut(chart, look, room, true)
  if (isWithin(tight, room)) return tight
  const bare = laidOut(chart, { ...look, isTaken: undefined }, room, true)
  return isWithin(bare, room) ? bare : roomy
}

function laidOut(chart: Chart, { open, active, selected, isTaken }: Look, room: Room, isTight: boolean): ShownChart {
  const branches = branchesOf(chart)
  const { width, height, states, lines } = moved(placeChildren(''), margin, margin)
  return { ...chart, width: width + 2 * margin, height: height + 2 * margin, states: [...states], lines: [...lines] }

  function placeState(whole: ChartState): Placed {
    const state = isTight ? { ...whole, fromAround: [] } : whole
    if (!branches.has(state.id)) return alone(isTight ? { ...state, ...sized(stateSize(state)) } : state)
    if (!open.has(state.id)) return foldedState(state)
    const head = sized(branchSize(state))
    const inside = moved(placeChildren(state.id), framePadding, head.height)
    const size = {
      width: Math.max(head.width, inside.width + 2 * framePadding),
      height: head.height + inside.height + framePadding,
    }
    return { ...size, states: [{ ...state, x: 0, y: 0, ...size }, ...inside.states], lines: inside.lines }
  }

  function sized(size: Size): Size {
    return isTight ? { ...size, height: tightHeight } : size
  }

  function foldedState(state: ChartState): Placed {
    const inside = chart.states.filter(({ id }) => id.startsWith(`${state.id}.`))
    const leaves = inside.filter(({ id }) => !branches.has(id))
    const lit = leaves.filter(({ id }) => active.has(id)).map(({ id }) => id.slice(state.id.length + 1))
    return alone({ ...state, ...branchSize(state, lit), within: { count: leaves.length, active: lit } })
  }

  function placeChildren(parent: string): Placed {
    const children = chart.states.filter(({ id }) => parentOf(id) === parent)
    const parts = children.map(placeState)
    const lines = chart.lines.filter(({ source }) => parentOf(source) === parent).map(worded)
    const ways =
      lines.length === 0
        ? parts.map((_, index) => inColumns(parts, index + 1))
        : passes.map((axes) => together(children, parts, lines, axes))
    const cost = ({ width, height }: Size): number => Math.max(width / room.width, height / room.height)
    return ways.reduce((best, way) => (cost(way) < cost(best) ? way : best))
  }

  /** A line that leads from no active state says its events only inside a branch that somebody opened. In a tight drawing frames say none. */
  function worded(line: ChartLine): ChartLine {
    const { label: _label, ...bare } = line
    const { source, target, isBothWays } = line
    const frame = parentOf(source)
    const isNear =
      (active.has(source) && !(isTight && branches.has(source))) ||
      (isBothWays && active.has(target)) ||
      (frame !== '' && !active.has(frame)) ||
      isTaken?.(line) === true ||
      selected === lineId(line) ||
      selected === source ||
      selected === target
    return isNear ? line : bare
  }
}

function alone(state: ShownState): Placed {
  const { width, height } = state
  return { width, height, states: [{ ...state, x: 0, y: 0 }], lines: [] }
}

/** Without lines between them they stand in columns: the highest first, each in the column that is shortest so far. */
function inColumns(parts: readonly Placed[], count: number): Placed {
  const columns = Array.from({ length: count }, (): Placed[] => [])
  const heightOf = (column: readonly Placed[]): number =>
    column.reduce((height, part) => height + part.height + gaps.box, 0)
  for (const part of parts.toSorted((one, other) => other.height - one.height))
    columns.reduce((best, column) => (heightOf(column) < heightOf(best) ? column : best)).push(part)
  let x = 0
  const placed = columns.flatMap((column) => {
    const here = column.map((part, index) => moved(part, x, heightOf(column.slice(0, index))))
    x += Math.max(...column.map(({ width }) => width)) + gaps.box
    return here
  })
  return { width: x - gaps.box, height: Math.max(...columns.map(heightOf)) - gaps.box, ...joined(placed) }
}

type Axis = 'x' | 'y'

/** What one axis closed up may make room on the other; which goes first matters. */
const passes: readonly (readonly Axis[])[] = [
  ['x', 'y', 'x', 'y'],
  ['y', 'x', 'y', 'x'],
]

/** A coordinate. It keeps at least these distances from those before it. */
interface Place {
  was: number
  now: number
  readonly after: (readonly [from: Place, distance: number])[]
}

/** A box, a label, or a part of a line. */
interface Thing {
  readonly kind: keyof typeof gaps
  readonly low: Readonly<Record<Axis, Place>>
  readonly high: Readonly<Record<Axis, Place>>
}

interface LinePlaces {
  readonly line: ChartLine
  readonly points: readonly Readonly<Record<Axis, Place>>[]
  readonly label: Thing | undefined
}

/** Columns and rows close up, one axis after the other: the second counts with what the first did. */
function together(
  children: readonly ChartState[],
  parts: readonly Placed[],
  lines: readonly ChartLine[],
  axes: readonly Axis[],
): Placed {
  const boxes = children.map((box) => thingOf('box', box.folded))
  const byId = new Map(children.map(({ id }, index) => [id, boxes[index]]))
  const places = lines.map((line) => placesOf(line, byId))
  const things = [...boxes, ...places.flatMap(partsOf)]
  boxes.forEach(({ low, high }, index) => {
    distance(low.x, high.x, parts[index]?.width ?? 0)
    distance(low.y, high.y, parts[index]?.height ?? 0)
  })
  for (const axis of axes) {
    closeUp(things, axis)
    for (const { label, points } of places) if (label !== undefined) pull(label, points, things, axis)
    for (const place of things.flatMap(({ low, high }) => [low[axis], high[axis]])) place.was = place.now
  }
  const all = things.flatMap(({ high }) => [high])
  const placed = boxes.map(({ low, high }, index): Placed => {
    const part = moved(parts[index] ?? { width: 0, height: 0, states: [], lines: [] }, low.x.now, low.y.now)
    const [own, ...inner] = part.states
    const size = { width: high.x.now - low.x.now, height: high.y.now - low.y.now }
    return { ...part, states: own === undefined ? [] : [{ ...own, ...size }, ...inner] }
  })
  const { states, lines: inner } = joined(placed)
  return {
    width: Math.max(...all.map(({ x }) => x.now)),
    height: Math.max(...all.map(({ y }) => y.now)),
    states,
    lines: [...places.map(lineAt), ...inner],
  }
}

function placeAt(was: number): Place {
  return { was, now: was, after: [] }
}

function distance(from: Place, to: Place, least: number): void {
  to.after.push([from, least])
}

function thingOf(kind: Thing['kind'], { x, y, width, height }: Size & Readonly<Record<Axis, number>>): Thing {
  return { kind, low: { x: placeAt(x), y: placeAt(y) }, high: { x: placeAt(x + width), y: placeAt(y + height) } }
}

/** Points in a row share a place; the ends of a line are on the sides of their boxes. */
function placesOf(line: ChartLine, boxes: ReadonlyMap<string, Thing | undefined>): LinePlaces {
  const { points, label: at } = line.folded
  const last = points.length - 1
  const along = (axis: Axis): readonly Place[] => {
    const places: Place[] = []
    points.forEach((point, index) => {
      const was = point[axis === 'x' ? 0 : 1]
      const before = places.at(-1)
      const box = index === 0 ? boxes.get(line.source) : index === last ? boxes.get(line.target) : undefined
      const side = box && [box.low[axis], box.high[axis]].find((place) => place.was === was)
      const place = side ?? (before?.was === was ? before : placeAt(was))
      if (box !== undefined && side === undefined) {
        distance(box.low[axis], place, gaps.line)
        distance(place, box.high[axis], gaps.line)
      }
      places.push(place)
    })
    return places
  }
  const [xs, ys] = [along('x'), along('y')]
  const label = at && line.label && thingOf('label', { ...line.label, ...at })
  if (label && line.label) {
    distance(label.low.x, label.high.x, line.label.width)
    distance(label.low.y, label.high.y, line.label.height)
  }
  return {
    line,
    points: xs.flatMap((x, index) => {
      const y = ys[index]
      return y === undefined ? [] : [{ x, y }]
    }),
    label,
  }
}

function partsOf({ points, label }: LinePlaces): readonly Thing[] {
  const parts = points.slice(1).map((to, index): Thing => {
    const from = points[index] ?? to
    const ordered = (axis: Axis): readonly [Place, Place] =>
      from[axis].was <= to[axis].was ? [from[axis], to[axis]] : [to[axis], from[axis]]
    const [lowX, highX] = ordered('x')
    const [lowY, highY] = ordered('y')
    return { kind: 'line', low: { x: lowX, y: lowY }, high: { x: highX, y: highY } }
  })
  return label === undefined ? parts : [...parts, label]
}

/** Each place moves as low as its distances let it: the longest way through them. */
function closeUp(things: readonly Thing[], axis: Axis): void {
  const kept = new Map<Place, Place['after']>()
  const keep = (from: Place, to: Place, least: number): void =>
    void (kept.get(to) ?? kept.set(to, [...to.after]).get(to))?.push([from, least])
  for (const { low, high } of things) if (low[axis] !== high[axis]) keep(low[axis], high[axis], 0)
  for (const one of things)
    for (const other of things) {
      const room = roomBetween(one, other, axis)
      if (room !== undefined && one.high[axis] !== other.low[axis]) keep(one.high[axis], other.low[axis], room)
    }
  const places = new Set(things.flatMap(({ low, high }) => [low[axis], high[axis]]))
  const sorted = [...places].toSorted((one, other) => one.was - other.was)
  const rank = new Map(sorted.map((place, index) => [place, index]))
  sorted.forEach((place, index) => {
    const before = (kept.get(place) ?? place.after).filter(([from]) => (rank.get(from) ?? index) < index)
    place.now = Math.max(0, ...before.map(([from, least]) => from.now + least))
  })
}

/** What stays between two that meet on the other axis, where the one comes before the other. */
function roomBetween(one: Thing, other: Thing, axis: Axis): number | undefined {
  const across = axis === 'x' ? 'y' : 'x'
  const was = other.low[axis].was - one.high[axis].was
  if (was < 0) return undefined
  const near = 4
  const meets =
    one.low[across].now < other.high[across].now + near && other.low[across].now < one.high[across].now + near
  if (!meets) return undefined
  const wanted =
    one.kind === 'label' || other.kind === 'label'
      ? gaps.label
      : one.kind === 'box' && other.kind === 'box'
        ? gaps.box
        : gaps.line
  return Math.min(was, wanted)
}

/** A label above or left of its line follows it as far as nothing is in between. */
function pull(label: Thing, points: LinePlaces['points'], things: readonly Thing[], axis: Axis): void {
  const [low, high] = [label.low[axis], label.high[axis]]
  const next = points.map((point) => point[axis]).filter(({ was }) => was >= high.was)
  const own = next.toSorted((one, other) => one.was - other.was)[0]
  if (own === undefined) return
  const until = things.flatMap((thing) => {
    const room = roomBetween(label, thing, axis)
    return room === undefined ? [] : [thing.low[axis].now - room]
  })
  const by = Math.min(own.now - (own.was - high.was), ...until) - high.now
  if (by <= 0) return
  low.now += by
  high.now += by
}

function lineAt({ line, points, label }: LinePlaces): ChartLine {
  return {
    ...line,
    points: points.map(({ x, y }): [number, number] => [x.now, y.now]),
    ...(line.label === undefined || label === undefined
      ? {}
      : { label: { ...line.label, x: label.low.x.now, y: label.low.y.now } }),
  }
}
