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
import { isAnyMerged, isNoneOpen, isReviewKind, servesStage } from '../facts.ts'
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

/** Back to the Task's own work; a review-kind Task has none that it could do itself. */
export function backToWork<E extends Cause>(
  guard: (context: TaskContext, event: E) => boolean,
  reason: string,
  actions: readonly Decide<E>[],
): readonly Row<E>[] {
  const done = actions.map((decide) => does(decide))
  return [
    {
      guard: when((context, event: E) => guard(context, event) && isReviewKind(context)),
      target: '#awaiting-human',
      actions: [...done, does(because(reason))],
    },
    { guard: when(guard), target: '#implementing', actions: done },
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
    { guard: when(isLastSilence), target: '#awaiting-human', actions: does(because('no-outcome')) },
    { guard: when(isSilent), actions: does(remindAgent) },
    { guard: when(isWorkTurn), actions: does(calmDown) },
  ],
  'turn.failed': [
    { guard: when(isLastFailure), target: '#operator-error', actions: does(nameFailure) },
    { guard: when(isFailure), actions: does(countFailure) },
  ],
} satisfies Rows

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
      after: { [budget]: { target: '#awaiting-human', actions: does(missedDeadline) } },
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
