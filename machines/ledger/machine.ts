/**
 * What the agents of one Project may spend, and have (LEDGER, docs/rules.md): every metered turn reserves before it begins
 * and settles after it ended, under the turn's own id. Upheld here: spent and reserved together never exceed a limit,
 * as long as no turn uses more than was reserved for it; a settlement counts once; what nobody can tell counts in full.
 * A refused turn never ends its Task: it is held, and goes on with the next day or with a maintainer's word.
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { untilNextDay } from '../rules/spending.ts'
import { newLedger, type LedgerContext } from './context.ts'
import { ledgerActions } from './decisions.ts'
import type { LedgerEvent } from './events.ts'

export const ledgerMachine = setup({
  types: { context: {} as LedgerContext, events: {} as LedgerEvent, input: {} as MachineInput },
  actions: ledgerActions,
  delays: { nextDay: ({ context }) => untilNextDay(context.at) },
  guards: { holds: ({ context }) => context.held.length > 0, holdsNobody: ({ context }) => context.held.length === 0 },
}).createMachine({
  id: 'ledger',
  context: ({ input }) => newLedger(input.id),
  initial: 'open',
  on: {
    'ledger.configured': { actions: 'configure' },
    'reservation.asked': { actions: 'ask' },
    'reservation.settled': { actions: 'close' },
    'raise.asked': { actions: 'raise' },
    'task.settled': { actions: 'forget' },
  },
  states: {
    open: {
      meta: { owner: 'platform', reason: 'turns reserve and settle', unblocks: 'nothing: it stops no Task' },
      always: { guard: 'holds', target: 'spentToday' },
    },
    spentToday: {
      meta: {
        owner: 'maintainer',
        reason: "the day's limit stops Tasks",
        unblocks: 'the next day of UTC, a higher limit, or `/budget +N`',
      },
      always: { guard: 'holdsNobody', target: 'open' },
      after: { nextDay: { target: 'open', actions: 'beginDay' } },
    },
  },
})

export const ledgerDefinition: MachineDefinition = {
  kind: 'ledger',
  version: 1,
  machine: ledgerMachine,
  createdBy: ['ledger.configured', 'reservation.asked'],
  upgrades: {},
}
