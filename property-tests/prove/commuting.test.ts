/** LAW-8, second half, and its negative controls in both directions. */
import { assign } from 'xstate'
import { expect, it } from 'vitest'
import { alsoDo, dropRows, rowsOn, withTable } from '../machines/rewrite.ts'
import { commutingBreaches, dependent } from './commuting.ts'
import { dependentPairs } from './dependent-pairs.ts'

const bounded = { timeout: 120_000 }

it('keeps LAW-8: of all that may come in two orders only what is listed makes a difference', bounded, () => {
  expect(commutingBreaches()).toEqual([])
})

it('finds a pair that nobody listed: a queue that forgets its sequence when it opens', bounded, () => {
  const definitions = withTable('queue', (table) =>
    alsoDo(rowsOn(table, 'queue.opened'), assign({ entries: [], sequence: 0 } as never)),
  )
  const unlisted = dependent({ definitions }, ['alerts']).filter((pair) => !dependentPairs.includes(pair))
  expect(unlisted.join('\n')).toContain('queue: ')
})

it('finds a listed pair that makes no difference: a queue that hears of no budget', bounded, () => {
  const definitions = withTable('queue', (table) => dropRows(table, 'queue.budgeted'))
  expect(commutingBreaches({ definitions }).join('\n')).toContain('the order makes none of queue: queue.budgeted')
})
