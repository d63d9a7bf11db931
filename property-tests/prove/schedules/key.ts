/** What makes two moments of a schedule the same: times count from now, names by the order of their first use. */
import type { ProjectContext } from '../../../machines/project/context.ts'
import { kindOf, type Snapshot } from '../../machines/world/trace.ts'
import { minute, tickMs, type ScheduleWorld } from './world.ts'

/** Words, what was done when, and counts that nothing asks for. */
const blank: ReadonlySet<string> = new Set(
  [
    'at',
    'last',
    'since',
    'resyncedAt',
    'message',
    'goal',
    'trouble',
    'finished',
    'sequence',
    'config',
    'settings',
    'seed',
  ].concat(['enqueuedAt', 'windowStart', 'stageDetail', 'ref']),
)

/** Longer ago than anything that is counted from: the floor between two sessions, what an account is believed for. */
const longAgo = 120 * minute

const epochs = /\b1[89]\d{11}\b/g
const named =
  /default\/[a-z]+-[a-z-]*\d+-[0-9a-z]{5}|"(?:checkedGeneration|generation)":\d+|\b(?:issueScan|brainstorm|documentation|upgrade)\/\d+|\b(?:print|head)-\d+/g

function plainOf(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (blank.has(key) ? undefined : inner))
}

/** A run is known by its block and its number. */
function contextOf(address: string, { context }: Snapshot): unknown {
  const { scheduled } = context as ProjectContext
  if (!address.startsWith('project:') || !scheduled) return context
  const blocks = Object.entries(scheduled.blocks).map(([name, { runs, ...block }]) => ({
    ...block,
    run: `${name}/${runs}`,
  }))
  return { ...(context as ProjectContext), scheduled: { ...scheduled, blocks } }
}

export function keyOf({ actors, around }: ScheduleWorld, history: unknown): string {
  const { now } = actors
  const alive = [...actors.snapshots()].filter(([, { status }]) => status === 'active')
  const text = [
    ...alive
      .map(([address, snapshot]) => `${address} ${plainOf([snapshot.value, contextOf(address, snapshot)])}`)
      .toSorted(byKind),
    ...actors.channels
      .toSorted()
      .flatMap((channel) => actors.mail(channel).map(({ to, event }) => `${to} ${plainOf(event)}`)),
    ...actors.timers.map(({ actor, id, dueAt }) => `${actor} ${id} ${dueAt}`),
    ...actors.outbox.map(({ type, params }) => `${type} ${plainOf(params)}`),
    plainOf({ ...around, settings: undefined }),
    JSON.stringify(history),
    `${now % tickMs}`,
  ].join('\n')
  const known = new Map<string, number>()
  return text
    .replaceAll(epochs, (epoch) => `${Math.max(-longAgo, Number(epoch) - now)}`)
    .replaceAll(named, (name) => {
      const number = known.get(name) ?? known.size
      known.set(name, number)
      return `${name.replace(/\d.*$/, '')}#${number}`
    })
}

function byKind(a: string, b: string): number {
  const [one, other] = [a, b].map((text) => kindOf(text as `task:${string}`))
  return one === other ? 0 : one! < other! ? -1 : 1
}
