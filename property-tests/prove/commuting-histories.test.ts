/**
 * LAW-8, its second half, in every history: of two deliveries to two actors either comes first, and the same is left. Of two to one
 * actor the prover asks (`commuting.ts`): in 16,000 histories a hundred kinds of them made a difference, all of them of one actor.
 */
import fc from 'fast-check'
import { assign } from 'xstate'
import { expect, it } from 'vitest'
import { commands, lead } from '../arbitraries/histories.ts'
import { setting } from '../arbitraries/settings.ts'
import { liveThrough } from '../machines/history.ts'
import { alsoDo, rowsOn, withTable } from '../machines/rewrite.ts'
import type { Changed } from '../machines/world/world.ts'
import { isDependent, nameOf, pairsOfTwoActors } from './commuting.ts'
import { StateKeys } from './state-key.ts'

const numRuns = Number(process.env['STATEWRIGHT_COMMUTING_RUNS'] ?? 200)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)
const bounded = { timeout: 60_000 + numRuns * 500 }

interface Found {
  /** Worlds in which two actors had something to receive. */
  readonly asked: number
  /** The first pair that does not commute, with its history; empty: none. */
  readonly broken: string
}

function found(changed: Changed = {}): Found {
  const keys = new StateKeys()
  let asked = 0
  const property = fc.property(setting, lead, commands, (where, begin, history) => {
    const world = liveThrough(where, begin, history, changed)
    const pairs = pairsOfTwoActors(world)
    if (pairs.length > 0) asked++
    const pair = pairs.find((one) => isDependent(world, one, keys))
    if (pair !== undefined) throw new Error(`the order makes a difference of ${nameOf(world, pair)}`)
  })
  const { failed, errorInstance } = fc.check(property, { numRuns, seed })
  return { asked, broken: failed ? String(errorInstance) : '' }
}

it('keeps LAW-8 in every history: deliveries to two actors commute', bounded, () => {
  const { asked, broken } = found()
  expect(broken).toBe('')
  expect(asked).toBeGreaterThan(numRuns / 4)
})

it(
  'finds tables that know of each other beside their messages: whoever steps first has the lower number',
  bounded,
  () => {
    let steps = 0
    const count = assign(() => ({ asked: ++steps }) as never)
    const definitions = withTable('queue', (table) => alsoDo(rowsOn(table, 'queue.budgeted'), count))
    expect(found({ definitions }).broken).toContain('two actors: ')
  },
)
