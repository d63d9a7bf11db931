import { h, type ComponentChild } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Chart, ChartLine, ChartState } from '../../charts/chart.ts'
import { moveText, pathData } from '../../charts/svg.ts'
import { aroundLines, lineHeight } from '../../charts/text-size.ts'
import { lineName } from './chart-table.ts'
import { exportChart, exportFormats, type ExportFormat } from './export-chart.ts'
import { branchesOf, foldChart, lineId, openAtFirst, type Room, type ShownChart, type ShownState } from './fold.ts'
import { keyIn, zoomStep } from '../keys.ts'
import { litLabels, type LitLabel } from './lit-labels.ts'
import { OneTabStop } from '../one-tab-stop.ts'
import { useDrag, useRoom, useZoom } from './pan-and-zoom.ts'
import { takenAlong, type Taken } from './taken.ts'

interface ChartViewProps {
  readonly chart: Chart
  readonly active: ReadonlySet<string>
  readonly taken: readonly Taken[]
  /** A state's id, or a line's (`lineId`). */
  readonly selected: string | undefined
  onSelect(id: string): void
}

/** The small text of `charts/svg.ts` then has 11 CSS pixels: what every chart opens with. */
const readableScale = 11 / 10.5
/** What every chart has place in (fold.test.ts). On a narrow screen it is wider than its frame, and opens at what is lit. */
const leastRoom: Room = { width: 740, height: 750 }

const zooms = [
  ['−', 'Smaller', 1 / zoomStep],
  ['+', 'Larger', zoomStep],
] as const

export function ChartView(props: ChartViewProps): ComponentChild {
  const { chart, active, selected, taken } = props
  const frame = useRef<HTMLDivElement>(null)
  const visible = useRoom(frame)
  const isSeen = visible.width > 0
  const room = {
    width: Math.max(leastRoom.width, visible.width / readableScale),
    height: Math.max(leastRoom.height, visible.height / readableScale),
  }
  const { scale, zoom, keepInPlace, centre } = useZoom(frame, readableScale, chart)
  useDrag(frame)
  // What somebody opened or folded stays so, also where the actor moves on.
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  useEffect(() => setChosen(new Map()), [chart])
  const lit = [...active].join(' ')
  const { first, open, shown } = useMemo(() => {
    const first = openAtFirst(chart, active, room)
    const open = new Set([...branchesOf(chart)].filter((id) => chosen.get(id) ?? first.has(id)))
    const isTaken = (line: ChartLine): boolean => takenAlong(line, taken).size > 0
    return { first, open, shown: foldChart(chart, { open, active, selected, isTaken }, room) }
  }, [chart, lit, chosen, selected, taken, room.width, room.height])
  const findActive = (to: number): void => {
    const middle = middleOfActive(shown, active, { width: visible.width / to, height: visible.height / to })
    if (middle !== undefined) centre(middle, to)
  }
  useEffect(() => findActive(scale), [lit, chart, isSeen])

  const fold = (id: string): void => {
    keepInPlace(id)
    setChosen(new Map([...chosen, [id, !open.has(id)]]))
  }
  const foldAll = (isOpen: boolean): void => {
    setChosen(new Map([...branchesOf(chart)].map((id) => [id, isOpen])))
  }
  const isWhole = open.size === branchesOf(chart).size
  const fit = (): number => Math.min((visible.width - 8) / shown.width, (visible.height - 8) / shown.height)
  return h(OneTabStop, { tag: 'div', class: 'chart', place: 'Chart', items: parts, order: alongLines }, [
    h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Chart' }, [
      zooms.map(([sign, name, by]) => {
        const title = `${name}: ${sign} or Ctrl and the wheel`
        return h('button', { onClick: () => zoom((now) => now * by), 'aria-label': name, title }, sign)
      }),
      h('button', { onClick: () => zoom(fit) }, 'Fit'),
      h('button', { onClick: () => findActive(readableScale) }, 'Find active'),
      branchesOf(chart).size === 0
        ? null
        : h('button', { onClick: () => (isWhole ? foldFar() : foldAll(true)) }, isWhole ? 'Fold' : 'Open all'),
      exportFormats.map((format) =>
        h('button', { class: 'export', 'aria-label': `Save as ${format}`, onClick: () => saveAs(format) }, format),
      ),
    ]),
    h(
      'div',
      { class: 'canvas', ref: frame, tabIndex: -1, role: 'region', 'aria-label': `Chart of the ${chart.kind} machine` },
      drawing(props, shown, scale, fold),
    ),
  ])

  function saveAs(format: ExportFormat): void {
    const drawn = frame.current?.querySelector('svg')
    if (drawn) void exportChart(format, drawn, chart, active)
  }

  function foldFar(): void {
    const branches = [...branchesOf(chart)]
    const isWholeAtFirst = branches.every((id) => first.has(id))
    setChosen(new Map(branches.map((id) => [id, (isWholeAtFirst ? active : first).has(id)])))
  }
}

