/** How much room text takes. The generator has no font to measure, so widths are those of DejaVu Sans, the widest that the page names. */
import type { ChartMove } from './chart.ts'
import type { GraphState } from './graph.ts'

/** px per character of a name, at the sizes of `svg.ts`. */
const stateCharacter = 8.2
/** px of the small text. */
const smallSize = 10.5
/** Of the size: what most letters have, and those that have less or more. */
const widths = { most: 0.61, slim: 0.39, narrow: 0.31, wide: 0.96 }
export const lineHeight = 13
/** What does not fit is said in the facts beside the chart, and in the tooltip. */
const maxLines = 3

export interface Size {
  readonly width: number
  readonly height: number
}

function smallWidth(text: string): number {
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0
  const [slim, narrow, wide] = [count(/[frt()-]/g), count(/[ijl.,:' ]/g), count(/[mwMW]/g)]
  const most = text.length - slim - narrow - wide
  return smallSize * (widths.most * most + widths.slim * slim + widths.narrow * narrow + widths.wide * wide)
}

export function stateSize(state: Pick<GraphState, 'label' | 'fromAround'>, more: readonly string[] = []): Size {
  const notes = [...aroundLines(state.fromAround), ...more]
  const widest = Math.max(state.label.length * stateCharacter, ...notes.map(smallWidth))
  return { width: Math.ceil(Math.max(56, widest + 26)), height: 30 + notes.length * lineHeight }
}

/** The fold's sign and the number of states within, in characters of the name. */
const signLength = 5

/** With room for the sign of a branch that opens and folds. */
export function branchSize(state: Pick<GraphState, 'label' | 'fromAround'>, more: readonly string[] = []): Size {
  return stateSize({ ...state, label: state.label + ' '.repeat(signLength) }, more)
}

/** The rows from around, as lines of the box. */
export function aroundLines(fromAround: readonly string[]): readonly string[] {
  return shorten(fromAround).map((event) => `↳ ${event}`)
}

/** Eventless rows need no words: their line is dashed. */
export function lineText(moves: readonly ChartMove[]): string[] {
  const events = new Set(moves.flatMap((move) => move.events))
  return [...shorten([...events].filter((event) => event !== 'always'))]
}

export function labelSize(lines: readonly string[]): Size {
  return {
    width: Math.ceil(Math.max(...lines.map(smallWidth)) + 4),
    height: lines.length * lineHeight,
  }
}

export function shorten(lines: readonly string[], behind = ''): readonly string[] {
  if (lines.length <= maxLines) return lines
  return [...lines.slice(0, maxLines - 1), `${lines.length - maxLines + 1} more${behind}`]
}
