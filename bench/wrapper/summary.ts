/** Every figure beyond the CLI's own time is a turn's time less the median of the CLI by itself in the same round. */
import { median, percentile } from '../kit/measure/percentile.ts'
import type { ContenderName, Results, TurnSample } from './results.ts'

export type Span = 'askedMs' | 'toldMs'

export function turnsOf(results: Results, contender: ContenderName, isPushed = false): readonly TurnSample[] {
  return results.turns.filter((turn) => turn.contender === contender && turn.isPushed === isPushed)
}

/** A round without the CLI's figure has none. */
export function beyondCli(results: Results, contender: ContenderName, span: Span, isPushed = false): readonly number[] {
  return besideCli(results, contender, span, isPushed).map(([ms, floor]) => ms - floor)
}

/** Of a turn's time without `sparedMs`, how many times that of the CLI by itself. */
export function timesCli(results: Results, contender: ContenderName, span: Span, sparedMs = 0): readonly number[] {
  return besideCli(results, contender, span, false).map(([ms, floor]) => (ms - sparedMs) / floor)
}

type Pair = readonly [ms: number, floor: number]

function besideCli(results: Results, contender: ContenderName, span: Span, isPushed: boolean): readonly Pair[] {
  return turnsOf(results, contender, isPushed).flatMap((turn): Pair[] => {
    const floor = median(
      turnsOf(results, 'cli')
        .filter(({ round }) => round === turn.round)
        .map((one) => one[span]),
    )
    return floor === undefined ? [] : [[turn[span], floor]]
  })
}

export function bootBeyondCli(results: Results, contender: ContenderName): readonly number[] {
  return bootsBesideCli(results, contender).map(([ms, floor]) => ms - floor)
}

export function bootTimesCli(results: Results, contender: ContenderName): readonly number[] {
  return bootsBesideCli(results, contender).map(([ms, floor]) => ms / floor)
}

function bootsBesideCli({ boots }: Results, contender: ContenderName): readonly Pair[] {
  return boots
    .filter((boot) => boot.contender === contender)
    .flatMap(({ round, readyMs }): Pair[] => {
      const floor = boots.find((boot) => boot.contender === 'cli' && boot.round === round)
      return floor ? [[readyMs, floor.readyMs]] : []
    })
}

/** How many times sooner ours tells the end of a turn, from the model's answer on; the CLI's own time included. */
export function timesSooner(results: Results): number | undefined {
  const rounds = new Set(results.turns.map(({ round }) => round))
  return median(
    [...rounds].flatMap((round) => {
      const of = (contender: ContenderName): number | undefined =>
        median(turnsOf(results, contender).flatMap((turn) => (turn.round === round ? turn.toldMs : [])))
      const [own, screen] = [of('own'), of('screen')]
      return own === undefined || screen === undefined ? [] : [screen / own]
    }),
  )
}

export function shareOf(
  turns: readonly TurnSample[],
  what: 'isHeardExactly' | 'isReportedExactly',
): number | undefined {
  return turns.length === 0 ? undefined : (turns.filter((turn) => turn[what]).length / turns.length) * 100
}

/** Resident after the last turn against after the first, of the worst round. */
export function growthMiB({ memory }: Results): number | undefined {
  return percentile(
    memory.map(({ earlyMiB, lateMiB }) => lateMiB - earlyMiB),
    1,
  )
}

export function residentMiB({ memory }: Results): number | undefined {
  return percentile(
    memory.map(({ lateMiB }) => lateMiB),
    1,
  )
}

/** As in every bench here: beyond, a ratio is still one and the rest is not to be believed. */
const mostForeignCores = 0.3

export function invalidity({ foreignCores }: Results): string[] {
  if (foreignCores <= mostForeignCores) return []
  return [`other programs used ${foreignCores.toFixed(2)} cores meanwhile (at most ${mostForeignCores})`]
}
