/** Reads what a Task's page is made of: its own journal, those of its newest pods and turns, and those of its threads. */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { addressOf, parseAddress } from '../../../runtime/address.ts'
import type { ActorAddress, ActorKind } from '../../../machines/definition.ts'
import type { PodContext } from '../../../machines/pod/context.ts'
import { newTask, type TaskContext } from '../../../machines/task/context.ts'
import { TaskRecord, recordOf } from '../../../machines/why/record.ts'
import { Story, storyOf, type StoryActor } from '../../../machines/why/story.ts'
import { WhyShown } from '../../../machines/why/why-rows.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { redact } from '../../../runtime/redact.ts'
import { isOfKind } from '../../../runtime/of-kind.ts'
import type { ActorView } from '../../../runtime/runtime.ts'
import { EffectRow } from './answers.ts'
import type { InspectorDeps, Observed } from '../deps.ts'
import { effectRow } from '../routes/actor.ts'

export const StoryAnswer = Type.Object({
  story: Story,
  record: TaskRecord,
  effects: Type.Array(Type.Object({ ...EffectRow.properties, actor: Type.String() })),
  why: Type.Union([WhyShown, Type.Null()]),
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
  readonly whyOf?: InspectorDeps['whyOf']
  /** Of a `why` that cannot be read: the story comes without it. */
  readonly logger?: Pick<InspectorDeps['logger'], 'error'>
  /** The name of the file that is read: of actors that it does not hold the story says so. */
  readonly file?: string
}

/** Undefined: there is no such Task. */
export async function readStory(
  { runtime, clock, whyOf, logger, file }: StoryDeps,
  address: string,
): Promise<StoryAnswer | undefined> {
  const parts = parseAddress(address)
  const view = parts?.kind === 'task' ? await runtime.read(addressOf('task', parts.id)) : undefined
  if (view === undefined) return undefined
  // What no code here can load has a context that no code here knows.
  const context = view.status === 'quarantined' ? newTask(view.id) : view.context
  const read = async (asked: readonly Asked[]): Promise<readonly Seen[]> => {
    const seen = await Promise.all(
      asked.map(async (each) => {
        const address = addressOf(each.kind, each.id)
        return { ...each, address, view: await runtime.read(address) }
      }),
    )
    return seen.filter((each) => file !== undefined || each.view !== undefined)
  }
  // Both are known before the first reading: nobody would hear of a failed one if the other list threw.
  const asked = [podsOf(context), threadsOf(context)] as const
  const [pods, threads] = await Promise.all([read(asked[0]), read(asked[1])])
  const turns = pods.flatMap(turnsOf)
  const newest = await read(turns.slice(-mostTurns))
  const own: Seen = { ...view, name: 'Task', view }
  const journals = (seen: readonly Seen[], most: number): Promise<readonly StoryActor[]> =>
    Promise.all(seen.map((each) => journalOf(runtime, each, most)))
  const ofNewest = journals(newest, mostSteps.pod)
  const shownWhy = async (turns: readonly StoryActor[]): Promise<WhyShown | undefined> => {
    try {
      return await whyOf?.(view, turns)
    } catch (error) {
      logger?.error({ task: address, err: error }, 'the inspector shows a story without what moves the Task on')
      return undefined
    }
  }
  const [task, ofPods, ofTurns, ofThreads, effects, why] = await Promise.all([
    journalOf(runtime, own, mostSteps.task),
    journals(pods, mostSteps.pod),
    ofNewest,
    journals(threads, mostSteps.thread),
    effectsOf(runtime, [own, ...pods.slice(-1), ...newest.slice(-1), ...threads]),
    view.status === 'quarantined' ? undefined : ofNewest.then(shownWhy),
  ])
  const story = storyOf({
    task: { ...view, ...task, context, readFrom: Math.max(1, view.seq - mostSteps.task + 1) },
    pods: ofPods,
    turns: ofTurns,
    earlierPods: Math.max(0, context.pod.ordinal - mostPods),
    earlierTurns: turns.length - newest.length,
    threads: ofThreads,
    absent: file === undefined ? 'not kept' : 'not in this file',
    now: clock.now(),
  })
  const record = recordOf({ task: context, rows: task.rows, ...contextsOf(threads) })
  return Value.Parse(StoryAnswer, redact({ story, record, effects, why: why ?? null }))
}

interface Asked {
  readonly kind: ActorKind
  readonly id: string
  /** As the list of actors calls it; an issue and a merge request as the forge does. */
  readonly name: string
}

interface Seen extends Asked {
  readonly address: ActorAddress
  /** Undefined: the file does not hold it. */
  readonly view: ActorView | undefined
}

function podsOf({ id, pod: { ordinal } }: TaskContext): readonly Asked[] {
  const count = Math.min(ordinal, mostPods)
  const ordinals = Array.from({ length: count }, (_, index) => ordinal - count + 1 + index)
  return ordinals.map((each) => ({ kind: 'pod', id: `${id}/${each}`, name: `pod ${each}` }))
}

/** Of one that is absent, one stands for all. */
function turnsOf({ id, name, view }: Seen): readonly Asked[] {
  const pod: Partial<PodContext> = view !== undefined && isOfKind(view, 'pod') ? view.context : {}
  const turns = view === undefined ? 1 : (pod.turns ?? 0)
  return Array.from({ length: turns }, (_, ordinal) => ({
    ...{ kind: 'turn', id: `${id}/${ordinal}` },
    name: `${name.replace('pod', 'turn')}/${ordinal}`,
  }))
}

function threadsOf({ forge }: TaskContext): readonly Asked[] {
  const threads: readonly Asked[] = [
    ...forge.issues.map(({ issue, repository, number }): Asked => ({
      kind: 'issue',
      id: issue,
      name: `Issue ${repository}#${number}`,
    })),
    ...forge.mergeRequests.map(({ mergeRequest: id, repository, number }): Asked => ({
      ...{ kind: 'merge-request', id },
      name: `Merge request ${repository}!${number}`,
    })),
  ]
  return threads.slice(0, mostThreads)
}

async function journalOf(runtime: Observed, { address, kind, name, view }: Seen, most: number): Promise<StoryActor> {
  const from = Math.max(1, (view?.seq ?? 0) - most + 1)
  const rows = view === undefined ? [] : await runtime.history(address, { from, limit: most })
  return { address, kind, name, rows }
}

function contextsOf(threads: readonly Seen[]): Pick<Parameters<typeof recordOf>[0], 'issues' | 'mergeRequests'> {
  const of = <Kind extends ActorKind>(kind: Kind): readonly ActorView<Kind>[] =>
    threads.flatMap(({ view }) => (view && isOfKind(view, kind) && view.status !== 'quarantined' ? [view] : []))
  return {
    issues: of('issue').map(({ context }) => context),
    mergeRequests: of('merge-request').map(({ context, updatedAt }) => ({ ...context, updatedAt })),
  }
}

async function effectsOf(runtime: Observed, seen: readonly Seen[]): Promise<StoryAnswer['effects']> {
  const found = await Promise.all(seen.map(({ address }) => runtime.pendingEffects({ actor: address })))
  return found.flat().map((effect) => ({ ...effectRow(effect), actor: effect.actor }))
}
