/** Rows that several stages share. */
import { enterActive, because, startWork } from '../visit.ts'
import {
  does,
  meta,
  sequence,
  when,
  type Cause,
  type Decide,
  type EventOf,
  type Meta,
  type Row,
  type Rows,
  type StateConfig,
} from '../chart.ts'
import type { TaskContext } from '../context.ts'
import type { AgentKind } from '../events.ts'
import type { Reason } from '../reasons.ts'
import {
  hasMergeRequests,
  hasOpenMergeRequest,
  isAnyMerged,
  isNoneOpen,
  isReviewKind,
  ownStage,
  servesStage,
  type ResumedStage,
} from '../facts.ts'
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
  return context.mergeRequests.some(({ state }) => state === 'closed') ? 'partly-merged' : null
}

/** `mr.noneOpen` is judged wherever a merge request changes, over the records as they are afterwards. */
export function noneOpenRows<E extends Cause>(
  after: (context: TaskContext, event: E) => TaskContext,
  record: Decide<E>,
): readonly Row<E>[] {
  const delivers = (context: TaskContext, event: E) =>
    isNoneOpen(after(context, event)) && isAnyMerged(after(context, event))
  const reason: Decide<E> = (context) => ({ context: { stageReason: closedToo(context), stageDetail: null } })
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

/** A target cannot be computed, so a decision where to go on is one row for each place. */
export function rowsTo<E extends Cause>(
  to: (context: TaskContext) => ResumedStage,
  guard: (context: TaskContext, event: E) => boolean,
  actions: readonly Decide<E>[],
): readonly Row<E>[] {
  const done = actions.map((decide) => does(decide))
  return Object.entries(stageIds).map(([stage, target]) => ({
    guard: when((context, event: E) => guard(context, event) && to(context) === stage),
    target,
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
    ...rowsTo(ownStage, guard, actions),
  ]
}

const podFinal: readonly Row<EventOf<'pod.final'>>[] = [
  { guard: when(endsWantedPod('unbound')), target: '#operator-error', actions: does(namePodEnd('unbound')) },
  { guard: when(endsWantedPod('mismatched')), target: '#failed', actions: does(namePodEnd('agent-contract-mismatch')) },
  { guard: when(isLastStartFailure), target: '#operator-error', actions: does(namePodEnd('pod-start-failed')) },
  { guard: when(isOverResidency), target: '#operator-error', actions: does(namePodEnd('residency-cap')) },
  { guard: when(isWaitingForReply), target: '#awaiting-human', actions: does(namePodEnd('waiting-for-reply')) },
]

/** What a pod and its turns mean to the stage that wants them. */
const workRows = {
  'pod.final': podFinal,
  'turn.ended': [
    {
      guard: when((context, event) => isLastSilence(context, event) && !hasMergeRequests(context)),
      target: '#failed',
      actions: does(because('no-outcome')),
    },
    { guard: when(isLastSilence), target: '#awaiting-human', actions: does(because('no-outcome')) },
    { guard: when(isSilent), actions: does(remindAgent) },
    { guard: when(isWorkTurn), actions: does(calmDown) },
  ],
  'turn.failed': [
    { guard: when(isLastFailure), target: '#operator-error', actions: does(nameFailure) },
    { guard: when(isFailure), actions: does(countFailure) },
  ],
  'budget.exhausted': {
    guard: when((context) => context.wants !== null),
    target: '#awaiting-human',
    actions: does(holdForBudget),
  },
} satisfies Rows

/** Nobody would ever wake it: only an implement Task and a review have a thread from the start. */
function failsOverdue(context: TaskContext): boolean {
  return context.kind !== 'implement' && context.kind !== 'review' && !hasOpenMergeRequest(context)
}

const missedDeadline: Decide<Cause> = (context) => ({
  context: { stageReason: 'stage-deadline', stageDetail: null, deadlines: context.deadlines + 1 },
})

/** The budget starts at the first `pod.working` of the visit and survives respawns: two states instead of a timestamp in a guard. */
function workStates(
  budget: string,
  wants: AgentKind,
  id: string,
): { readonly fresh: StateConfig; readonly clocked: StateConfig } {
  return {
    fresh: {
      meta: meta('platform', 'waits for its pod to begin', 'a free slot and a pod that starts'),
      entry: does(() => ({ context: { wants } })),
      on: {
        'pod.working': {
          guard: when((context, event) => event.pod === context.podOrdinal && servesStage(context)),
          target: `#${id}.clocked`,
          actions: does(startWork),
        },
      },
    },
    clocked: {
      meta: meta('agent', 'the agent works', 'its outcome; at the end of the time budget the Task is parked'),
      after: {
        [budget]: [
          { guard: when(failsOverdue), target: '#failed', actions: does(because('stage-deadline')) },
          { target: '#awaiting-human', actions: does(missedDeadline) },
        ],
      },
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
    on: { ...workRows, ...on },
    states: { ...workStates(budget, wants, name), ...states },
  }
}
