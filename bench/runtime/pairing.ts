/** Which cells a run measures once more: both of each ratio whose interval is not narrow. */
import { visitInTurn, interleave } from '../kit/measure/interleave.ts'
import { intervalOf, isNarrow } from '../kit/measure/interval.ts'
import { ratioGoals } from './tables/ratio-goals.ts'
import type { RatioGoal } from './tables/ratio-goals.ts'
import type { Plan } from './plan.ts'
import { ratiosOf } from './tables/summary.ts'
import type { Cell, Measured } from './measured.ts'

/** `visit` adds to `measured`. Bounded: some ratios stay wide for as long as others work on the machine. */
export async function visitUntilNarrow(
  { rounds, mostPairs }: Pick<Plan, 'rounds' | 'mostPairs'>,
  cells: readonly Cell[],
  measured: readonly Measured[],
  visit: (cell: Cell, round: number) => Promise<void>,
): Promise<void> {
  await interleave(rounds, cells, visit)
  for (let round = rounds; round < mostPairs; round++) await visitInTurn(round, cellsToPair(cells, measured), visit)
}

function cellsToPair(cells: readonly Cell[], measured: readonly Measured[]): Cell[] {
  const wide = ratioGoals.filter((ratio) => isAsked(ratio, cells) && !isKnown(ratio, measured))
  return cells.filter(({ contender, clients }) =>
    wide.some((ratio) => ratio.clients === clients && ratio.pair.includes(contender.name)),
  )
}

function isAsked({ pair, clients }: RatioGoal, cells: readonly Cell[]): boolean {
  return pair.every((name) => cells.some((cell) => cell.contender.name === name && cell.clients === clients))
}

function isKnown({ pair, clients, metric }: RatioGoal, measured: readonly Measured[]): boolean {
  return isNarrow(intervalOf(ratiosOf(measured, pair, clients, metric)))
}