function drawing(
  { chart: whole, active, taken, selected, onSelect }: ChartViewProps,
  chart: ShownChart,
  scale: number,
  onFold: (id: string) => void,
): ComponentChild {
  const { width, height, states, lines } = chart
  const branches = branchesOf(chart)
  return h(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      width: width * scale,
      height: height * scale,
      role: 'group',
      onKeyDown: (event: KeyboardEvent) => walk(event, onSelect, onFold),
    },
    [
      h(
        'defs',
        null,
        ['arrow', 'arrow-taken'].map((id) =>
          h(
            'marker',
            {
              id,
              viewBox: '0 0 8 8',
              refX: 7,
              refY: 4,
              markerUnits: 'userSpaceOnUse',
              markerWidth: 8,
              markerHeight: 8,
              orient: 'auto-start-reverse',
            },
            h('path', { d: 'M0 0 8 4 0 8z' }),
          ),
        ),
      ),
      states.map((state) =>
        stateView(state, {
          isActive: active.has(state.id),
          isSelected: state.id === selected,
          isOpen: state.within === undefined && branches.has(state.id),
          onSelect,
          onFold,
        }),
      ),
      lines.map((line) => lineView(line, lineName(whole, line), taken, lineId(line) === selected, onSelect)),
      litLabels(chart, taken).map((label) => litView(label, onSelect)),
    ],
  )
}

/** What a key does at a state or a line: keys.ts lists it. */
function walk(event: KeyboardEvent, onSelect: (id: string) => void, onFold: (id: string) => void): void {
  const { action } = keyIn('Chart', event.key) ?? {}
  const here = (event.target as Element).closest<SVGGElement>(parts)
  if (here === null || action === undefined) return
  event.preventDefault()
  const { state, line } = here.dataset
  if (action === 'leave') here.closest<HTMLElement>('.canvas')?.focus()
  else if (action === 'fold' && state !== undefined && here.ariaExpanded !== null) onFold(state)
  else onSelect(state ?? line ?? '')
}

/** What the keys go among. */
const parts = ':is(.state, g.line)'

type Part = HTMLElement | SVGElement

/** Behind each state come the lines that begin there. */
function alongLines(all: readonly Part[]): readonly Part[] {
  const places = new Map(all.map(({ dataset }, index) => [dataset['state'], index]))
  const placeOf = ({ dataset: { state, line } }: Part): number => places.get(state ?? line?.split(' ')[0]) ?? 0
  return all.toSorted((one, other) => placeOf(one) - placeOf(other))
}

interface StateLook {
  readonly isActive: boolean
  readonly isSelected: boolean
  /** A branch whose states are drawn. */
  readonly isOpen: boolean
  onSelect(state: string): void
  onFold(state: string): void
}

function stateView(state: ShownState, look: StateLook): ComponentChild {
  const { isActive, isSelected, isOpen, onSelect, onFold } = look
  const { id, x, y, width, height, kind, within } = state
  const isBranch = isOpen || within !== undefined
  const flags = [isActive && 'active', isSelected && 'selected', within && 'folded']
  const entries = aroundLines(state.fromAround)
  const lit = within?.active ?? []
  // What is seen comes in a row, as who speaks to the page reads it out.
  const count = within === undefined ? [] : [`${within.count} states`]
  const words = [
    id,
    ...entries.map((entry) => entry.slice(2)),
    ...lit,
    ...count,
    ...(isActive && isOpen ? ['active'] : []),
  ]
  const at = (event: Event, use: (id: string) => void): void => {
    event.stopPropagation()
    use(id)
  }
  return h(
    'g',
    {
      key: id,
      class: ['state', kind, ...flags].filter(Boolean).join(' '),
      'data-state': id,
      // SVG knows it in lower case only.
      tabindex: -1,
      'aria-current': isActive && !isOpen ? 'true' : undefined,
      role: 'button',
      'aria-label': words.join(', '),
      'aria-expanded': isBranch ? isOpen : undefined,
      onClick: (event: Event) => at(event, within === undefined ? onSelect : onFold),
    },
    [
      h('title', null, [id, state.reason].filter(Boolean).join(': ')),
      within === undefined ? null : h('rect', { class: 'box', x: x + 3, y: y + 3, width, height, rx: 8 }),
      h('rect', { class: 'box', x, y, width, height, rx: 8 }),
      kind === 'final'
        ? h('rect', { class: 'inner', x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5 })
        : null,
      state.initial ? h('circle', { class: 'initial', cx: x + 1, cy: y + 1, r: 4 }) : null,
      h('text', { class: 'name', x: x + 12, y: y + 20 }, `${state.label} `),
      // The label of the button has the same in words.
      [...entries, ...lit].map((line, index) =>
        h(
          'text',
          {
            x: x + 12,
            y: y + 33 + index * lineHeight,
            class: index < entries.length ? undefined : 'lit',
            'aria-hidden': 'true',
          },
          `${line} `,
        ),
      ),
      isBranch
        ? h('g', { class: 'fold', 'aria-hidden': 'true', onClick: (event: Event) => at(event, onFold) }, [
            h('title', null, isOpen ? 'Fold' : 'Open'),
            h('rect', { x: x + width - 40, y: y + 3, width: 37, height: 24, fill: 'transparent' }),
            h('text', { x: x + width - 8, y: y + 19, 'text-anchor': 'end' }, isOpen ? '▾' : `${within?.count} ▸`),
          ])
        : null,
    ],
  )
}

