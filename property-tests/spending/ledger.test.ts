import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drive, sent } from '../../machines/drive.ts'
import { accountsOf, type LedgerContext } from '../../machines/ledger/context.ts'
import { ledgerMachine } from '../../machines/ledger/machine.ts'

const tokensPerTurn = 10
const tasks = ['a', 'b', 'c'] as const

type Act =
  | {
      readonly does: 'ask' | 'settle' | 'settle again'
      readonly task: string
      readonly turn: number
      readonly tokens: number | null
    }
  | { readonly does: 'raise'; readonly task: string; readonly amount: number }
  | { readonly does: 'time passes'; readonly hours: number }
  | { readonly does: 'ends'; readonly task: string }

const task = fc.constantFrom(...tasks)
const tokens = fc.oneof(fc.integer({ min: 0, max: tokensPerTurn }), fc.constant(null))
const turns = fc.record({
  does: fc.constantFrom('ask' as const, 'ask' as const, 'settle' as const, 'settle' as const, 'settle again' as const),
  task,
  turn: fc.nat(9),
  tokens,
})
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: turns },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('raise' as const), task, amount: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('time passes' as const), hours: fc.constantFrom(1, 13, 25) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('ends' as const), task }) },
)
const limit = fc.constantFrom(0, 15, 40, 100)
const limits = fc.record({
  tokensPerTask: limit,
  tokensPerDay: limit,
  tokensPerProject: limit,
  maxRaisePerDay: fc.constantFrom(0, 20),
})

test('whatever turns ask and settle, in any order and again: nothing is granted beyond a limit, no Task is ended, and each settlement counts once', () => {
  fc.assert(
    fc.property(limits, fc.array(act, { maxLength: 60, size: 'max' }), (given, acts) => {
      const ledger = drive(ledgerMachine, 'default/demo', Date.UTC(2026, 0, 2))
      ledger.send({ type: 'ledger.configured', limits: { tokensPerTurn, ...given } })
      const granted = new Map<string, number>()
      const settled = new Map<string, number>()
      for (const one of acts) {
        if (one.does === 'time passes') ledger.pass(one.hours * 3_600_000)
        else {
          const effects = ledger.send(eventOf(one))
          for (const { params } of effects) {
            if (params.event.type !== 'reservation.granted') continue
            granted.set(params.to, (granted.get(params.to) ?? 0) + 1)
            // What a maintainer added ends with the day, what was reserved by it does not: a limit holds when it is asked.
            for (const { limit: most, spent, reserved } of accountsOf(
              ledger.context as LedgerContext,
              ownerOf(params.to),
            ))
              if (most > 0) expect(spent + reserved).toBeLessThanOrEqual(most)
          }
          if ('turn' in one && one.does !== 'ask') keepFirst(settled, granted, one)
          expect(sent(effects, 'task').every(({ type }) => type.startsWith('budget.'))).toBe(true)
        }
      }
      const total = [...settled.values()].reduce((sum, count) => sum + count, 0)
      expect((ledger.context as LedgerContext).total.spent).toBe(total)
    }),
    { numRuns: 300 },
  )
})

function ownerOf(turn: string): string {
  return turn.slice('turn:'.length, turn.indexOf('/'))
}

/** What the ledger has to have counted: the first settlement of each grant. */
function keepFirst(
  settled: Map<string, number>,
  granted: Map<string, number>,
  { task: name, turn, tokens: used }: { readonly task: string; readonly turn: number; readonly tokens: number | null },
): void {
  const address = `turn:${name}/${turn}`
  const round = `${address} ${granted.get(address) ?? 0}`
  if (granted.has(address) && !settled.has(round)) settled.set(round, used ?? tokensPerTurn)
}

function eventOf(one: Exclude<Act, { readonly does: 'time passes' }>): {
  readonly type: string
  readonly [field: string]: unknown
} {
  if (one.does === 'raise') return { type: 'raise.asked', task: one.task, by: 'maya', amount: one.amount }
  if (one.does === 'ends') return { type: 'task.settled', task: one.task }
  if (one.does === 'ask') return { type: 'reservation.asked', turn: `${one.task}/${one.turn}`, task: one.task }
  return { type: 'reservation.settled', turn: `${one.task}/${one.turn}`, tokens: one.tokens }
}
