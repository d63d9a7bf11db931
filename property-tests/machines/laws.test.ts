import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inEveryHistory } from './history.ts'
import { brokenLaws, laws } from './laws.ts'
import { story } from './world/trace.ts'

/** STATEWRIGHT_RUNS asks for more, STATEWRIGHT_SEED for another corner of the space. */
const numRuns = Number(process.env['STATEWRIGHT_RUNS'] ?? 300)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)

test(
  `in every history of a world of Tasks, pods, turns, issues and merge requests hold the laws ${laws.map(({ number }) => number).join(', ')}`,
  { timeout: 60_000 + numRuns * 500 },
  () => {
    const property = inEveryHistory(
      brokenLaws,
      (trace, breaches) => new Error(`${breaches.slice(0, 5).join('\n')}\n${story(trace)}`),
    )
    const found = fc.check(property, { numRuns, seed })
    expect(found.failed ? `${fc.defaultReportMessage(found)}\n${String(found.errorInstance)}` : '').toBe('')
  },
)
