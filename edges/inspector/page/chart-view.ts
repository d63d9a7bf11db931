import { h, type ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Chart, ChartLine, ChartState } from '../charts/chart.ts'
import { moveText, pathData } from '../charts/svg.ts'
import { aroundLines, lineHeight } from '../charts/text-size.ts'
import { labelOf, type Taken } from './taken.ts'

interface ChartViewProps {
  readonly chart: Chart
  readonly active: ReadonlySet<string>
  readonly taken: readonly Taken[]
  readonly selected: string | undefined
  onSelect(state: string): void
}

/** Below this the small text is a blur. */
const readableScale = 0.72
const scales = { smallest: 0.2, largest: 2, step: 1.25 }

export function ChartView(props: ChartViewProps): ComponentChild {
  const { chart, active } = props
  const frame = useRef<HTMLDivElement>(null)
  const [scale, setScale] = useState(1)
  const fit = (): number => {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {}
    return Math.min((clientWidth - 8) / chart.width, (clientHeight - 8) / chart.height)
  }
  const zoom = (to: number): void => setScale(Math.min(scales.largest, Math.max(scales.smallest, to)))
  const scaled = useRef<Chart | undefined>(undefined)
  const appearances = useAppearances(frame)
  useLayoutEffect(() => {
    if (scaled.current === chart || !frame.current?.clientWidth) return
    scaled.current = chart
    zoom(Math.min(1, Math.max(readableScale, fit())))
  }, [chart, appearances])
  const lit = [...active].join(' ')
  useEffect(() => show(frame.current, chart, active, scale), [lit, scale, chart, appearances])

  return h('div', { class: 'chart' }, [
    h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Zoom' }, [
      h('button', { onClick: () => zoom(scale / scales.step), 'aria-label': 'Smaller' }, '−'),
      h('button', { onClick: () => zoom(scale * scales.step), 'aria-label': 'Larger' }, '+'),
      h('button', { onClick: () => zoom(fit()) }, 'Fit'),
      h('button', { onClick: () => show(frame.current, chart, active, scale) }, 'Active'),
    ]),
    h(
      'div',
      { class: 'canvas', ref: frame, tabIndex: 0, role: 'region', 'aria-label': `Chart of the ${chart.kind} machine` },
      drawing(props, scale),
    ),
  ])
}

/** How often the frame came into sight: in a tab that is not shown it has no size, and nothing can be scrolled into view. */
function useAppearances(frame: { readonly current: HTMLElement | null }): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    const canvas = frame.current
    if (canvas === null) return
    let isHidden = canvas.clientWidth === 0
    const observer = new ResizeObserver(() => {
      const wasHidden = isHidden
      isHidden = canvas.clientWidth === 0
      if (wasHidden && !isHidden) setCount((before) => before + 1)
    })
    observer.observe(canvas)
    return () => observer.disconnect()
  }, [])
  return count
}

function drawing({ chart, active, taken, selected, onSelect }: ChartViewProps, scale: number): ComponentChild {
  const { width, height, states, lines } = chart
  return h(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width: width * scale, height: height * scale, role: 'group', onKeyDown: walk },
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
          isEntered: taken.some(({ target }) => target === state.id),
          onSelect,
        }),
      ),
      lines.map((line) => lineView(line, taken)),
      taken.map((row) => exactView(row, chart)),
    ],
  )
}

/** Arrow keys go from state to state; Enter shows its table. */
function walk(event: KeyboardEvent): void {
  const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }
  const by = steps[event.key]
  const here = (event.target as Element).closest<SVGGElement>('.state')
  if (here === null) return
  if (event.key === 'Enter' || event.key === ' ') here.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  else if (by === undefined) return
  event.preventDefault()
  const all = [...(here.ownerSVGElement?.querySelectorAll<SVGGElement>('.state') ?? [])]
  if (by !== undefined) all[(all.indexOf(here) + by + all.length) % all.length]?.focus()
}

interface StateLook {
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly isEntered: boolean
  onSelect(state: string): void
}

function stateView(state: ChartState, { isActive, isSelected, isEntered, onSelect }: StateLook): ComponentChild {
  const { id, x, y, width, height, kind } = state
  const classes = ['state', kind, isActive && 'active', isSelected && 'selected', isEntered && 'entered']
    .filter(Boolean)
    .join(' ')
  const select = (event: Event): void => {
    event.stopPropagation()
    onSelect(id)
  }
  return h(
    'g',
    {
      key: id,
      class: classes,
      'data-state': id,
      // SVG knows it in lower case only.
      tabindex: isActive ? 0 : -1,
      role: 'button',
      'aria-label': `${id}${isActive ? ', active' : ''}`,
      onClick: select,
    },
    [
      h('title', null, [id, state.reason].filter(Boolean).join(': ')),
      h('rect', { class: 'box', x, y, width, height, rx: 8 }),
      kind === 'final'
        ? h('rect', { class: 'inner', x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5 })
        : null,
      state.initial ? h('circle', { class: 'initial', cx: x + 1, cy: y + 1, r: 4 }) : null,
      h('text', { class: 'name', x: x + 12, y: y + 20 }, state.label),
      aroundLines(state.fromAround).map((line, index) =>
        h('text', { x: x + 12, y: y + 33 + index * lineHeight }, line),
      ),
    ],
  )
}

