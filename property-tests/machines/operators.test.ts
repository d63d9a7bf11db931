/**
 * Histories in which operators hold and retry Tasks, and pause and resume Projects, apart from the others: the laws hold there
 * too, and no word but a retry moves a held Task (PARK-14).
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandsWithOperators } from '../arbitraries/histories.ts'
import { setting } from '../arbitraries/settings.ts'
import { inEveryHistory } from './history.ts'
import { brokenLaws } from './laws.ts'
import { setRows, state, withTable } from './rewrite.ts'
import { stepsOf, story, taskIn, type Trace } from './world/trace.ts'
import type { Changed } from './world/world.ts'

const numRuns = Number(process.env['STATEWRIGHT_OPERATOR_RUNS'] ?? 60)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261126)

/** Its owner takes it back, or nothing of it is left to work on. */
const ends: ReadonlySet<string> = new Set(['rejected', 'delivered'])

function leavesHold(trace: Trace): readonly string[] {
  return stepsOf(trace, 'task').flatMap(({ actor, before, after, event }) => {
    if (before === undefined || taskIn(before).stage.reason !== 'held') return []
    const { class: stageClass, name, reason } = taskIn(after).stage
    const isHeld = stageClass === 'parked' && reason === 'held'
    return isHeld || event.type === 'task.retry' || ends.has(name) ? [] : [`${actor}: ${event.type} moves a held Task`]
  })
}

function found(changed: Changed = {}, runs = numRuns): string {
  const property = inEveryHistory(
    (trace) => [...brokenLaws(trace), ...leavesHold(trace)],
    (trace, breaches) => new Error(`${breaches.slice(0, 5).join('\n')}\n${story(trace)}`),
    changed,
    setting,
    commandsWithOperators,
  )
  const { failed, errorInstance } = fc.check(property, { numRuns: runs, seed, endOnFailure: failsFast(changed) })
  return failed ? String(errorInstance) : ''
}

/** What is changed breaks; nobody reads its smallest story. */
function failsFast({ definitions }: Changed): boolean {
  return definitions !== undefined
}

test('the laws hold where operators hold, retry, pause and resume', { timeout: 60_000 + numRuns * 1000 }, () => {
  expect(found()).toBe('')
})

test.each([
  ['a comment', 'human.commented'],
  ['a new head', 'mr.headMoved'],
])('PARK-14 notices when %s moves a held Task', { timeout: 120_000 }, (_word, event) => {
  const definitions = withTable('task', (table) =>
    setRows(state(table, 'stage.live.parked.awaiting-human'), event, [{ target: '#reviewing.fresh' }]),
  )
  expect(found({ definitions }, 2000)).toContain(`${event} moves a held Task`)
})
