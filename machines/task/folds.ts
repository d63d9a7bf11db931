/**
 * Folds, in two phases: a refine Task asks its members, each one answers in the step in which it gives up what it owns,
 * and when all have answered one implement Task is minted that owns it [OWNERSHIP-7, OWNERSHIP-8]. Its id is known from the start, so
 * that the members' issues and merge requests wait for it from the moment they are handed over.
 */
import { effect, tellIssue, tellMergeRequest, tellTask } from '../emit.ts'
import { taskName } from '../rules/names.ts'
import type { Cause, EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import { answer } from './answers.ts'
import { commentOnMergeRequest, staysOpen } from './comments.ts'
import { withChanges, type Fold, type FoldAnswer, type TaskContext } from './context.ts'
import type { OwnedMergeRequest, TaskSeed, TaskEvent } from './events.ts'
import { handedIssues, handedMergeRequests, handOver, heirOf, mintHeir, type Heir } from './hand-over.ts'
import { noteByPlatform } from './notes.ts'
import { isHeld } from './queries.ts'

type Requested = EventOf<TaskEvent, 'fold.requested'>
type Answered = EventOf<TaskEvent, 'fold.accepted' | 'fold.refused'>
type Accepted = Extract<FoldAnswer, { readonly accepted: true }>

function heir(context: TaskContext): Heir {
  const namespace = context.id.slice(0, context.id.indexOf('/'))
  return heirOf(`${namespace}/${taskName('implement', 'fold', context.forge.folds.length, `${context.id}/fold`)}`)
}

export function askMembers(context: TaskContext, _event: Cause): Change {
  const { to, entry } = heir(context)
  const asked = context.forge.folds.filter(({ answer }) => answer === null)
  return {
    effects: asked.map(({ task }) =>
      effect('requestFold', { member: task, by: context.id, project: context.config.project, to, entry }),
    ),
  }
}

/** No live pod, and nothing of it on its way to the forge: it waits for a slot, or is parked. */
export function isFoldable(context: TaskContext, { by, project }: Requested): boolean {
  const isWaiting =
    context.stage.class === 'parked' || (context.stage.class === 'active' && context.stage.wants !== null)
  const isMember = context.kind === 'implement' && by !== context.id && project === context.config.project
  return isMember && isWaiting && !context.pod.alive && !isHeld(context)
}

export function fold(context: TaskContext, { by, to, entry }: Requested): Change {
  const handed = handOver(context, { to, entry })
  return {
    context: withChanges(handed.context, { stage: { reason: 'folded', detail: to } }),
    effects: [
      ...handed.effects,
      tellTask(by, {
        type: 'fold.accepted',
        task: context.id,
        goal: context.goal,
        priority: context.priority,
        repositories: [...context.repositories],
        issues: handedIssues(context),
        mergeRequests: handedMergeRequests(context),
      }),
    ],
  }
}

function refusalOf(context: TaskContext, { project }: Requested): string {
  if (context.stage.class === 'terminal') return 'task-terminal'
  if (context.kind !== 'implement' || project !== context.config.project) return 'no-member'
  if (isHeld(context)) return 'held'
  return context.pod.alive ? 'member-running' : `stage-${context.stage.name}`
}

export function refuseFold(context: TaskContext, event: Requested): Change {
  return {
    effects: [tellTask(event.by, { type: 'fold.refused', task: context.id, reason: refusalOf(context, event) })],
  }
}

function answerOf(event: Answered): FoldAnswer {
  if (event.type === 'fold.refused') return { accepted: false, reason: event.reason }
  const { type: _type, at: _at, task: _task, ...owned } = event
  return { accepted: true, ...owned }
}

/** The first answer of a member holds: a request that was repeated is refused by a member that has folded. */
function withAnswer(context: TaskContext, event: Answered): readonly Fold[] {
  return context.forge.folds.map((one) =>
    one.task === event.task && one.answer === null ? { ...one, answer: answerOf(event) } : one,
  )
}

export function recordFold(context: TaskContext, event: Answered): Change {
  return { context: { forge: { folds: withAnswer(context, event) } } }
}

export function completesFolds(context: TaskContext, event: Answered): boolean {
  const isAsked = context.forge.folds.some(({ task, answer }) => task === event.task && answer === null)
  return isAsked && withAnswer(context, event).every(({ answer }) => answer !== null)
}

function acceptedOf(context: TaskContext): readonly Accepted[] {
  return context.forge.folds.flatMap(({ answer }) => (answer?.accepted ? [answer] : []))
}

/** A pod works on one branch of a repository: of several merge requests there the oldest goes on. */
function oldestOf(mergeRequests: readonly OwnedMergeRequest[]): readonly OwnedMergeRequest[] {
  const ordered = mergeRequests.toSorted((a, b) => a.number - b.number)
  return ordered.filter((mr, index) => ordered.findIndex(({ repository }) => repository === mr.repository) === index)
}

function refusedNote(context: TaskContext): Change {
  const refused = context.forge.folds.flatMap(({ task, answer }) =>
    answer && !answer.accepted ? [`${task}: ${answer.reason}`] : [],
  )
  return refused.length === 0 ? {} : noteByPlatform(context, 'finding', `Not folded. ${refused.join('; ')}`)
}

/** One implement Task for all that was folded; what refused to is left as it is, and noted. */
export function finishFolds(context: TaskContext): Change {
  const accepted = acceptedOf(context)
  const noted = refusedNote(context)
  const cleared = { stage: { reason: null, detail: null } } as const
  if (accepted.length === 0) return { context: withChanges(cleared, noted.context) }
  const mergeRequests = accepted.flatMap((one) => one.mergeRequests)
  const kept = oldestOf(mergeRequests)
  const minted = heir(context)
  const seed: TaskSeed = {
    kind: 'implement',
    goal: accepted.map(({ goal }) => goal).join('\n'),
    repositories: [...new Set(accepted.flatMap(({ repositories }) => repositories))],
    issues: accepted.flatMap(({ issues }) => issues),
    mergeRequests: [...kept],
    priority: Math.min(...accepted.map(({ priority }) => priority)),
    origin: { kind: 'fold', ref: context.id },
    config: context.config,
  }
  return {
    context: withChanges(cleared, noted.context, { stage: { detail: minted.to } }),
    effects: [
      mintHeir(minted, seed),
      ...mergeRequests
        .filter((mr) => !kept.includes(mr))
        .flatMap((mr) => [
          tellMergeRequest(mr.mergeRequest, { type: 'mr.released', task: minted.to, reason: 'folded' }),
          commentOnMergeRequest(
            context,
            mr,
            `The platform folded its issue into \`${minted.to}\`. That Task continues with another merge request of this repository. This one stays open without a Task.`,
          ),
        ]),
    ],
  }
}

/** What a member gave up is on its way here until it has answered: the end comes with the last answer [LAW-23]. */
export function closeFolds(context: TaskContext, { by, reason }: EventOf<TaskEvent, 'task.close'>): Change {
  return {
    context: { forge: { foldsClosed: closedBy(by, reason) } },
    effects: [answer({ status: 200, body: { accepted: true, task: { stage: context.stage.name } } })],
  }
}

export function closedBy(by: string, reason?: string): string {
  return reason === undefined ? `by ${by}` : `${reason}, by ${by}`
}

export function endsClosed(context: TaskContext, event: Answered): boolean {
  return context.forge.foldsClosed !== null && completesFolds(context, event)
}

/** No Task is minted: what waits for it learns that it never comes, as of any Task that ended. */
export function giveBack(context: TaskContext): Change {
  const { to: task } = heir(context)
  return {
    context: { stage: { reason: 'cancelled', detail: context.forge.foldsClosed } },
    effects: acceptedOf(context).flatMap(({ issues, mergeRequests }) => [
      ...issues.map(({ issue }) =>
        tellIssue(issue, { type: 'task.ended', task, stage: 'rejected', reason: 'cancelled' }),
      ),
      ...mergeRequests.flatMap((mr) => [
        tellMergeRequest(mr.mergeRequest, { type: 'mr.released', task, reason: 'cancelled' }),
        staysOpen(context, { ...mr, state: 'open', mergeCommit: null }, 'cancelled'),
      ]),
    ]),
  }
}
