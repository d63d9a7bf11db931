/** What a click in the chart shows: a state's words, timers and rows, or the rows that a line stands for. */
import { h, type ComponentChild } from 'preact'
import type { Chart, ChartLine, ChartRow, ChartState } from '../../charts/chart.ts'
import { shorten } from '../../charts/text-size.ts'
import { movesOn, sentence } from '../actor/facts.ts'
import { lineId } from './fold.ts'

interface TableRow extends ChartRow {
  readonly source: string
}

/** @param selected a state's id, or a line's. */
export function chartTable(
  chart: Chart | null | undefined,
  selected: string | undefined,
  onClose: () => void,
): ComponentChild {
  const state = chart?.states.find(({ id }) => id === selected)
  if (state !== undefined) return card(state.id, onClose, stateTable(state))
  const line = chart?.lines.find((each) => lineId(each) === selected)
  if (!chart || line === undefined) return null
  return card(`${line.source} → ${line.target}`, onClose, [rowList(rowsOf(chart, line), line)])
}

/** The rows that a line stands for, inner ones too. */
function rowsOf({ states }: Pick<Chart, 'states'>, { moves }: Pick<ChartLine, 'moves'>): readonly TableRow[] {
  return moves.flatMap(({ source, target, events }) =>
    (states.find(({ id }) => id === source)?.rows ?? [])
      .filter((row) => row.target === target && events.includes(row.event))
      .map((row) => ({ ...row, source })),
  )
}

/** For who hears the chart: as many rows as a line has words for, then how many more the table has. */
export function lineName(chart: Pick<Chart, 'states'>, line: ChartLine): string {
  const rows = rowsOf(chart, line).map(
    ({ event, source, target, guard }) =>
      `${event} from ${source} to ${target}${guard === undefined ? '' : `, if ${guard}`}`,
  )
  return shorten(rows, ` from ${line.source} to ${line.target}`).join('; ')
}

function card(title: string, onClose: () => void, content: readonly ComponentChild[]): ComponentChild {
  return h('div', { class: 'card table', key: 'selected' }, [
    h('h3', null, [
      h('span', null, breakable(title)),
      h('button', { class: 'close', 'aria-label': 'Close the table of this state', onClick: onClose }, '×'),
    ]),
    ...content,
  ])
}

function stateTable({ id, owner, reason, unblocks, rows, fromAround }: ChartState): readonly ComponentChild[] {
  const timers = rows.filter(({ event }) => event.startsWith('after '))
  return [
    owner === undefined ? null : h('p', null, [h('span', { class: 'owner' }, owner), ' can move it']),
    reason === undefined ? null : h('p', null, sentence(reason)),
    unblocks === undefined ? null : movesOn(unblocks),
    timers.length === 0 ? null : h('p', null, `Timers: ${timers.map(({ event }) => event).join(', ')}.`),
    fromAround.length === 0 ? null : h('p', null, `States around it lead here by ${fromAround.join(', ')}.`),
    rows.length === 0
      ? h('p', { class: 'empty' }, 'It takes nothing of its own; the states around it may.')
      : rowList(rows.map((row) => ({ ...row, source: id }))),
  ]
}

/**
 * A list of names and values: columns beside each other would break their words in a frame as narrow as this.
 * @param ends of a line, in the title already: its rows name what lies inside of them.
 */
function rowList(rows: readonly TableRow[], ends?: Pick<ChartLine, 'source' | 'target'>): ComponentChild {
  return h(
    'ul',
    { class: 'plain rows' },
    rows.map(({ source, event, guard, actions, target }) =>
      h('li', null, [
        h('b', null, breakable(event)),
        h('dl', null, [
          part('in', ends && inside(ends.source, source)),
          part('guard', guard),
          part('actions', actions?.join(', ')),
          part('leads to', ends ? inside(ends.target, target) : target),
        ]),
      ]),
    ),
  )
}

function part(name: string, text: string | undefined): ComponentChild {
  return text === undefined ? null : h('div', null, [h('dt', null, name), h('dd', null, breakable(text))])
}

/** A line has the moves of both ways: of the other way a row begins inside the other end, and has its whole name. */
export function inside(frame: string, id: string | undefined): string | undefined {
  if (id === frame) return undefined
  return id?.startsWith(`${frame}.`) === true ? id.slice(frame.length + 1) : id
}

/** Ids and calls have no spaces: they break behind their dots and brackets. */
function breakable(text: string): ComponentChild {
  return text.split(/(?<=[.(])(?=\w)/).map((word, index) => (index === 0 ? word : [h('wbr', null), word]))
}
