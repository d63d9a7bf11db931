/** A slot goes to a mint that somebody waits for: what was withdrawn in time brings no Task into being (LAW-7 and LAW-23). */
import type { ActorAddress } from '../../machines/definition.ts'
import type { QueueContext, WaitingEntry } from '../../machines/queue/context.ts'
import type { TaskSeed } from '../../machines/task/events.ts'
import { kindOf, type Stepped } from '../machines/world/trace.ts'
import type { World } from '../machines/world/world.ts'
import { grantedIn } from './history.ts'
import type { FiniteLaw, Seen } from './world-model.ts'

function subjectsOf({ issues, mergeRequests }: TaskSeed): readonly ActorAddress[] {
  return [
    ...issues.map(({ issue }): ActorAddress => `issue:${issue}`),
    ...mergeRequests.map(({ mergeRequest }): ActorAddress => `merge-request:${mergeRequest}`),
  ]
}

/** Asked for by its subjects themselves, or by who hands them over; a sweep's entry is no subject's own. */
const owned: ReadonlySet<string> = new Set(['webhook', 'fold', 'takeover'])

/** A word about it is on its way: from it to the queue, or from whoever hands it over. */
function isUnderWay({ actors }: World, subject: ActorAddress): boolean {
  return actors.channels.some((channel) => channel.startsWith(`${subject}>queue:`) || channel.endsWith(`>${subject}`))
}

function isAwaited(world: World, subject: ActorAddress, { entry, task }: WaitingEntry): boolean {
  const snapshot = world.actors.snapshot(subject)
  if (!snapshot || isUnderWay(world, subject)) return true
  const { mint, owner } = snapshot.context as {
    readonly mint: { readonly entry: string } | null
    readonly owner: string
  }
  return mint?.entry === entry || owner === task
}

function unwanted({ moment, world }: Seen): readonly string[] {
  if (moment.kind !== 'stepped' || kindOf(moment.actor) !== 'queue') return []
  const granted = grantedIn(moment satisfies Stepped)
  const entries = (moment.after.context as QueueContext).entries.filter(({ entry }) => granted.includes(entry))
  return entries.flatMap((entry) =>
    (entry.seed && owned.has(entry.seed.origin.kind) ? subjectsOf(entry.seed) : [])
      .filter((subject) => !isAwaited(world, subject, entry))
      .map((subject) => `a Task is minted for ${subject}, which does not wait for it`),
  )
}

export const entryLaw: FiniteLaw = {
  law: 7,
  says: 'a Task is minted only for who waits for it',
  breaches: unwanted,
}
