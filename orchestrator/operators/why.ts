/** Reads what an answer to "why does this Task rest" is made of: the Task, its queue, its pod and turn, its timers. */
import type { MemoryContext } from '../../machines/memory/context.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import { tokensOf } from '../../machines/rules/spending.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { explain, explainQueued, type Surroundings, type Why } from '../../machines/why/why.ts'
import type { Cost } from '../../machines/why/cost.ts'
import { shownWhy, type HeldOf, type WhyAnswer } from '../../machines/why/why-rows.ts'
import type { InspectorDeps } from '../../edges/inspector/deps.ts'
import { sharedReadings } from '../../edges/inspector/readings/shared-reading.ts'
import type { HindranceOf } from '../../edges/pods/hindrance.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import { readLastTurn } from './last-turn.ts'
import { readRefusedCalls, refusedCallsIn } from './refused-calls.ts'
import { idOfName } from '../../crd/resource-id.ts'

export interface WhyDeps {
  readonly runtime: Pick<Runtime, 'read' | 'list' | 'pendingTimers' | 'history'>
  readonly clock: Pick<Clock, 'now'>
  /** The words in which the newest push of a Task was refused, where it was. */
  readonly pushRefusal?: (project: string, repository: string, task: string) => Promise<string | undefined>
}

/** Like `readWhy`, with what only the journals of its turns and its pod know. */
export async function answerWhy(
  deps: WhyDeps & { readonly hindranceOf: HindranceOf },
  name: string,
): Promise<WhyAnswer | undefined> {
  const why = await readWhy(deps, name)
  if (why === undefined) return undefined
  const task = await deps.runtime.read(`task:${why.task}`)
  const context: Partial<TaskContext> = task?.context ?? {}
  const [refusedCalls, memory, hindrance] = await Promise.all([
    readRefusedCalls(deps.runtime, why.task),
    heldOf(deps.runtime, context),
    task && deps.hindranceOf(task),
  ])
  return { ...why, refusedCalls, memory, cost: costOf(context), ...(hindrance === undefined ? {} : { hindrance }) }
}

interface ShownDeps {
  readonly runtime: Pick<Runtime, 'read'>
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** Undefined: nobody knows, so no price is shown. */
  readonly isScripted: boolean | undefined
}

/** For the pages of one Task, which share it: its shortest way is searched for once a step. What a page has from elsewhere is not read. */
export function shownWhys({ runtime, clock, isScripted }: ShownDeps): InspectorDeps['whyOf'] {
  const read = sharedReadings(clock, async (task: ActorView<'task'>, turns: Parameters<typeof refusedCallsIn>[0]) => {
    const context = task.context
    const [around, memory] = await Promise.all([aroundOf(runtime, context), heldOf(runtime, context)])
    const why = explain({ task, timers: [], now: clock.now(), ...around })
    const cost = isScripted === undefined ? { ...costOf(context), usd: 0 } : costOf(context)
    return shownWhy({ ...why, refusedCalls: refusedCallsIn(turns), memory, cost }, isScripted === true)
  })
  return (task, turns) => read(`${task.address} ${task.seq}`, task, turns)
}

function costOf({ turn }: Partial<TaskContext>): Cost {
  const { count = 0, usage = {} } = turn ?? {}
  return { turns: count, tokens: tokensOf(usage), usd: usage['costUsd'] ?? 0 }
}

async function heldOf(
  runtime: Pick<Runtime, 'read'>,
  { config, repositories = [] }: Partial<TaskContext>,
): Promise<readonly HeldOf[]> {
  const memory = config && (await runtime.read(`memory:${config.project}`))
  const { repositories: known = {} }: Partial<MemoryContext> = memory?.context ?? {}
  return repositories.flatMap((repository) => {
    const held = known[repository]
    if (held === undefined) return []
    const { commit, due, trouble } = held
    return [{ repository, commit, due, trouble }]
  })
}

/** As many Projects as one orchestrator is asked to search for a Task that is not minted yet. */
const maxQueues = 500

/** `name` without a namespace is in `default`. Undefined: there is no such Task, and none waits to be minted. */
export async function readWhy(deps: WhyDeps, name: string): Promise<Why | undefined> {
  const { runtime, clock } = deps
  const id = idOfName(name)
  const task = await runtime.read(`task:${id}`)
  const now = clock.now()
  if (task === undefined) {
    const queues = await runtime.list('queue', { limit: maxQueues })
    for (const queue of queues) {
      const why = explainQueued(id, queue, await runtime.read(`ledger:${queue.id}`), now)
      if (why !== undefined) return why
    }
    return undefined
  }
  const context = task.context
  const [around, timers, lastTurn] = await Promise.all([
    aroundOf(runtime, context),
    runtime.pendingTimers({ actor: task.address }),
    readLastTurn(runtime, context),
  ])
  const why = { ...explain({ task, timers, now, ...around }), ...(lastTurn === undefined ? {} : { lastTurn }) }
  const refused = await refusalsOf(deps, context)
  return refused.length === 0 ? why : { ...why, detail: [why.detail ?? '', ...refused].filter(Boolean).join('. ') }
}

/** The queue and the ledger of its Project, its pod, and the turn that is open in it. */
async function aroundOf(
  runtime: Pick<Runtime, 'read'>,
  context: TaskContext,
): Promise<Pick<Surroundings, 'queue' | 'ledger' | 'pod' | 'turn'>> {
  const pod = await podOf(runtime, context)
  const { project } = context.config
  const [queue, ledger, turn] = await Promise.all([
    runtime.read(`queue:${project}`),
    runtime.read(`ledger:${project}`),
    turnOf(runtime, pod),
  ])
  return { ...(queue && { queue }), ...(ledger && { ledger }), ...(pod && { pod }), ...(turn && { turn }) }
}

/** Of a Task that rests because its pushes fail; what to do is in the words of who refused them. */
async function refusalsOf(
  { pushRefusal }: WhyDeps,
  { id, config, turn: { lastFailedRepos: lastTurnFailedRepos = [] } }: TaskContext,
): Promise<readonly string[]> {
  if (pushRefusal === undefined) return []
  const asked = lastTurnFailedRepos.map(async (repository) => {
    const reason = await pushRefusal(config.project, repository, id)
    return reason === undefined ? [] : [`${repository}: ${reason}`]
  })
  return (await Promise.all(asked)).flat()
}

async function podOf(
  runtime: Pick<Runtime, 'read'>,
  { id, pod: { alive: podAlive, ordinal: podOrdinal } }: TaskContext,
): Promise<ActorView<'pod'> | undefined> {
  return podAlive ? runtime.read(`pod:${id}/${podOrdinal}`) : undefined
}

async function turnOf(
  runtime: Pick<Runtime, 'read'>,
  pod: ActorView<'pod'> | undefined,
): Promise<ActorView<'turn'> | undefined> {
  const { turns = 0, turnOpen = false, id = '' }: Partial<PodContext> = pod?.context ?? {}
  return turnOpen ? runtime.read(`turn:${id}/${turns - 1}`) : undefined
}
