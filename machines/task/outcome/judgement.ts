/** What an outcome call comes to: an answer at once, and for an accepted one where the stage goes. */
import { refusal, type Answer } from '../answers.ts'
import type { EventOf } from '../../decide.ts'
import type { Ceiling } from '../../rules/significance.ts'
import { sequence, type Change } from '../chart.ts'
import type { TaskEvent } from '../events.ts'
import type { RecordedOutcome, TaskContext } from '../context.ts'
import { ownStage, type CodeStage } from '../queries.ts'
import type { Reason } from '../reasons.ts'

export type Outcome = EventOf<TaskEvent, 'outcome'>

/** Stages that an outcome can move to; `null` stays. */
export const outcomeTargets = [
  'opening',
  'merging',
  'implementing',
  'documenting',
  'upgrading',
  'folding',
  'delivered',
  'awaiting-human',
  'implement-declined',
  'rejected',
] as const
export type OutcomeTarget = (typeof outcomeTargets)[number]

/** The stage as people and status name it. */
const stageOf: { readonly [T in OutcomeTarget]: string } = {
  opening: 'reviewing',
  merging: 'merging',
  implementing: 'implementing',
  documenting: 'documenting',
  upgrading: 'upgrading',
  folding: 'refining',
  delivered: 'delivered',
  'awaiting-human': 'awaiting-human',
  'implement-declined': 'implement-declined',
  rejected: 'rejected',
}

export interface Judgement {
  readonly to: OutcomeTarget | null
  readonly answer: Answer
  readonly change: Change
}

export type Judge = (context: TaskContext, event: Outcome) => Judgement

export function refused(code: string, detail: string, members?: Answer['body']): Judgement {
  return { to: null, answer: refusal(code, detail, members), change: {} }
}

function acceptedBody(stage: string, { outcomeId }: Outcome): Answer['body'] {
  return { accepted: true, task: { stage }, outcomeId }
}

/** Heard, and the stage stays: only an `approved`. Recorded too, so that nothing is claimed twice (OUTCOME-10). */
export function heard(context: TaskContext, event: Outcome, change: Change): Judgement {
  const body = acceptedBody(context.stage.name, event)
  const keep = () => ({ context: { pod: { recordedApproval: recordOf(event, body) } } })
  return { to: null, answer: { status: 200, body }, change: sequence<Outcome>(keep, () => change)(context, event) }
}

function recordOf({ pod, digest, outcomeId, action }: Outcome, body: Answer['body']): RecordedOutcome {
  return { pod, digest, outcomeId, action, body }
}

interface Accepted {
  readonly to: OutcomeTarget
  readonly change?: Change
  readonly reason?: Reason | null
  readonly detail?: string | null
  /** Of the answer, beside what every accepted outcome is told. */
  readonly members?: Answer['body']
}

/** Moves the stage at the call; recorded, so that its repeat is told the same and another is refused (OUTCOME-RULE-2). */
export function accepted(
  context: TaskContext,
  event: Outcome,
  { to, change = {}, reason = null, detail = null, members = {} }: Accepted,
): Judgement {
  const body = { ...acceptedBody(stageOf[to], event), ...members }
  const keep = () => ({
    context: { pod: { recordedOutcome: recordOf(event, body) }, turn: { spoke: true }, stage: { reason, detail } },
  })
  return { to, answer: { status: 200, body }, change: sequence<Outcome>(keep, () => change)(context, event) }
}

/** The ceiling as it was read in the call: a lowered one applies to Tasks that live (PROJECT-18). */
export function ceilingOf({ config }: TaskContext, { ceiling }: Outcome): Ceiling {
  return ceiling ?? config.autoApproveMaxSignificance
}

/** Where a review sends the work back to; a review-kind Task has none of its own. */
export function ownWork(context: TaskContext): CodeStage | null {
  const stage = ownStage(context)
  return stage === 'implementing' || stage === 'documenting' || stage === 'upgrading' ? stage : null
}
