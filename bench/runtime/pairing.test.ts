import { describe, expect, it } from 'vitest'
import { contenders } from './contenders/contenders.ts'
import type { ContenderName } from './contenders/contenders.ts'
import { visitUntilNarrow } from './pairing.ts'
import type { Cell, Measured } from './measured.ts'

const names: readonly ContenderName[] = ['own-postgres', 'dbos-steps', 'restate-object', 'statement']
const cells: readonly Cell[] = contenders
  .filter(({ name }) => names.includes(name))
  .map((contender) => ({ contender, clients: 16 }))

/** Runs a plan over contenders that do so much in each round; gives who was measured in which round. */
async function visits(
  plan: { readonly rounds: number; readonly mostPairs: number },
  perSecond: (name: ContenderName, round: number) => number,
): Promise<string[][]> {
  const measured: Measured[] = []
  const seen: string[][] = []
  await visitUntilNarrow(plan, cells, measured, async ({ contender: { name }, clients }, round) => {
    ;(seen[round] ??= []).push(name)
    const result = { operations: 1, seconds: 1, perSecond: perSecond(name, round), cpuUs: 1, foreignCores: 0 }
    measured.push({ contender: name, clients, round, result })
  })
  return seen
}

describe('the rounds of a run', () => {
  it('end with the first six pairs when all of them agree', async () => {
    const seen = await visits({ rounds: 3, mostPairs: 12 }, () => 100)
    expect(seen).toHaveLength(6)
  })
  it('measure what no ratio needs as often as the plan asks', async () => {
    const seen = await visits({ rounds: 3, mostPairs: 12 }, () => 100)
    expect(seen.filter((round) => round.includes('statement'))).toHaveLength(3)
  })
  it('go on with both cells of a ratio that stays wide, in turn, and end', async () => {
    const noisy = (name: ContenderName, round: number): number => (name === 'dbos-steps' ? 100 + 50 * (round % 2) : 100)
    const seen = await visits({ rounds: 3, mostPairs: 12 }, noisy)
    expect(seen).toHaveLength(12)
    expect(seen.slice(6)).toEqual(
      Array.from({ length: 6 }, (_, index) =>
        index % 2 === 0 ? ['own-postgres', 'dbos-steps'] : ['dbos-steps', 'own-postgres'],
      ),
    )
  })
  it('are those of the plan where nothing may be repeated', async () => {
    expect(await visits({ rounds: 1, mostPairs: 1 }, () => 100)).toHaveLength(1)
  })
})
