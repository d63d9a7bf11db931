/** What befalls the memory stacks of a life. Dice of their own: what else a seed makes stays what it was. */
import { dice } from '../../runtime/simulation/dice.ts'
import { troubledMs, type CrashFault, type Fault, type StackFault, type StackPlan } from '../plan.ts'
import { stackPoints } from '../points.ts'

/** Every second life has stacks. */
const every = 2
/** How many points of stacks such a life aims at, far apart in their list. */
const aims = 4

export function stackPlan(seed: number): StackPlan | undefined {
  if (seed % every !== 0) return undefined
  const roll = dice(seed, 'stacks')
  const endsAtMs = roll.weighted([
    [2, roll.whole(1000, 60_000)],
    [2, roll.whole(60_000, 400_000)],
  ])
  return {
    profile: roll.pick(['light', 'full']),
    operatorAtMs: roll.weighted([
      [2, undefined],
      [2, 0],
      [1, roll.whole(1000, 300_000)],
    ]),
    isOfDemo: roll.chance(0.5),
    readyMs: roll.weighted([
      [6, roll.whole(500, 20_000)],
      [1, roll.whole(300_000, 900_000)],
    ]),
    losses: Array.from({ length: roll.whole(0, 3) }, () => ({
      atMs: roll.whole(1000, troubledMs - 1000),
      part: roll.pick(['postgres', 'neo4j', 'lightrag', 'service']),
      how: roll.pick(['stops', 'deleted']),
      forMs: roll.whole(5000, 120_000),
    })),
    ends: roll.chance(0.6)
      ? {
          atMs: endsAtMs,
          how: roll.pick(['deleted', 'unwanted']),
          backMs: roll.chance(0.5) ? roll.whole(500, 90_000) : undefined,
        }
      : undefined,
  }
}

/** Which points it dies at is counted off, so that all have their turn; and some requests get lost. */
export function stackFaults(seed: number): readonly Fault[] {
  if (seed % every !== 0) return []
  const roll = dice(seed, 'faults of stacks')
  const [turn, stride] = [seed / every, Math.ceil(stackPoints.length / aims)]
  const crashes = Array.from({ length: aims }, (_, index): CrashFault => {
    const point = stackPoints[(turn + index * stride) % stackPoints.length]!
    return { kind: 'crash', point, nth: roll.chance(0.7) ? 1 : roll.whole(2, 8), restartMs: 500 }
  })
  const lost = Array.from({ length: roll.whole(0, 4) }, (): StackFault => {
    return { kind: 'stack', what: roll.pick(['unsent', 'unanswered']), nth: roll.whole(1, 200) }
  })
  return [...crashes, ...lost]
}
