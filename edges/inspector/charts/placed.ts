/** Parts of a drawing, each with its states and lines from its own corner: what the generator and the page put together. */
import type { ChartLine, ChartState } from './chart.ts'
import type { Size } from './text-size.ts'

export interface Placed<State extends ChartState = ChartState> extends Size {
  readonly states: readonly State[]
  readonly lines: readonly ChartLine[]
}

export function moved<State extends ChartState>(part: Placed<State>, dx: number, dy: number): Placed<State> {
  return {
    ...part,
    states: part.states.map((state) => ({ ...state, x: state.x + dx, y: state.y + dy })),
    lines: part.lines.map((line) => ({
      ...line,
      points: line.points.map(([x, y]): [number, number] => [x + dx, y + dy]),
      ...(line.label === undefined ? {} : { label: { ...line.label, x: line.label.x + dx, y: line.label.y + dy } }),
    })),
  }
}

export function joined<State extends ChartState>(
  parts: readonly Placed<State>[],
): Pick<Placed<State>, 'states' | 'lines'> {
  return { states: parts.flatMap(({ states }) => states), lines: parts.flatMap(({ lines }) => lines) }
}
