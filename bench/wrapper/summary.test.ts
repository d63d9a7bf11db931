import { expect, test } from 'vitest'
import { goalsOf } from './goals.ts'
import type { ContenderName, Results, TurnSample } from './results.ts'
import {
  beyondCli,
  bootBeyondCli,
  bootTimesCli,
  growthMiB,
  invalidity,
  shareOf,
  timesCli,
  timesSooner,
  turnsOf,
} from './summary.ts'

function aTurn(contender: ContenderName, round: number, toldMs: number, more: Partial<TurnSample> = {}): TurnSample {
  const shared = { isPushed: false, isHeardExactly: true, isReportedExactly: true, answer: 'line' as const }
  return { ...shared, contender, round, askedMs: 0, toldMs, ...more }
}

const results: Results = {
  foreignCores: 0.1,
  turns: [
    ...[100, 120, 110].map((ms) => aTurn('cli', 0, ms)),
    ...[200, 220].map((ms) => aTurn('cli', 1, ms)),
    aTurn('own', 0, 160),
    aTurn('own', 1, 310),
    aTurn('own', 1, 900, { isPushed: true }),
    aTurn('screen', 0, 2160),
    aTurn('screen', 1, 2310, { isReportedExactly: false }),
  ],
  boots: [
    { contender: 'cli', round: 0, readyMs: 4000 },
    { contender: 'own', round: 0, readyMs: 4700 },
    { contender: 'own', round: 1, readyMs: 9000 },
  ],
  memory: [
    { round: 0, earlyMiB: 100, lateMiB: 110, cliMiB: 290 },
    { round: 1, earlyMiB: 100, lateMiB: 104, cliMiB: 290 },
  ],
}

test('what is beyond the CLI is taken against the CLI of the same round', () => {
  expect(beyondCli(results, 'own', 'toldMs')).toEqual([50, 100])
  expect(beyondCli(results, 'own', 'toldMs', true)).toEqual([690])
})

test('a ratio to the CLI leaves out what is spared', () => {
  expect(timesCli(results, 'own', 'toldMs')).toEqual([160 / 110, 310 / 210])
  expect(timesCli(results, 'own', 'toldMs', 50)).toEqual([1, 260 / 210])
})

test('a boot counts only where the CLI was started alone in its round', () => {
  expect(bootBeyondCli(results, 'own')).toEqual([700])
  expect(bootTimesCli(results, 'own')).toEqual([1.175])
})

test('how much sooner an end is told is the median of the rounds', () => {
  expect(timesSooner(results)).toBeCloseTo((2160 / 160 + 2310 / 310) / 2)
})

test('exactness is a share of the turns, and of no turns there is none', () => {
  expect(shareOf(turnsOf(results, 'screen'), 'isReportedExactly')).toBe(50)
  expect(shareOf([], 'isReportedExactly')).toBeUndefined()
})

test('memory is told by its worst round', () => {
  expect(growthMiB(results)).toBe(10)
})

test('a run beside programs that use more than 0.3 cores says nothing', () => {
  expect(invalidity(results)).toEqual([])
  expect(invalidity({ ...results, foreignCores: 1.5 })).toEqual([
    'other programs used 1.50 cores meanwhile (at most 0.3)',
  ])
})

test('a run without the CLI by itself measures no goal that is taken against it', () => {
  const alone = { ...results, turns: turnsOf(results, 'own'), boots: [] }
  const measured = goalsOf(alone).filter(({ value }) => value !== undefined)
  expect(measured.map(({ name }) => name)).toEqual([
    'resident memory of the wrapper, at most',
    'messages that the model gets exactly',
    'answers that are reported exactly',
  ])
})
