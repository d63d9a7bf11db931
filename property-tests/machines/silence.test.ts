/**
 * LAW-14 over whole worlds: whatever happened, when nobody answers any more, no agent, wrapper, forge or human, timers and
 * the platform's own effects alone bring every Task to a park or an end, or to the queue, where it waits for a slot.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands, lead, type Lead } from '../arbitraries/histories.ts'
import { setting } from '../arbitraries/settings.ts'
import { liveThrough } from './history.ts'
import { state, withTable } from './rewrite.ts'
import { kindOf, taskIn, type Snapshot } from './world/trace.ts'
import type { Changed, Setting, World } from './world/world.ts'

const numRuns = Number(process.env['STATEWRIGHT_SILENT_RUNS'] ?? 25)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)

/** What the platform does by itself: it binds, starts and deletes; everything else waits for somebody. */
const own: ReadonlySet<string> = new Set(['bindVolumes', 'createPod', 'forceDeletePod', 'deleteWorkspace'])

/** A pod lives an hour and a stage three days: enough for every respawn of the longest. */
const longestSilence = 20_000

function isResting({ context, value }: Snapshot): boolean {
  const { class: stageClass } = taskIn({ context, value, status: '' }).stage
  const { pod } = value as { readonly pod?: unknown }
  return stageClass !== 'active' || pod === 'awaitingSlot'
}

function restless(world: World): readonly string[] {
  return [...world.actors.snapshots()]
    .filter(([address, snapshot]) => kindOf(address) === 'task' && snapshot.status === 'active' && !isResting(snapshot))
    .map(([address, { value }]) => `${address} ${JSON.stringify(value)}`)
}

/** One thing that happens without anybody; false: nothing is left. Polls are left out: unanswered, they only arm themselves again. */
function goesOn(world: World): boolean {
  const { actors } = world
  const [channel] = actors.channels
  const effect = actors.outbox.find(({ type }) => own.has(type))
  const timer = actors.timers.find(({ id, actor }) => !id.includes('.poll.') && kindOf(actor) !== 'project')
  if (channel !== undefined) actors.deliver(channel)
  else if (effect) world.perform(effect)
  else if (timer) actors.fire(timer)
  return channel !== undefined || effect !== undefined || timer !== undefined
}

/** Who stays restless after a history and a long silence, as one text. */
function silenced(runs: number, { changed = {}, settings = setting, leads = lead }: Partial<Where> = {}): string {
  const property = fc.property(settings, leads, commands, (where, begin, history) => {
    const world = liveThrough(where, begin, history, changed)
    for (let step = 0; step < longestSilence && goesOn(world); step++)
      if (step % 50 === 0 && restless(world).length === 0) return
    const left = restless(world)
    if (left.length > 0) throw new Error(left.join('\n'))
  })
  const found = fc.check(property, { numRuns: runs, seed })
  return found.failed ? `${fc.defaultReportMessage(found)}\n${String(found.errorInstance)}` : ''
}

interface Where {
  readonly changed: Changed
  readonly settings: fc.Arbitrary<Setting>
  readonly leads: fc.Arbitrary<Lead>
}

test(
  'LAW-14: in silence every Task comes to a park, an end or the queue',
  { timeout: 60_000 + numRuns * 5_000 },
  () => {
    expect(silenced(numRuns)).toBe('')
  },
)

test('LAW-14 notices when an opening waits for the forge for ever', { timeout: 60_000 }, () => {
  const definitions = withTable('task', (table) => {
    delete state(table, 'stage.live.active.reviewing.opening.asked')['after']
  })
  const settings = setting.map((any) => ({ ...any, issues: 'none' as const, hasAlert: true, other: 'none' as const }))
  const found = silenced(100, { changed: { definitions }, settings, leads: fc.constant('openMergeRequest' as const) })
  expect(found).toContain('"opening":"asked"')
})
