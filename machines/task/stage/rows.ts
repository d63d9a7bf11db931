/** Rows that several stages share. */
import { enterActive, because, startWork } from '../stage-entry.ts'
import type { Cause, EventOf } from '../../decide.ts'
import { does, meta, sequence, when, type Decide, type Meta, type Row, type Rows, type StateConfig } from '../chart.ts'
import type { TaskContext } from '../context.ts'
import type { AgentKind, TaskEvent } from '../events.ts'
import type { Reason } from '../reasons.ts'
import {
  hasOpenMergeRequest,
  isAnyMerged,
  isNoneOpen,
  isReviewKind,
  ownStage,
  servesStage,
  type ResumedStage,
} from '../queries.ts'
import { holdForBudget } from '../spending.ts'
import { endsWantedPod, isLastStartFailure, isOverResidency, isWaitingForReply, namePodEnd } from '../pods.ts'
import {
  calmDown,
  countFailure,
  isFailure,
  isLastFailure,
  isLastSilence,
  isSilent,
  isWorkTurn,
  nameFailure,
  remindAgent,
} from '../turns.ts'

function closedToo(context: TaskContext): string | null {
  return context.forge.mergeRequests.some(({ state }) => state === 'closed') ? 'partly-merged' : null
}

/** `mr.noneOpen` is judged wherever a merge request changes, over the records as they are afterwards. */
export function noneOpenRows<E extends Cause>(
  after: (context: TaskContext, event: E) => TaskContext,
  record: Decide<E>,
): readonly Row<E>[] {
  const delivers = (context: TaskContext, event: E) =>
    isNoneOpen(after(context, event)) && isAnyMerged(after(context, event))
  const reason: Decide<E> = (context) => ({ context: { stage: { reason: closedToo(context), detail: null } } })
  return [
    { guard: when(delivers), target: '#delivered', actions: does(sequence(record, reason)) },
    {
      guard: when((context, event) => isNoneOpen(after(context, event))),
      target: '#rejected',
      actions: [does(record), does(because('mr-closed'))],
    },
  ]
}

const stageIds = {
  brainstorming: '#brainstorming',
  investigating: '#investigating',
  refining: '#refining',
  folding: '#refining.folding',
  implementing: '#implementing',
  documenting: '#documenting',
  upgrading: '#upgrading',
  reviewing: '#reviewing.fresh',
} as const satisfies { readonly [S in ResumedStage]: string }

/** Where work ends in merge requests, and a review or a merge sends it back to. */
export const codeStages = ['implementing', 'documenting', 'upgrading'] as const satisfies readonly ResumedStage[]
/** Every stage that an agent works in. */
export const workStages = [
  'brainstorming',
  'investigating',
  'refining',
  ...codeStages,
  'reviewing',
] as const satisfies readonly ResumedStage[]

/** A target cannot be computed, so a decision where to go on is one row for each place that it can come to. */
export function rowsTo<E extends Cause>(
  places: readonly ResumedStage[],
  to: (context: TaskContext) => ResumedStage,
  guard: (context: TaskContext, event: E) => boolean,
  actions: readonly Decide<E>[],
): readonly Row<E>[] {
  const done = actions.map((decide) => does(decide))
  return places.map((stage) => ({
    guard: when((context, event: E) => guard(context, event) && to(context) === stage),
    target: stageIds[stage],
    actions: done,
  }))
}

/** Back to the Task's own work; a review-kind Task has none that it could do itself. */
export function backToWork<E extends Cause>(
  guard: (context: TaskContext, event: E) => boolean,
  reason: Reason,
  actions: readonly Decide<E>[],
): readonly Row<E>[] {
  return [
    {
      guard: when((context, event: E) => guard(context, event) && isReviewKind(context)),
      target: '#awaiting-human',
      actions: [...actions.map((decide) => does(decide)), does(because(reason))],
    },
    ...rowsTo(codeStages, ownStage, guard, actions),
  ]
}

const podFinal = [
  { guard: when(endsWantedPod('unbound')), target: '#operator-error', actions: does(namePodEnd('unbound')) },
  { guard: when(endsWantedPod('mismatched')), target: '#failed', actions: does(namePodEnd('agent-contract-mismatch')) },
  { guard: when(isLastStartFailure), target: '#operator-error', actions: does(namePodEnd('pod-start-failed')) },
  { guard: when(isOverResidency), target: '#operator-error', actions: does(namePodEnd('residency-cap')) },
] satisfies readonly Row<EventOf<TaskEvent, 'pod.final'>>[]

