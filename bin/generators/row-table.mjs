// The rows of a machine as a table: which event finds which row in which state, and where somebody wrote it.
import { posix } from 'node:path'
import { written } from './row-places.mjs'

const says = [
  '### Rows',
  '',
  'An event tries the rows of each state that the actor is in, from the innermost state outwards, and the rows of a state from above.',
  'The first row whose guard is true counts. A row without a target stays.',
  '',
  '| event | in | if | to | row |',
  '|---|---|---|---|---|',
]

/**
 * One line for each row, in the order in which an event tries them; states with the same rows for an event share lines.
 * @param machine with the marks of `row-places.mjs`
 * @param {string} folder of the machine: the places are given from there
 */
export function rowTable({ root }, folder) {
  const groups = new Map()
  for (const state of [root, ...below(root)])
    for (const [event, transitions] of transitionsOf(state)) {
      const rows = transitions.map((transition) => cellsOf(transition, folder))
      const key = JSON.stringify([event, rows])
      const { states = [] } = groups.get(key) ?? {}
      groups.set(key, { event, rows, states: [...states, nameOf(state)] })
    }
  const sorted = [...groups.values()].toSorted((one, other) =>
    rankOf(one.event).localeCompare(rankOf(other.event), 'en'),
  )
  const lines = sorted.flatMap(({ event, states, rows }) =>
    rows.map((row) => lineOf([event, states.join(', '), ...row])),
  )
  return [...says, ...lines, ''].join('\n')
}

function below(state) {
  return Object.values(state.states).flatMap((child) => [child, ...below(child)])
}

/** By event; a timer goes by its name. */
function transitionsOf({ transitions, always = [] }) {
  const named = [...transitions].map(([type, rows]) => {
    const [, timer] = /^xstate\.after\.([^.]+)\./.exec(type) ?? []
    return [timer === undefined ? type : `after ${timer}`, rows]
  })
  return always.length === 0 ? named : [...named, ['at once', always]]
}

function cellsOf({ target = [], [written]: { file, line, guard } }, folder) {
  const condition = guard === undefined ? '' : `\`${guardText(guard)}\``
  return [condition, target.map(nameOf).join(', '), `\`${posix.relative(folder, file)}:${line}\``]
}

/** What it asks, without the arrow around it. */
function guardText(source) {
  const [, inner = source] = /^when\((.*)\)$/s.exec(source) ?? []
  return inner.replace(/^\([^)]*\) => /, '').replaceAll(/\s+/g, ' ')
}

function nameOf({ path }) {
  return `\`${path.slice(path.length > 1 ? 1 : 0).join('.')}\``
}

/** Events first, then timers, then what needs neither. */
function rankOf(event) {
  return event === 'at once' ? `2${event}` : `${event.startsWith('after ') ? 1 : 0}${event}`
}

function lineOf(cells) {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
