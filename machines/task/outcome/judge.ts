/** The table of outcomes by stage, kind and action (LAW-12: every action of every schema has its row). */
import { answer } from '../answers.ts'
import type { Change } from '../chart.ts'
import type { TaskContext } from '../context.ts'
import { approved } from './approved.ts'
import { propose, skip } from './brainstorm.ts'
import { declined, declinedUpgrade, discuss, discussOnMergeRequest, rejected } from './endings.ts'
import { falsePositive, fileIssue } from './incident.ts'
import { refused, type Judge, type Judgement, type Outcome } from './judgement.ts'
import { refine } from './refine.ts'
import { approve, requestChanges } from './review.ts'
import { submitted } from './submitted.ts'

export const judgements: Readonly<Record<string, Judge>> = {
  'brainstorming brainstorm propose': propose,
  'brainstorming brainstorm skip': skip,
  'investigating incident file_issue': fileIssue,
  'investigating incident false_positive': falsePositive,
  'refining refine refine': refine,
  'implementing implement approved': approved,
  'implementing implement rejected': rejected,
  'implementing implement declined': declined,
  'implementing implement discuss': discuss,
  'implementing implement submitted': submitted,
  'documenting documentation declined': declined,
  'documenting documentation discuss': discussOnMergeRequest,
  'documenting documentation submitted': submitted,
  'upgrading upgrade declined': declinedUpgrade,
  'upgrading upgrade discuss': discussOnMergeRequest,
  'upgrading upgrade submitted': submitted,
  'reviewing review approve': approve,
  'reviewing review request_changes': requestChanges,
}

function repeated({ pod: { recordedOutcome, recordedApproval } }: TaskContext, event: Outcome): Judgement | null {
  const recorded = [recordedOutcome, recordedApproval].find(
    (one) => one?.pod === event.pod && one.digest === event.digest,
  )
  return recorded ? { to: null, answer: { status: 200, body: recorded.body }, change: {} } : null
}

/** Who speaks, and whether it may speak still [OUTCOME-RULE-1, OUTCOME-RULE-2]. */
function callerFault(context: TaskContext, event: Outcome): Judgement | null {
  if (context.stage.class === 'terminal') return refused('task-terminal', `the Task ended as ${context.stage.name}`)
  if (event.pod !== context.pod.ordinal) return refused('pod-superseded', `pod ${context.pod.ordinal} has taken over`)
  if (context.pod.agentKind === '') return refused('agent-kind-empty', 'the Task runs no agent')
  if (event.kind !== context.pod.agentKind)
    return refused('kind-mismatch', `the agent kind is ${context.pod.agentKind}`, { agentKind: context.pod.agentKind })
  if (context.pod.recordedOutcome?.pod === event.pod)
    return refused('outcome-recorded', `this pod's outcome is ${context.pod.recordedOutcome.action}`)
  return null
}

export function judge(context: TaskContext, event: Outcome): Judgement {
  const early = repeated(context, event) ?? callerFault(context, event)
  if (early) return early
  const row = judgements[`${context.stage.name} ${event.kind} ${event.action}`]
  if (row) return row(context, event)
  return refused('conflict', `the stage ${context.stage.name} does not accept ${event.action}`, {
    reason: 'stage-takes-no-outcome',
  })
}

/** The answer beside what the judgement wants. */
export function takeOutcome(context: TaskContext, event: Outcome): Change {
  const { answer: said, change } = judge(context, event)
  return { ...change, effects: [...(change.effects ?? []), answer(said)] }
}
