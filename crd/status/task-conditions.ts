/**
 * The conditions of a Task (RESOURCES-29, TASK-RESOURCE-16). Their times are committed ones: of its stages, of its pods, and
 * of what its issues granted or withdrew. So one snapshot gives one status, whenever it is read.
 */
import type { IssueContext } from '../../machines/issue/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { dated, type Condition, type Finding } from './condition.ts'
import type { ActorShape } from './shape.ts'

export interface ConditionFacts {
  /** The actors of its issues. */
  readonly issues: readonly Pick<ActorShape<IssueContext>, 'context'>[]
  /** When its newest pod came to its end, where that one is known. */
  readonly podEndedAt?: number
}

/** Of the machine, as its history names them: a person, or time, moves the Task on. */
export const parkedStages: readonly string[] = [
  'awaiting-human',
  'backlog-sweep',
  'identity-unverified',
  'implement-declined',
  'operator-error',
]

/** Names of checks are of any length; a condition is one line of a list. */
const MESSAGE_CHARS = 500

type Dated = readonly [Finding, number]

export function taskConditions(task: TaskContext, facts: ConditionFacts, generation: number): readonly Condition[] {
  return [
    finding('Admitted', true, 'Minted', 'the queue admitted it', mintedAt(task)),
    running(task, facts),
    approved(task, facts),
    stalled(task),
    complete(task),
  ].map(([condition, at]) => dated(condition, at, generation))
}

function finding(type: string, is: boolean, reason: string, message: string, at: number): Dated {
  return [{ type, status: is ? 'True' : 'False', reason, message }, at]
}

/** Of a Task with more stages than its history has (200): the oldest one that is known. */
function mintedAt({ at, stage: { history } }: TaskContext): number {
  return history[0]?.at ?? at
}

function running(task: TaskContext, { podEndedAt }: ConditionFacts): Dated {
  const { alive, ordinal, startedAt } = task.pod
  if (alive) return finding('Running', true, 'PodLives', `pod ${ordinal}`, startedAt ?? task.stage.enteredAt)
  if (ordinal === 0) return finding('Running', false, 'NoPod', 'it had no pod yet', mintedAt(task))
  return finding('Running', false, 'NoPod', `pod ${ordinal} is over`, podEndedAt ?? task.stage.enteredAt)
}

/** Only a Task that never owned an issue needs no approval (APPROVAL-8). */
function approved(task: TaskContext, { issues }: ConditionFacts): Dated {
  const owned = task.forge.issues.filter(({ state }) => state !== 'handedOver')
  const contexts = issues.map(({ context }) => context)
  const newest = (times: readonly number[]): number => Math.max(mintedAt(task), ...times)
  if (!task.forge.everOwnedIssue) return finding('Approved', true, 'NoIssue', 'it needs no approval', mintedAt(task))
  if (owned.length > 0 && owned.every(({ grant }) => grant !== null)) {
    const at = newest(contexts.flatMap((issue) => issue.grant?.at ?? approvedAt(issue, task)))
    return finding('Approved', true, 'Granted', 'each of its issues is approved for its plan', at)
  }
  const isWithdrawn = owned.some(({ grant, withdrawn }) => grant === null && withdrawn === true)
  if (!isWithdrawn) return finding('Approved', false, 'NotApproved', 'an issue of it is not approved', mintedAt(task))
  const withdrawnAt = newest(contexts.flatMap(({ withdrawals }) => withdrawals.map(({ at }) => at)))
  return finding('Approved', false, 'Withdrawn', 'an approval was taken back', withdrawnAt)
}

/** A delivered Issue keeps no grant: the comment that its grant rested on tells the time. */
function approvedAt({ boundPlans, facts }: IssueContext, { journal: { planHash } }: TaskContext): readonly number[] {
  return (facts?.approvals ?? []).filter(({ commentId }) => boundPlans[commentId] === planHash).map(({ at }) => at)
}

function stalled(task: TaskContext): Dated {
  const { stage } = task
  const at = sinceIn(task, (name) => parkedStages.includes(name))
  if (stage.class !== 'parked') return finding('Stalled', false, 'NotParked', `it is ${stage.name}`, at)
  return finding('Stalled', true, word(stage.name), parkedBy(task), at)
}

/** What the question is about, and what the platform could not read (MERGE-15), stands behind the reason. */
function parkedBy({ stage: { name, reason, detail } }: TaskContext): string {
  const isQuestion = reason === 'optional-check' && detail !== null
  return isQuestion ? `${reason}: ${detail.slice(0, MESSAGE_CHARS)}` : (reason ?? name)
}

function complete(task: TaskContext): Dated {
  const { name, class: stageClass, enteredAt, reason } = task.stage
  if (stageClass !== 'terminal') return finding('Complete', false, 'InProgress', `it is ${name}`, mintedAt(task))
  return finding('Complete', true, word(name), reason ?? name, enteredAt)
}

/** Where the newest run of stages begins that are all so, or all not so. */
function sinceIn(task: TaskContext, isSo: (stage: string) => boolean): number {
  const { history, name, enteredAt } = task.stage
  const last = history.findLastIndex(({ stage }) => isSo(stage) !== isSo(name))
  return history[last + 1]?.at ?? enteredAt
}

/** `awaiting-human` as a reason: `AwaitingHuman`. */
function word(stage: string): string {
  return stage.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
