/** Reads what a Task's page is made of: its own journal, those of its newest pods and turns, and those of its threads. */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { addressOf, parseAddress } from '../../runtime/address.ts'
import type { ActorAddress, ActorKind } from '../../machines/definition.ts'
import type { IssueContext } from '../../machines/issue/context.ts'
import type { MergeRequestContext } from '../../machines/merge-request/context.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import { newTask, type TaskContext } from '../../machines/task/context.ts'
import { TaskRecord, recordOf } from '../../machines/why/record.ts'
import { Story, storyOf, type StoryActor } from '../../machines/why/story.ts'
import type { Clock } from '../../runtime/clock.ts'
import { contextOf } from '../../runtime/context-of.ts'
import { redact } from '../../runtime/redact.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import { EffectRow } from './answers.ts'
import type { Observed } from './deps.ts'
import { WithFacts, effectRow } from './routes/actor.ts'

export const StoryAnswer = Type.Object({
  story: Story,
  record: TaskRecord,
  effects: Type.Array(Type.Object({ ...EffectRow.properties, actor: Type.String() })),
})
export type StoryAnswer = Static<typeof StoryAnswer>

/** Rows of a journal that are read: the newest ones. */
const mostSteps = { task: 2000, thread: 500, pod: 200 }
const mostPods = 12
const mostTurns = 24
const mostThreads = 6

interface StoryDeps {
  readonly runtime: Observed
  readonly clock: Pick<Clock, 'now'>
}

/** Undefined: there is no such Task. */
export async function readStory({ runtime, clock }: StoryDeps, address: string): Promise<StoryAnswer | undefined> {
  const parts = parseAddress(address)
  const view = parts?.kind === 'task' ? await runtime.read(addressOf('task', parts.id)) : undefined
  if (view === undefined) return undefined
  // What no code here can load has a context that no code here knows.
  const context = view.status === 'quarantined' ? newTask(view.id) : contextOf<TaskContext>(view)
  const [task, pods, threads] = await Promise.all([
    journalOf(runtime, view, 'Task', mostSteps.task),
    podsOf(runtime, context),
    threadsOf(runtime, context),
  ])
  const turns = pods.flatMap(turnsOf)
  const newest = await viewsOf(runtime, turns.slice(-mostTurns))
  const [ofPods, ofTurns, ofThreads, effects] = await Promise.all([
    journalsOf(runtime, pods, mostSteps.pod),
    journalsOf(runtime, newest, mostSteps.pod),
    journalsOf(runtime, threads, mostSteps.thread),
    effectsOf(runtime, [view, ...pods.slice(-1), ...newest.slice(-1), ...threads]),
  ])
  const story = storyOf({
    task: { ...view, ...task, context, readFrom: Math.max(1, view.seq - mostSteps.task + 1) },
    pods: ofPods,
    turns: ofTurns,
    earlierPods: Math.max(0, context.pod.ordinal - mostPods),
    earlierTurns: turns.length - newest.length,
    threads: ofThreads,
    now: clock.now(),
  })
  const record = recordOf({ task: context, rows: task.rows, ...contextsOf(threads) })
  return Value.Parse(StoryAnswer, redact({ story, record, effects }))
}

async function podsOf(runtime: Observed, { id, pod: { ordinal } }: TaskContext): Promise<readonly ActorView[]> {
  const count = Math.min(ordinal, mostPods)
  const ordinals = Array.from({ length: count }, (_, index) => ordinal - count + 1 + index)
  return viewsOf(
    runtime,
    ordinals.map((each) => addressOf('pod', `${id}/${each}`)),
  )
}

function turnsOf(pod: ActorView): readonly ActorAddress[] {
  const { turns = 0 } = contextOf<Partial<PodContext>>(pod)
  return Array.from({ length: turns }, (_, ordinal) => addressOf('turn', `${pod.id}/${ordinal}`))
}

/** Asynchronous to its end: what throws for a context that no machine wrote leaves no promise of a sibling unheard. */
async function threadsOf(runtime: Observed, { forge }: TaskContext): Promise<readonly ActorView[]> {
  const addresses = [
    ...forge.issues.map(({ issue }) => addressOf('issue', issue)),
    ...forge.mergeRequests.map(({ mergeRequest }) => addressOf('merge-request', mergeRequest)),
  ]
  return viewsOf(runtime, addresses.slice(0, mostThreads))
}

async function viewsOf(runtime: Observed, addresses: readonly ActorAddress[]): Promise<readonly ActorView[]> {
  const views = await Promise.all(addresses.map((address) => runtime.read(address)))
  return views.filter((view) => view !== undefined)
}

function journalsOf(runtime: Observed, views: readonly ActorView[], most: number): Promise<readonly StoryActor[]> {
  return Promise.all(views.map((view) => journalOf(runtime, view, nameOf(view), most)))
}

async function journalOf(
  runtime: Observed,
  { address, kind, seq }: ActorView,
  name: string,
  most: number,
): Promise<StoryActor> {
  return {
    address,
    kind,
    name,
    rows: await runtime.history(address, { from: Math.max(1, seq - most + 1), limit: most }),
  }
}

/** As the list of actors calls it; an issue and a merge request as the forge does. */
function nameOf({ kind, id, context }: ActorView): string {
  const facts = Value.Check(WithFacts, context) ? context.facts : undefined
  if (kind === 'issue') return facts ? `Issue ${facts.repository}#${facts.number}` : `Issue ${id}`
  if (kind === 'merge-request')
    return facts ? `Merge request ${facts.repository}!${facts.number}` : `Merge request ${id}`
  return `${kind} ${id.split('/').slice(2).join('/')}`
}

function contextsOf(threads: readonly ActorView[]): Pick<Parameters<typeof recordOf>[0], 'issues' | 'mergeRequests'> {
  const of = (kind: ActorKind): readonly ActorView[] =>
    threads.filter((thread) => thread.kind === kind && thread.status !== 'quarantined')
  return {
    issues: of('issue').map((view) => contextOf<IssueContext>(view)),
    mergeRequests: of('merge-request').map((view) => ({
      ...contextOf<MergeRequestContext>(view),
      updatedAt: view.updatedAt,
    })),
  }
}

async function effectsOf(runtime: Observed, views: readonly ActorView[]): Promise<StoryAnswer['effects']> {
  const found = await Promise.all(views.map(({ address }) => runtime.pendingEffects({ actor: address })))
  return found.flat().map((effect) => ({ ...effectRow(effect), actor: effect.actor }))
}
