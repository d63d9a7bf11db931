/** What a click in the chart shows: a state's words, timers and rows, or the rows that a line stands for. */
import { h, type ComponentChild } from 'preact'
import type { Chart, ChartLine, ChartRow, ChartState } from '../charts/chart.ts'
import { lineId } from './chart-view.ts'
import { movesOn, sentence } from './facts.ts'

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
  return card(`${line.source} → ${line.target}`, onClose, [rowsTable(rowsOf(chart, line), true)])
}

/** The rows that a line stands for, inner ones too. */
function rowsOf({ states }: Pick<Chart, 'states'>, { moves }: Pick<ChartLine, 'moves'>): readonly TableRow[] {
  return moves.flatMap(({ source, target, events }) =>
    (states.find(({ id }) => id === source)?.rows ?? [])
      .filter((row) => row.target === target && events.includes(row.event))
      .map((row) => ({ ...row, source })),
  )
}

function card(title: string, onClose: () => void, content: readonly ComponentChild[]): ComponentChild {
  return h('div', { class: 'card table', key: 'selected' }, [
    h('h3', null, [
      title,
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
      : rowsTable(
          rows.map((row) => ({ ...row, source: id })),
          false,
        ),
  ]
}

function rowsTable(rows: readonly TableRow[], isOfLine: boolean): ComponentChild {
  const heads = [...(isOfLine ? ['in'] : []), 'event', 'guard', 'actions', 'leads to']
  return h('table', null, [
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        heads.map((head) => h('th', { scope: 'col' }, head)),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map(({ source, event, guard, actions = [], target }) =>
        h('tr', null, [
          isOfLine ? h('td', null, source) : null,
          h('td', null, event),
          h('td', null, guard ?? '–'),
          h('td', null, actions.length === 0 ? '–' : actions.join(', ')),
          h('td', null, target ?? '–'),
        ]),
      ),
    ),
  ])
}
