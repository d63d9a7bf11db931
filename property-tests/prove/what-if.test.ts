/** What-if over journals that real machines lived: against the same tables nothing differs, against others what should. */
import { expect, it } from 'vitest'
import { machines } from '../../machines/registry.ts'
import { whatIf } from '../../runtime/journal/bundle/what-if.ts'
import { machineHash } from '../../runtime/step/machine-hash.ts'
import { rowsOn, setRows, state, withTable } from '../machines/rewrite.ts'
import { journalsOf } from './journals.ts'

const task = machines.find(({ kind }) => kind === 'task')!
const known = { definition: task, hash: machineHash(task) }
const journals = Array.from({ length: 25 }, (_, seed) => journalsOf(seed, known.hash)).flat()

it('no Task ends differently by the tables that it was lived by', () => {
  expect(journals.length).toBeGreaterThan(25)
  const all = journals.map((journal) => whatIf(known, journal))
  expect(all.filter(({ first, endsDifferently }) => first || endsDifferently)).toEqual([])
  expect(all.reduce((sum, { steps }) => sum + steps, 0)).toBe(journals.flatMap(({ events }) => events).length)
})

it('a Task ends differently by tables that decide otherwise, and the first such event is named', () => {
  const [definition] = withTable('task', (table) =>
    setRows(state(table, 'stage.live'), 'outcome', rowsOn(state(table, 'stage.live'), 'outcome').slice(-1)),
  ).filter(({ kind }) => kind === 'task')
  const other = { definition: definition!, hash: 'another' }
  const different = journals.map((journal) => whatIf(other, journal)).filter(({ endsDifferently }) => endsDifferently)
  expect(different.length).toBeGreaterThan(5)
  for (const { first } of different) expect(first?.event).toBe('outcome')
})
