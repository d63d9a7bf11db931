/** What must be possible from wherever a world is: asked by living on from there in one way that must work. */
import { kindOf, stageOf, taskIn, type Snapshot } from '../machines/world/trace.ts'
import type { ActorAddress } from '../../machines/definition.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import type { Subject } from '../machines/world/forge.ts'
import type { World } from '../machines/world/world.ts'
import { botLogin } from '../machines/world/people.ts'
import type { StateKeys } from './state-key.ts'
import type { Future } from './world-model.ts'

type Known = readonly (readonly [ActorAddress, Snapshot])[]

function living(world: World, kinds: readonly string[]): Known {
  return [...world.actors.snapshots()].filter(
    ([address, { status }]) => status === 'active' && kinds.includes(kindOf(address)),
  )
}

function shapesOf(world: World, keys: StateKeys, kinds: readonly string[]): string {
  return living(world, kinds)
    .map(([address, snapshot]) => `${kindOf(address)}${keys.ofActor(address, snapshot)}`)
    .join(' ')
}

function liveTasks(world: World): Known {
  return living(world, ['task']).filter(([, task]) => taskIn(task).stage.class !== 'terminal')
}

/** Mail only, in order: nobody outside does anything. */
function settle({ actors }: World): void {
  for (let round = 0; round < 500; round++) {
    const [channel] = actors.channels
    if (channel === undefined) return
    actors.deliver(channel)
  }
}

const noReentry = 'implement-declined'

/** LAW-13: `task.retry` by a maintainer alone leads from a park to an active stage. */
function leavesItsPark(from: World): readonly string[] {
  return liveTasks(from).flatMap(([address, task]) => {
    if (taskIn(task).stage.class !== 'parked' || taskIn(task).stage.name === noReentry) return []
    const world = from.fork()
    world.order(address, { type: 'task.retry', by: 'maya' })
    const after = world.actors.snapshot(address)!
    return taskIn(after).stage.class === 'active'
      ? []
      : [`${taskIn(task).stage.name} (${taskIn(task).stage.reason}) is not left by a retry`]
  })
}

/** What the platform itself does with a pod; what it would have to be told by a wrapper, a forge or an agent stays open. */
const ownEffects: ReadonlySet<string> = new Set(['stopPod', 'forceDeletePod', 'deleteWorkspace', 'checkProject'])

const longestSilence = 150

/** LAW-14: with every wrapper, agent, forge and human silent, timers end each pod and lead each Task out of work. */
function endsBySilence(from: World): readonly string[] {
  const world = from.fork()
  const fired = new Map<string, number>()
  for (let round = 0; round < longestSilence && isAtWork(world).length > 0; round++) {
    settle(world)
    const own = world.actors.outbox.find(({ type }) => ownEffects.has(type))
    if (own) world.perform(own)
    else if (!fireRarest(world, fired)) break
  }
  return isAtWork(world).map((what) => `${what} never ends while all are silent`)
}

/** Each timer in turn, so that one that is armed again and again keeps no other from firing. */
function fireRarest(world: World, fired: Map<string, number>): boolean {
  const name = ({ actor, id }: { readonly actor: string; readonly id: string }): string => `${actor} ${id}`
  const [rarest] = world.actors.timers.toSorted((a, b) => (fired.get(name(a)) ?? 0) - (fired.get(name(b)) ?? 0))
  if (!rarest) return false
  fired.set(name(rarest), (fired.get(name(rarest)) ?? 0) + 1)
  world.actors.fire(rarest)
  return true
}

/** Who waits for a slot waits for others, not for a deadline (STAGE-5). */
function isAtWork(world: World): readonly string[] {
  const pods = living(world, ['pod', 'turn']).map(([address]) => kindOf(address))
  const tasks = liveTasks(world).filter(([, task]) => {
    const {
      stage: { class: stageClass, wants },
      pod: { alive: podAlive },
    } = taskIn(task)
    return stageClass === 'active' && (podAlive || wants === null)
  })
  const unsettled = living(world, ['task']).filter(([, task]) => taskIn(task).stage.class === 'terminal')
  return [
    ...pods,
    ...tasks.map(([, task]) => `a Task at ${stageOf(task)}`),
    ...unsettled.map(() => 'a Task that has ended and does not settle'),
  ]
}

const longestLife = 1500
const mostHelp = 25

