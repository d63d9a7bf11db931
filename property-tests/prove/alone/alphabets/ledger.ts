import type { LedgerContext } from '../../../../machines/ledger/context.ts'
import type { TimelessEvent } from '../walk.ts'

function configured(limits: Readonly<Record<string, number>>): TimelessEvent {
  const none = { tokensPerTurn: 10, tokensPerTask: 0, tokensPerDay: 0, tokensPerProject: 0, maxRaisePerDay: 0 }
  return { type: 'ledger.configured', limits: { ...none, ...limits } }
}

export const ledgerBirths: readonly TimelessEvent[] = [
  configured({ tokensPerTask: 25, maxRaisePerDay: 20 }),
  configured({ tokensPerDay: 25, maxRaisePerDay: 20 }),
  configured({ tokensPerProject: 25 }),
  { type: 'reservation.asked', turn: 'default/a/1/0', task: 'default/a' },
]

export function ledgerWords(context: object): readonly TimelessEvent[] {
  const { reservations, waiting } = context as LedgerContext
  const turns = [...reservations, ...waiting].map(({ turn }) => turn)
  return [
    ...ledgerBirths,
    configured({}),
    ...['a', 'b'].flatMap((name): readonly TimelessEvent[] => [
      { type: 'reservation.asked', turn: `default/${name}/1/0`, task: `default/${name}` },
      { type: 'reservation.asked', turn: `default/${name}/1/1`, task: `default/${name}` },
      { type: 'raise.asked', task: `default/${name}`, by: 'maya', amount: 8 },
      { type: 'raise.asked', task: `default/${name}`, by: 'maya', amount: 30 },
      { type: 'task.settled', task: `default/${name}` },
    ]),
    ...[...turns, 'unknown'].flatMap((turn) =>
      [0, 7, 40, null].map((tokens) => ({ type: 'reservation.settled', turn, tokens })),
    ),
  ]
}
