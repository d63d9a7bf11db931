import type { QueueContext } from '../../machines/queue/context.ts'
import { kindOf, sentIn, taskIn, type Snapshot, type Stepped } from '../machines/world/trace.ts'
import type { Around, Seen } from './world-model.ts'

interface Things {
  readonly issues?: readonly { readonly issue: string; readonly state?: string }[]
  readonly mergeRequests?: readonly {
    readonly mergeRequest: string
    readonly repository?: string
    readonly state?: string
  }[]
}

function thingsIn(
  { issues = [], mergeRequests = [] }: Things,
  isWanted: (state?: string) => boolean,
): readonly string[] {
  return [
    ...issues.filter(({ state }) => isWanted(state)).map(({ issue }) => `issue ${issue}`),
    ...mergeRequests.filter(({ state }) => isWanted(state)).map(({ mergeRequest }) => `merge request ${mergeRequest}`),
  ]
}

function isGiven(state?: string): boolean {
  return state === 'handedOver'
}

function isKept(state?: string): boolean {
  return !isGiven(state)
}

/** An entry of a queue, a message, or an answer that a refine Task collects. */
function carriedIn({ actors }: Around, tasks: readonly Snapshot[]): readonly string[] {
  const queues = [...actors.snapshots()].filter(([address]) => kindOf(address) === 'queue')
  const entries = queues.flatMap(([, { context }]) => (context as QueueContext).entries)
  const mail = actors.channels.flatMap((channel) => actors.mail(channel).map(({ event }) => event['seed'] ?? event))
  const answers = tasks
    .filter(({ status }) => status === 'active')
    .flatMap((task) => taskIn(task).forge.folds.flatMap(({ answer }) => (answer?.accepted ? [answer] : [])))
  const all: readonly unknown[] = [...entries.flatMap(({ seed }) => seed ?? []), ...mail, ...answers]
  return all.flatMap((one) => thingsIn(one as Things, () => true))
}

const ends: ReadonlySet<string> = new Set(['task.ended', 'mr.released'])

/** It learns, or knows, that nobody comes for it: who closes a refine Task ends the hand-over [OWNERSHIP-9]. */
function givenBack({ actors }: Around): readonly string[] {
  const told = actors.channels.flatMap((channel) =>
    actors.mail(channel).flatMap(({ to, event }) => (ends.has(event.type) ? [thingAt(to)] : [])),
  )
  const knows = [...actors.snapshots()].flatMap(([address, { context }]) => {
    if (!/^(issue|merge-request):/.test(address)) return []
    const { owner, mint } = context as { readonly owner: string; readonly mint: unknown }
    return owner === '' && mint === null ? [thingAt(address)] : []
  })
  return [...told, ...knows]
}

function thingAt(address: string): string {
  return address.replace(/^issue:/, 'issue ').replace(/^merge-request:/, 'merge request ')
}

/**
 * An heir works on one merge request of a repository: those beside it have no owner any more, and people are told. Of a
 * refine Task that was closed nothing is minted.
 */
function givenBackInVain(step: Stepped): readonly string[] {
  if (kindOf(step.actor) !== 'task') return []
  const { folds, foldsClosed } = taskIn(step.after).forge
  if (foldsClosed !== null) return []
  const sent = sentIn(step)
  const told = sent.filter(({ event }) => ends.has(event.type)).map(({ to }) => thingAt(to))
  const goOn = sent.flatMap(({ event }) => {
    const { issues = [], mergeRequests = [] } = (event['seed'] ?? {}) as Things
    return [...issues.map(({ issue }) => issue), ...mergeRequests.map(({ repository }) => repository)]
  })
  const stopped = folds.flatMap(({ answer }) => {
    if (!answer?.accepted) return []
    const issues = answer.issues.filter(({ issue }) => !goOn.includes(issue))
    const mergeRequests = answer.mergeRequests.filter(({ repository }) => !goOn.includes(repository))
    return thingsIn({ issues, mergeRequests }, () => true)
  })
  return stopped.filter((thing) => told.includes(thing)).map((thing) => `${thing} is given back, and was to go on`)
}

/** Looked at when a step changed what a Task or a queue has. */
export function isLost({ moment, world }: Seen<Around>): readonly string[] {
  if (moment.kind !== 'stepped' || !/^(task|queue):/.test(moment.actor)) return []
  const tasks = [...world.actors.snapshots()].filter(([address]) => kindOf(address) === 'task').map(([, task]) => task)
  const given = tasks.flatMap((task) => thingsIn(taskIn(task).forge, isGiven))
  if (given.length === 0) return []
  const there = new Set([
    ...tasks.flatMap((task) => thingsIn(taskIn(task).forge, isKept)),
    ...carriedIn(world, tasks),
    ...givenBack(world),
  ])
  return [
    ...given.filter((thing) => !there.has(thing)).map((thing) => `${thing} is owned by nobody and carried by nothing`),
    ...givenBackInVain(moment),
  ]
}