function lineView(line: ChartLine, taken: readonly Taken[]): ComponentChild {
  const { moves, points, label, isBothWays } = line
  const isEventless = moves.every(({ events }) => events.every((event) => event === 'always'))
  const texts = labelOf(line, taken)
  const isTaken = texts.some(({ isLit }) => isLit)
  // A line with two heads is taken one way.
  const isTakenTo = (end: string): boolean =>
    isTaken && taken.some(({ target }) => target === end || target.startsWith(`${end}.`))
  const marker = (end: string): string => `url(#${isTakenTo(end) ? 'arrow-taken' : 'arrow'})`
  const [x, y] = label === undefined ? middleOf(points) : [label.x + 2, label.y + 10]
  return h(
    'g',
    {
      key: `${line.source} ${line.target}`,
      class: ['line', isEventless && 'eventless', isTaken && 'taken'].filter(Boolean).join(' '),
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
      texts.map(({ text, isLit }, index) =>
        h('text', { x, y: y + index * lineHeight, class: isLit ? 'lit' : undefined }, text),
      ),
    ],
  )
}

/** Beside the middle of the longest part. */
function middleOf(points: ChartLine['points']): readonly [number, number] {
  const parts = points.slice(1).map((to, index) => [points[index] ?? to, to] as const)
  const length = ([[ax, ay], [bx, by]]: (typeof parts)[number]): number => Math.abs(bx - ax) + Math.abs(by - ay)
  const [longest] = parts.toSorted((one, other) => length(other) - length(one))
  const [[ax, ay], [bx, by]] = longest ?? [
    [0, 0],
    [0, 0],
  ]
  return [(ax + bx) / 2 + 4, (ay + by) / 2 - 3]
}

/** What was taken is drawn from the very state to the very state where the line stands for their frames. */
function exactView({ source, target }: Taken, { states, lines }: Chart): ComponentChild {
  if (lines.some((line) => line.source === source && line.target === target)) return null
  const from = states.find(({ id }) => id === source)
  const to = states.find(({ id }) => id === target)
  if (from === undefined || to === undefined || source.startsWith(`${target}.`) || target.startsWith(`${source}.`))
    return null
  return h('path', {
    key: `exact ${source} ${target}`,
    class: 'exact',
    d: curve(from, to),
    'marker-end': 'url(#arrow-taken)',
  })
}

/** From the nearest side of one box to the nearest side of the other. */
function curve(from: ChartState, to: ChartState): string {
  const [ax, ay] = [from.x + from.width / 2, from.y + from.height / 2]
  const [bx, by] = [to.x + to.width / 2, to.y + to.height / 2]
  if (Math.abs(bx - ax) > Math.abs(by - ay)) {
    const [x1, x2] = bx > ax ? [from.x + from.width, to.x - 2] : [from.x, to.x + to.width + 2]
    return `M${x1} ${ay}C${(x1 + x2) / 2} ${ay} ${(x1 + x2) / 2} ${by} ${x2} ${by}`
  }
  const [y1, y2] = by > ay ? [from.y + from.height, to.y - 2] : [from.y, to.y + to.height + 2]
  return `M${ax} ${y1}C${ax} ${(y1 + y2) / 2} ${bx} ${(y1 + y2) / 2} ${bx} ${y2}`
}

/** Brings the active leaves into view: all when they fit, else the first. */
function show(frame: HTMLElement | null, chart: Chart, active: ReadonlySet<string>, scale: number): void {
  const lit = chart.states.filter(({ id }) => active.has(id))
  const leaves = lit.filter(({ id }) => !lit.some((other) => other.id.startsWith(`${id}.`)))
  const [first] = leaves
  if (frame === null || first === undefined) return
  const whole = around(leaves)
  const fits = whole.width * scale < frame.clientWidth && whole.height * scale < frame.clientHeight
  const { x, y, width, height } = fits ? whole : first
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  frame.scrollTo({
    left: (x + width / 2) * scale - frame.clientWidth / 2,
    top: (y + height / 2) * scale - frame.clientHeight / 2,
    behavior: isStill ? 'instant' : 'smooth',
  })
}

function around(boxes: readonly ChartState[]): Pick<ChartState, 'x' | 'y' | 'width' | 'height'> {
  const x = Math.min(...boxes.map((box) => box.x))
  const y = Math.min(...boxes.map((box) => box.y))
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  }
}
