/**
 * LAW-13 over whole worlds: whatever happened, `task.retry` alone leads from every park to an active stage, and so does a
 * maintainer's comment from those parks that any comment of theirs releases.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands, lead } from '../arbitraries/histories.ts'
import { setting } from '../arbitraries/settings.ts'
import { liveThrough } from './history.ts'
import { dropRows, state, withTable } from './rewrite.ts'
import { kindOf, taskIn } from './world/trace.ts'
import type { Changed } from './world/world.ts'

const numRuns = Number(process.env['STATEWRIGHT_PARKED_RUNS'] ?? 150)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)

/** Nobody re-enters it: what was declined is begun by a new Task (PARK-5). */
const noReentry = 'implement-declined'

const retry = { type: 'task.retry', by: 'maya' }
const comment = {
  ...{ type: 'human.commented', repository: 'lib', number: 1, author: 'maya', kind: 'issue_comment' },
  ...{ maintainer: true, on: 'issue', text: 'go on' },
}

/** At `awaiting-human` the reason decides which word releases it. */
const leftByComment: ReadonlySet<string> = new Set(['backlog-sweep', 'identity-unverified'])

interface Found {
  /** The parks that the histories came to. */
  readonly met: ReadonlySet<string>
  /** The first one that is not left, with its history; empty: none. */
  readonly stuck: string
}

function parksLeft(runs: number, changed: Changed = {}): Found {
  const met = new Set<string>()
  const property = fc.property(setting, lead, commands, (where, begin, history) => {
    const world = liveThrough(where, begin, history, changed)
    for (const [address, snapshot] of world.actors.snapshots()) {
      if (kindOf(address) !== 'task' || taskIn(snapshot).stage.class !== 'parked') continue
      const { name: stage } = taskIn(snapshot).stage
      if (stage === noReentry) continue
      met.add(stage)
      for (const event of leftByComment.has(stage) ? [retry, comment] : [retry]) {
        const alone = world.fork()
        alone.actors.ask({ to: address, key: 'alone', event: { ...event, at: alone.actors.now } })
        if (taskIn(alone.actors.snapshot(address)!).stage.class !== 'active')
          throw new Error(`${stage} is not left by ${event.type}`)
      }
    }
  })
  const found = fc.check(property, { numRuns: runs, seed })
  return { met, stuck: found.failed ? `${String(found.errorInstance)}\n${fc.defaultReportMessage(found)}` : '' }
}

test(
  'LAW-13: a retry alone leaves every park that histories come to, and a comment those that it releases',
  { timeout: 120_000 },
  () => {
    const { met, stuck } = parksLeft(numRuns)
    expect(stuck).toBe('')
    expect([...met].toSorted()).toEqual(['awaiting-human', 'backlog-sweep', 'identity-unverified', 'operator-error'])
  },
)

test.each([
  ['awaiting-human', 'task.retry'],
  ['identity-unverified', 'human.commented'],
])('LAW-13 notices when %s is not left by %s', { timeout: 120_000 }, (park, event) => {
  const definitions = withTable('task', (table) => dropRows(state(table, `stage.live.parked.${park}`), event))
  expect(parksLeft(numRuns, { definitions }).stuck).toContain(`${park} is not left by ${event}`)
})
