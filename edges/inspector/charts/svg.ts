/** The chart as text: for documents, which can't run the page. Follows the reader's light or dark setting. */
import type { Chart, ChartLine, ChartMove, ChartState } from './chart.ts'
import { aroundLines, lineHeight } from './text-size.ts'

const style = `
text{font:10.5px ui-sans-serif,system-ui,"DejaVu Sans",sans-serif;fill:#59636e}
.state text:first-of-type{font-size:13px;font-weight:600;fill:#1f2328}
.state rect{fill:#fff;stroke:#8c959f}.compound rect,.parallel rect,.region rect{fill:#f6f8fa;stroke:#d1d9e0}
.region rect{stroke-dasharray:5 4}.final rect:nth-of-type(2){fill:none}
.line path{fill:none;stroke:#818b98;marker-end:url(#arrow)}.eventless path{stroke-dasharray:4 3}.both path{marker-start:url(#arrow)}
.line rect{fill:#f6f8fa;fill-opacity:.85}.dot,marker path{fill:#818b98}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.state text:first-of-type{fill:#f0f6fc}.state rect{fill:#151b23;stroke:#656c76}
.compound rect,.parallel rect,.region rect{fill:#0d1117;stroke:#3d444d}.line rect{fill:#0d1117}svg{background:#0d1117}}`

export function svgOf(chart: Chart): string {
  const { width, height, states, lines } = chart
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(chart.kind)}">
<style>${style}</style>
<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker>
${states.map(drawState).join('\n')}
${lines.map(drawLine).join('\n')}
</svg>
`
}

function drawState(state: ChartState): string {
  const { x, y, width, height, kind } = state
  const inner = kind === 'final' ? rect(x + 3, y + 3, width - 6, height - 6, 5) : ''
  const dot = state.initial ? `<circle class="dot" cx="${x + 1}" cy="${y + 1}" r="4"/>` : ''
  const lines = aroundLines(state.fromAround).map(
    (line, index) => `<text x="${x + 12}" y="${y + 33 + index * lineHeight}">${escape(line)}</text>`,
  )
  return `<g class="state ${kind}" id="${escape(state.id)}"><title>${escape([state.id, state.reason].filter(Boolean).join(': '))}</title>${rect(x, y, width, height, 8)}${inner}${dot}<text x="${x + 12}" y="${y + 20}">${escape(state.label)}</text>${lines.join('')}</g>`
}

function rect(x: number, y: number, width: number, height: number, radius: number): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`
}

function drawLine({ moves, points, label, isBothWays }: ChartLine): string {
  const events = moves.flatMap((move) => move.events)
  const isEventless = events.every((event) => event === 'always')
  const text =
    label?.lines
      .map((line, index) => `<text x="${label.x + 2}" y="${label.y + 10 + index * lineHeight}">${escape(line)}</text>`)
      .join('') ?? ''
  const ground = label === undefined ? '' : rect(label.x, label.y, label.width, label.height, 2)
  return `<g class="line${isEventless ? ' eventless' : ''}${isBothWays ? ' both' : ''}"><title>${escape(moves.map(moveText).join('\n'))}</title><path d="${pathData(points)}"/>${ground}${text}</g>`
}

export function moveText({ source, target, events }: ChartMove): string {
  return `${source} → ${target}: ${events.join(', ')}`
}

/** Straight lines with rounded corners. */
export function pathData(points: ChartLine['points'], radius = 6): string {
  return points
    .map(([x, y], index) => {
      const before = points[index - 1]
      const after = points[index + 1]
      if (before === undefined) return `M${x} ${y}`
      if (after === undefined) return `L${x} ${y}`
      const [fromX, fromY] = towards([x, y], before, radius)
      const [toX, toY] = towards([x, y], after, radius)
      return `L${fromX} ${fromY}Q${x} ${y} ${toX} ${toY}`
    })
    .join('')
}

function towards(
  [x, y]: readonly [number, number],
  [otherX, otherY]: readonly [number, number],
  radius: number,
): readonly [number, number] {
  const distance = Math.hypot(otherX - x, otherY - y)
  const share = distance === 0 ? 0 : Math.min(radius, distance / 2) / distance
  return [round(x + (otherX - x) * share), round(y + (otherY - y) * share)]
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