/** Only who owns an issue or a merge request can be answered. */
const waiting: Row<EventOf<TaskEvent, 'pod.final'>> = {
  guard: when(isWaitingForReply),
  target: '#awaiting-human',
  actions: does(namePodEnd('waiting-for-reply')),
}

/** What a pod and its turns mean to the stage that wants them. Without a merge request nobody could say more: it fails. */
function workRows(isHeard: boolean): Rows {
  return {
    'pod.final': isHeard ? [...podFinal, waiting] : podFinal,
    'turn.ended': [
      {
        guard: when(isLastSilence),
        target: isHeard ? '#awaiting-human' : '#failed',
        actions: does(because('no-outcome')),
      },
      { guard: when(isSilent), actions: does(remindAgent) },
      { guard: when(isWorkTurn), actions: does(calmDown) },
    ],
    'turn.failed': [
      { guard: when(isLastFailure), target: '#operator-error', actions: does(nameFailure) },
      { guard: when(isFailure), actions: does(countFailure) },
    ],
    'budget.exhausted': {
      guard: when((context) => context.stage.wants !== null),
      target: '#awaiting-human',
      actions: does(holdForBudget),
    },
  }
}

/** Stages of Tasks that own no issue and open no merge request. */
const deaf: ReadonlySet<string> = new Set(['brainstorming', 'investigating', 'refining'])
/** Stages of Tasks that own no issue: without an open merge request nobody would ever wake them. */
const unthreaded: ReadonlySet<string> = new Set(['documenting', 'upgrading'])

const missedDeadline: Decide<Cause> = (context) => ({
  context: { stage: { reason: 'stage-deadline', detail: null, deadlines: context.stage.deadlines + 1 } },
})

/** Over budget: who owns nothing that could be answered fails, and so does a Task whose thread is yet to be opened. */
function overdue(stage: string): readonly Row<Cause>[] {
  const parks = { target: '#awaiting-human', actions: does(missedDeadline) }
  const fails = { target: '#failed', actions: does(because('stage-deadline')) }
  if (deaf.has(stage)) return [fails]
  if (!unthreaded.has(stage)) return [parks]
  return [{ guard: when((context) => !hasOpenMergeRequest(context)), ...fails }, parks]
}

const startClock: Decide<Cause> = (context) => ({ context: { stage: { clockedAt: context.at } } })
const stopClock: Decide<Cause> = ({ at, stage: { clockedAt, spentMs } }) => ({
  context: { stage: { spentMs: spentMs + Math.max(0, at - clockedAt) } },
})

/**
 * The budget starts at the first `pod.working` of the visit and survives respawns: two states instead of a timestamp in a guard.
 * While the model is withheld the clock stands (MODEL-KEY-6).
 */
function workStates(
  budget: string,
  wants: AgentKind,
  id: string,
): { readonly fresh: StateConfig; readonly clocked: StateConfig; readonly withheld: StateConfig } {
  return {
    fresh: {
      meta: meta('platform', 'waits for its pod to begin', 'a slot becomes free and a pod starts'),
      entry: does(() => ({ context: { stage: { wants } } })),
      on: {
        'pod.working': {
          guard: when((context, event) => event.pod === context.pod.ordinal && servesStage(context)),
          target: `#${id}.clocked`,
          actions: does(startWork),
        },
      },
    },
    clocked: {
      meta: meta(
        'agent',
        'the agent works',
        'the agent submits its outcome; at the end of the time budget the Task is parked',
      ),
      entry: does(startClock),
      after: { [budget]: overdue(id) },
      on: { 'model.withheld': { target: `#${id}.withheld`, actions: does(stopClock) } },
    },
    withheld: {
      meta: meta(
        'operator',
        'the provider withholds the model from the key: no turn would be answered, and no time is spent',
        'the reset of the usage limit, money, or another key',
      ),
      on: { 'model.served': { target: `#${id}.clocked` } },
    },
  }
}

interface WorkStage {
  readonly name: string
  readonly wants: AgentKind
  readonly budget: string
  readonly meta: Meta
  readonly on?: Rows
  readonly states?: Readonly<Record<string, StateConfig>>
}

/** A stage that wants a pod: adding one is adding its row here and its outcomes to the table of judgements. */
export function workStage({ name, wants, budget, meta: said, on, states }: WorkStage): StateConfig {
  return {
    id: name,
    meta: said,
    initial: 'fresh',
    entry: does(enterActive(name, null)),
    on: { ...workRows(!deaf.has(name)), ...on },
    states: { ...workStates(budget, wants, name), ...states },
  }
}