function lineView(
  line: ChartLine,
  name: string,
  taken: readonly Taken[],
  isSelected: boolean,
  onSelect: (id: string) => void,
): ComponentChild {
  const { moves, points, label, isBothWays } = line
  const isEventless = moves.every(({ events }) => events.every((event) => event === 'always'))
  const lit = takenAlong(line, taken)
  const isTaken = lit.size > 0
  const texts = label?.lines ?? []
  const seen = texts.join(' ')
  const words = name.includes(seen) ? name : `${seen}: ${name}`
  // A line with two heads is taken one way.
  const isTakenTo = (end: string): boolean =>
    isTaken && taken.some(({ target }) => target === end || target.startsWith(`${end}.`))
  const marker = (end: string): string => `url(#${isTakenTo(end) ? 'arrow-taken' : 'arrow'})`
  return h(
    'g',
    {
      key: lineId(line),
      class: ['line', isEventless && 'eventless', isTaken && 'taken', isSelected && 'selected']
        .filter(Boolean)
        .join(' '),
      'data-line': lineId(line),
      tabindex: -1,
      role: 'button',
      'aria-label': isTaken ? `${words}. The last step took ${[...lit].join(', ')}` : words,
      onClick: () => onSelect(lineId(line)),
    },
    [
      h('title', null, moves.map(moveText).join('\n')),
      h('path', { class: 'reach', d: pathData(points) }),
      h('path', {
        class: 'stroke',
        d: pathData(points),
        'marker-end': marker(line.target),
        'marker-start': isBothWays ? marker(line.source) : undefined,
      }),
      label &&
        texts.map((text, index) => h('text', { x: label.x + 2, y: label.y + 10 + index * lineHeight }, `${text} `)),
    ],
  )
}

/** Above all lines. The line, or the state, has the same in words. */
function litView({ id, text, x, y, width, height }: LitLabel, onSelect: (id: string) => void): ComponentChild {
  return h('g', { class: 'taken-label', 'aria-hidden': 'true', onClick: () => onSelect(id) }, [
    h('rect', { x, y, width, height, rx: 3 }),
    h('text', { x: x + width / 2, y: y + 10, 'text-anchor': 'middle' }, text),
  ])
}

/** Of the innermost active states: of all that the room has place for together. */
function middleOfActive(
  { states }: Chart,
  active: ReadonlySet<string>,
  room: Room,
): Readonly<Record<'x' | 'y', number>> | undefined {
  const lit = states.filter(({ id }) => active.has(id))
  const leaves: readonly Box[] = lit.filter(({ id }) => !lit.some((other) => other.id.startsWith(`${id}.`)))
  if (leaves.length === 0) return undefined
  const { x, y, width, height } = leaves.reduce((some, leaf) => {
    const more = around(some, leaf)
    return more.width < room.width && more.height < room.height ? more : some
  })
  return { x: x + width / 2, y: y + height / 2 }
}

type Box = Pick<ChartState, 'x' | 'y' | 'width' | 'height'>

function around(one: Box, other: Box): Box {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  return {
    x,
    y,
    width: Math.max(one.x + one.width, other.x + other.width) - x,
    height: Math.max(one.y + one.height, other.y + other.height) - y,
  }
}
