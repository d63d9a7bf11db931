/** What no schedule may do, whatever happens around it (SCHEDULE, docs/rules.md; CRON, docs/contract/orchestrator.md). */
import type { ProjectContext } from '../../../machines/project/context.ts'
import type { Backlog } from '../../../machines/project/events.ts'
import type { Stepped, Trace } from '../world/trace.ts'
import { floorMs, limits, maxOpenUpgrades, names, tickMs } from './world.ts'

export interface ScheduleLaw {
  readonly says: string
  readonly breaches: (trace: Trace) => readonly string[]
}

interface Sent {
  readonly to: string
  readonly event: { readonly type: string; readonly [field: string]: unknown }
}

function steps(trace: Trace, kind: 'project' | 'queue'): readonly Stepped[] {
  return trace.filter((one): one is Stepped => one.kind === 'stepped' && one.actor.startsWith(`${kind}:`))
}

function sentBy({ effects }: Stepped): readonly Sent[] {
  return effects.filter(({ type }) => type === 'deliver').map(({ params }) => params as unknown as Sent)
}

function mintsOf(step: Stepped): readonly Sent[] {
  return sentBy(step).filter(({ event }) => event.type === 'queue.enqueue')
}

function projectIn(snapshot: Stepped['after'] | undefined): ProjectContext | undefined {
  return snapshot?.context as ProjectContext | undefined
}

/** When runs of a block begin. */
function starts(
  trace: Trace,
  name: (typeof names)[number],
): readonly { readonly at: number; readonly step: Stepped }[] {
  return steps(trace, 'project').flatMap((step) => {
    const before = projectIn(step.before)?.scheduled?.blocks[name].runs ?? 0
    const block = projectIn(step.after)?.scheduled?.blocks[name]
    return block && block.runs > before ? [{ at: step.event.at, step }] : []
  })
}

const pause: ScheduleLaw = {
  says: 'while the Project is paused or not ready no run begins and no Task comes into being',
  breaches: (trace) => [
    ...names.flatMap((name) =>
      starts(trace, name).flatMap(({ at, step }) => {
        const { isPaused, reason } = projectIn(step.after)!
        return isPaused || reason !== '' ? [`${name} began at ${at}, paused ${isPaused}, ${reason}`] : []
      }),
    ),
    ...steps(trace, 'queue').flatMap((step) => {
      const { maxConcurrentAgents } = step.after.context as { readonly maxConcurrentAgents: number }
      const minted = sentBy(step).filter(({ event }) => event.type === 'task.minted')
      return maxConcurrentAgents === 0 ? minted.map(({ to }) => `${to} was minted while paused`) : []
    }),
  ],
}

const once: ScheduleLaw = {
  says: 'between two runs of a block lies a tick of its schedule: what was missed runs once, never in a burst',
  breaches: (trace) =>
    names.flatMap((name) => {
      const times = starts(trace, name).map(({ at }) => Math.floor(at / tickMs))
      return times.flatMap((tick, index) => (tick === times[index - 1] ? [`${name} ran twice for tick ${tick}`] : []))
    }),
}

function backlogOf(step: Stepped): Backlog | undefined {
  return step.event.type === 'backlog.read' ? (step.event['backlog'] as Backlog) : undefined
}

const caps: ScheduleLaw = {
  says: 'no sweep hands out more than maxNewTasksPerSweep, or beyond maxOpenTasks',
  breaches: (trace) =>
    steps(trace, 'project').flatMap((step) => {
      const offers = sentBy(step).filter(({ event }) => event.type.endsWith('.offered')).length
      const open = backlogOf(step)?.tasks.filter((task) => task.open).length ?? 0
      const room = Math.max(0, Math.min(limits.maxNewTasksPerSweep, limits.maxOpenTasks - open))
      return offers > room ? [`${offers} were offered where ${room} fit`] : []
    }),
}

const heads: ScheduleLaw = {
  says: 'a head is offered once',
  breaches: (trace) => {
    const seen = new Set<string>()
    return steps(trace, 'project')
      .flatMap((step) => sentBy(step))
      .filter(({ event }) => event.type === 'mr.offered')
      .flatMap(({ to, event }) => {
        const name = `${to}@${String(event['headSha'])}`
        const again = seen.has(name)
        seen.add(name)
        return again ? [`${name} was offered again`] : []
      })
  },
}

const refines: ScheduleLaw = {
  says: 'one refine lives at a time',
  breaches: (trace) => {
    const live = new Set<string>()
    return steps(trace, 'project').flatMap((step) => {
      if (step.event.type === 'task.ended') live.delete(String(step.event['task']))
      return mintsOf(step)
        .filter(({ event }) => event['kind'] === 'refine')
        .flatMap(({ event }) => {
          const beside = [...live]
          live.add(String(event['task']))
          return beside.map((other) => `${String(event['task'])} was asked for beside ${other}`)
        })
    })
  },
}

const floor: ScheduleLaw = {
  says: 'between two brainstorms lies the floor',
  breaches: (trace) => {
    const begun = new Set(starts(trace, 'brainstorm').map(({ step }) => step))
    let askedAt: number | null = null
    return steps(trace, 'project').flatMap((step) => {
      const gap = begun.has(step) && askedAt !== null ? step.event.at - askedAt : floorMs
      if (mintsOf(step).some(({ event }) => event['kind'] === 'brainstorm')) askedAt = step.event.at
      return gap < floorMs ? [`a session began ${gap} ms after one was asked for`] : []
    })
  },
}

const upgrades: ScheduleLaw = {
  says: 'each tick mints at most one upgrade, and none beyond maxOpenUpgrades',
  breaches: (trace) =>
    steps(trace, 'project').flatMap((step) => {
      const minted = mintsOf(step).filter(({ event }) => event['kind'] === 'upgrade').length
      const living = backlogOf(step)?.tasks.filter(({ kind }) => kind === 'upgrade').length ?? 0
      return minted > 1 || (minted > 0 && living >= maxOpenUpgrades) ? [`${minted} beside ${living}`] : []
    }),
}

export const scheduleLaws = { pause, once, caps, heads, refines, floor, upgrades } as const