/** LAW-9: when everybody does what is right, every Task ends. */
function cannotEnd(from: World): readonly string[] {
  const world = from.fork()
  let help = 0
  for (let step = 0; step < longestLife; step++) {
    if (toEnd(world).length === 0 && waiting(world) === 0) return []
    const isCalm = world.actors.channels.length === 0 && world.actors.outbox.length === 0
    if (help > 0 && isCalm && goOn(world)) continue
    if (world.cooperate()) continue
    if (help++ >= mostHelp) break
    helped(world, help)
  }
  return [
    ...toEnd(world).map(([, task]) => `a Task at ${stageOf(task)} (${taskIn(task).stage.reason}) can come to no end`),
    ...(waiting(world) > 0 ? ['an entry is never admitted'] : []),
  ]
}

/** Entries that got no slot yet. */
function waiting(world: World): number {
  const queues = living(world, ['queue']).map(([, { context }]) => context as QueueContext)
  return queues.flatMap(({ entries }) => entries.filter(({ admittedAt }) => admittedAt === null)).length
}

function toEnd(world: World): Known {
  return liveTasks(world).filter(([, task]) => taskIn(task).stage.name !== noReentry)
}

/** Everybody waits: the operator opens what is shut, people let it go on, agents begin again, time passes. */
function helped(world: World, help: number): void {
  world.configure(2)
  world.budget('open')
  if (world.mostPerTurn > 0) world.lift()
  for (const mr of world.forge.mergeRequests) {
    const { state, mergeable, draft } = mr.row.mergeRequest
    if (state === 'open' && (mergeable !== true || draft || mr.row.notes.ci !== 'success'))
      world.forge.changeMergeRequest(mr, { mergeable: true, draft: false }, { ci: 'success' })
  }
  for (const issue of world.forge.issues)
    if (issue.row.issue.closedBy?.login !== botLogin) world.forge.changeIssue(issue, { state: 'open' })
  for (const mr of world.forge.mergeRequests) if (mr.row.mergeRequest.state === 'open') say(world, mr, '/approve')
  settle(world)
  if (world.actors.outbox.some(({ type }) => type === 'mergeMergeRequest')) return
  for (const [address, task] of liveTasks(world))
    if (taskIn(task).stage.class === 'parked') world.order(address, { type: 'task.retry', by: 'maya' })
  settle(world)
  if (help % 2 === 0) fireAll(world)
}

/** An agent that waits in its turn asks again for what it needs, and hands in what it has. */
function goOn(world: World): boolean {
  const running = world.processes.alive.filter((process) => world.processes.running(process))
  for (const process of running) {
    if (process.kind === 'implement') world.agents.note(process, 'plan')
    settle(world)
    for (const subject of world.forge.issues) say(world, subject, '/approve')
    settle(world)
    if (process.kind === 'implement') world.agents.claim(process, 'maya')
    settle(world)
    world.agents.commit(process)
    if (process.kind === 'review') world.agents.review(process, 'approve')
    else if (process.hasPushed) world.agents.submit(process)
    else world.agents.conclude(process)
    settle(world)
    world.endTurn(process)
  }
  return running.length > 0
}

/** Later than all that happened: a word of the same second as an edit by others speaks of no text for sure. */
function say({ actors, forge }: World, subject: Subject, text: string): void {
  actors.sleep(1000)
  forge.comment(subject, 'maya', text)
  forge.tell(subject)
}

function fireAll(world: World): void {
  for (const { actor, id } of world.actors.timers) {
    const timer = world.actors.timers.find((one) => one.actor === actor && one.id === id)
    if (timer) world.actors.fire(timer)
  }
}

export const futures: readonly Future[] = [
  {
    law: 13,
    says: 'from every park a retry alone leads to an active stage',
    about: (world, keys) => shapesOf(world, keys, ['task']),
    judge: leavesItsPark,
  },
  {
    law: 14,
    says: 'with all silent, timers end every pod and turn, and lead every Task out of work',
    about: (world, keys) => shapesOf(world, keys, ['task', 'pod', 'turn']),
    judge: endsBySilence,
  },
  {
    law: 9,
    says: 'a Task can end from wherever it is',
    about: (world) =>
      living(world, ['task', 'issue', 'merge-request', 'pod', 'queue'])
        .map(
          ([address, snapshot]) => `${kindOf(address)} ${JSON.stringify(snapshot.value)} ${whyOf(address, snapshot)}`,
        )
        .join(' '),
    judge: cannotEnd,
  },
]

function whyOf(address: ActorAddress, snapshot: Snapshot): string {
  return kindOf(address) === 'task' ? `${taskIn(snapshot).stage.reason}` : ''
}
