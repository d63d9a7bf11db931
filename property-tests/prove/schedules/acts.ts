/** Random histories of the world of schedules: surroundings that answer, are silent, pause it and let time pass. */
import fc from 'fast-check'
import { settingsWith } from '../../../machines/testing/a-project.ts'
import type { ScheduleSettings } from '../../../machines/project/events.ts'
import type { Trace } from '../../machines/world/trace.ts'
import type { Changed } from '../../machines/world/world.ts'
import type { ScheduleHistory } from './history.ts'
import { schedulePast } from './history.ts'
import { scheduleLaws } from './laws.ts'
import { minute, project, ScheduleWorld, type Found } from './world.ts'

const schedule = '*/10 * * * *'

/** Everything at once, with caps that a few minutes reach. */
const settings: ScheduleSettings = settingsWith({
  maxNewTasksPerSweep: 2,
  maxOpenTasks: 4,
  issueScan: { schedule, maxPerRepo: 9 },
  brainstorm: { schedule, targetOpenProposals: 3, minSessionIntervalMs: 25 * minute, guidance: '' },
  documentation: { schedule, maxPerRepo: 1 },
  upgrade: { schedule, maxOpenUpgrades: 2 },
})

export type Act =
  | { readonly act: 'fire' | 'mail' | 'end'; readonly index: number }
  | { readonly act: 'answer'; readonly index: number; readonly found: Found; readonly fresh: number }
  | { readonly act: 'pass'; readonly ms: number }
  | { readonly act: 'apply'; readonly agents: number }
  | { readonly act: 'check'; readonly ready: boolean }

const index = fc.nat(5)
const found = fc.record({ issues: fc.nat(4), mergeRequests: fc.nat(3), open: fc.nat(5), parked: fc.nat(2) })
// An issue that is new wants a refine first: mostly there is none.
const fresh = fc.constantFrom(0, 0, 0, 1)

const weighted: readonly (readonly [number, fc.Arbitrary<Act>])[] = [
  [6, fc.record({ act: fc.constant('fire' as const), index })],
  [12, fc.record({ act: fc.constant('answer' as const), index, found, fresh })],
  [12, fc.record({ act: fc.constant('mail' as const), index })],
  [4, fc.record({ act: fc.constant('end' as const), index })],
  // A few minutes, or a night in which nobody was there.
  [2, fc.record({ act: fc.constant('pass' as const), ms: fc.constantFrom(minute, 400_000, 600 * minute) })],
  [1, fc.record({ act: fc.constant('apply' as const), agents: fc.constantFrom(0, 2, 2) })],
  [1, fc.record({ act: fc.constant('check' as const), ready: fc.constantFrom(true, true, false) })],
]

export const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))),
  { minLength: 60, maxLength: 200, size: 'max' },
)

export interface Lived {
  readonly trace: Trace
  /** What the law says, and how it was broken. */
  readonly breaches: readonly string[]
}

/** One history, judged moment by moment as the prover judges its own. */
export function live(history: readonly Act[], changed: Changed): Lived {
  const world = ScheduleWorld.begin(settings, changed)
  const breaches: string[] = []
  let judged = 0
  let past: ScheduleHistory = schedulePast.none
  const judge = (): void => {
    for (const moment of world.actors.trace.slice(judged)) {
      const after = schedulePast.remember(past, moment)
      for (const law of scheduleLaws)
        breaches.push(...law.breaches({ moment, world, past, history: after }).map((what) => `${law.says}: ${what}`))
      past = after
    }
    judged = world.actors.trace.length
  }
  world.check(true)
  for (const act of history) {
    perform(world, act)
    hear(world, 'outside')
    judge()
  }
  return { trace: world.actors.trace, breaches }
}

/** What the outside says arrives at once; what actors tell each other waits for its `mail`. */
function hear({ actors }: ScheduleWorld, from: string): void {
  const waiting = (): string | undefined => actors.channels.find((channel) => channel.startsWith(`${from}>`))
  for (let channel = waiting(); channel !== undefined; channel = waiting()) actors.deliver(channel)
}

function perform(world: ScheduleWorld, act: Act): void {
  const { actors } = world
  const one = <T>(things: readonly T[], { index }: { readonly index: number }): T | undefined =>
    things[index % Math.max(1, things.length)]
  switch (act.act) {
    case 'pass':
      return actors.pass(act.ms)
    case 'apply':
      return world.apply({ agents: act.agents })
    case 'check':
      return world.check(act.ready)
    case 'mail': {
      const channel = one(actors.channels, act)
      return channel === undefined ? undefined : actors.deliver(channel)
    }
    case 'fire': {
      const timer = one(actors.timers, act)
      return timer && actors.fire(timer)
    }
    case 'answer': {
      const effect = one(actors.outbox, act)
      if (!effect) return
      // A backlog is read from the queue: one that lags behind its Project would hide the refine that another block asked for.
      if (effect.type === 'readBacklog') hear(world, project)
      world.around = { ...world.around, found: act.found, issue: world.around.issue + act.fresh }
      return world.perform(effect, 'answered')
    }
    case 'end': {
      const task = one(world.living, act)
      return task === undefined ? undefined : world.end(task, 'delivered')
    }
  }
}
