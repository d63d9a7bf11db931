/**
 * Why a Task rests, as one answer for the API, the command line, its status and the forge: the reason, who may move it,
 * its place in the queue, its next timer, and the shortest way to `delivered`. Pure: what it is made of is read before.
 */
import { positions } from '../queue/admission.ts'
import type { QueueContext } from '../queue/context.ts'
import { accountsOf, type LedgerContext } from '../ledger/context.ts'
import type { Account } from '../rules/spending.ts'
import type { TaskContext } from '../task/context.ts'
import type { LastTool } from '../turn/schema.ts'
import { worstCaseOf, type WorstCase } from './way/worst-case.ts'
import { pathFromQueue, pathToDelivered, type PathStep } from './way/path.ts'
import { restingInQueue, restingOf, taskResting, type Resting } from './reason.ts'

/** A committed actor, as far as it is asked. */
export interface Actor<Context = object> {
  readonly value: unknown
  readonly path: string
  readonly context: Context
}

interface Timer {
  readonly id: string
  readonly dueAt: number
}

export interface Surroundings {
  readonly task: Actor<TaskContext>
  /** Its Project's queue; its pod and the pod's newest turn, where there are any. */
  readonly queue?: Actor<QueueContext>
  readonly pod?: Actor
  readonly turn?: Actor
  /** Its Project's ledger, where the Project has one. */
  readonly ledger?: Actor<LedgerContext>
  readonly timers: readonly Timer[]
  readonly now: number
}

interface QueuePlace {
  readonly entry: string
  readonly position: number
  readonly reason: string
}

export interface LastTurn {
  /** Ordinal of its pod. */
  readonly pod: number
  /** What the agent said last, without secrets, 500 letters at most; empty: it said nothing. */
  readonly words: string
  readonly tool?: LastTool
  /** The reason of the end, and the error where there was one; absent: its journal is not kept any more. */
  readonly ended?: string
}

export interface MergedRequest {
  /** `<repository>!<number>`. */
  readonly name: string
  readonly url: string
  /** On the base; absent: the forge names none. */
  readonly commit?: string
}

export interface Why {
  readonly task: string
  readonly stage: string
  /** Null: it has ended. */
  readonly resting: Resting | null
  /** What the Task says beyond its reason: the failed call, the refused citation. */
  readonly detail: string | null
  /** What its pod and the pod's turn wait for, while they are what it waits for. */
  readonly below: readonly Resting[]
  readonly queue: QueuePlace | null
  /** How often the alert fired that it is minted for (ALERTS-6); absent: none. */
  readonly firings?: number
  /** Of a Task that is parked; absent: no turn of it ended. */
  readonly lastTurn?: LastTurn
  /** Merge requests of it that are merged; absent: none. */
  readonly merged?: readonly MergedRequest[]
  readonly nextTimer: { readonly name: string; readonly dueAt: number } | null
  /** Reviews that sent the work back, once they are so many that people should look; else null. It ends nothing (REVIEW-7). */
  readonly reviewRounds: number | null
  /** Null: nobody counts. */
  readonly spending: readonly Account[] | null
  readonly worstCase: WorstCase
  /** Null: no way is known, and only people outside the Task can help. */
  readonly path: readonly PathStep[] | null
}

/** REVIEW-7: each round renews the stage's time, so they are counted for the whole Task. */
export const manyReviewRounds = 10

export function explain({ task, queue, pod, turn, ledger, timers, now }: Surroundings): Why {
  const { context } = task
  const slots = queue?.context
  return {
    task: context.id,
    ...firingsOf(slots, context.id),
    stage: context.stage.name,
    resting: taskResting(context, task.path) ?? null,
    detail: context.stage.detail,
    below: context.pod.alive ? [...belowOf('pod', pod), ...belowOf('turn', turn)] : [],
    queue: placeOf(slots, context.pod.entry, now),
    ...mergedOf(context),
    nextTimer: nextOf(timers),
    reviewRounds: context.stage.reviewRounds >= manyReviewRounds ? context.stage.reviewRounds : null,
    spending: spendingOf(context.id, ledger),
    worstCase: worstOf(context, ledger),
    path: pathToDelivered({ value: task.value, context }) ?? null,
  }
}

/** A Task that is not there yet, because its entry waits. Undefined: nothing of it waits in this queue. */
export function explainQueued(
  task: string,
  queue: Actor<QueueContext>,
  ledger: Actor<LedgerContext> | undefined,
  now: number,
): Why | undefined {
  const { context } = queue
  const waiting = context.entries.find((one) => one.task === task && one.sort === 'mint' && one.admittedAt === null)
  if (!waiting?.seed) return undefined
  return {
    task,
    ...firingsOf(context, task),
    stage: 'queued',
    resting: restingInQueue,
    detail: null,
    below: [],
    queue: placeOf(context, waiting.entry, now),
    nextTimer: null,
    reviewRounds: null,
    spending: spendingOf(task, ledger),
    worstCase: worstOf(waiting.seed, ledger),
    path: pathFromQueue(task, waiting.entry, waiting.seed, now) ?? null,
  }
}

function firingsOf(queue: QueueContext | undefined, task: string): Pick<Why, 'firings'> {
  const incident = queue?.incidents?.find((one) => one.task === task)
  return incident ? { firings: incident.firings } : {}
}

function mergedOf({ forge: { mergeRequests } }: TaskContext): Pick<Why, 'merged'> {
  const merged = mergeRequests
    .filter(({ state }) => state === 'merged')
    .map(({ repository, number, url, mergeCommit }) => ({
      name: `${repository}!${number}`,
      url,
      ...(mergeCommit === null ? {} : { commit: mergeCommit }),
    }))
  return merged.length === 0 ? {} : { merged }
}

function spendingOf(task: string, ledger: Actor<LedgerContext> | undefined): readonly Account[] | null {
  const context = ledger?.context
  return context ? accountsOf(context, task) : null
}

function worstOf(task: Pick<TaskContext, 'kind' | 'config'>, ledger: Actor<LedgerContext> | undefined): WorstCase {
  return worstCaseOf(task, ledger?.context?.limits)
}

/** The innermost state of the first region is what it waits for. */
function belowOf(kind: 'pod' | 'turn', actor: Actor | undefined): readonly Resting[] {
  return actor ? restingOf(kind, actor.path).slice(-1) : []
}

function placeOf(queue: QueueContext | undefined, entry: string | null, now: number): QueuePlace | null {
  return (queue && positions(queue, now).find((place) => place.entry === entry)) ?? null
}

/** Of an entry in this queue; null: it does not wait. */
export function placeIn(queue: Actor<QueueContext> | undefined, entry: string, now: number): QueuePlace | null {
  return placeOf(queue?.context, entry, now)
}

/** `xstate.after.<delay>.<state>` names the wait. */
function nextOf(timers: readonly Timer[]): Why['nextTimer'] {
  const next = timers.toSorted((a, b) => a.dueAt - b.dueAt)[0]
  return next ? { name: next.id.split('.')[2] ?? next.id, dueAt: next.dueAt } : null
}
