/**
 * What could happen next to a Task, if everybody did what it waits for: the environment in which `path.ts` looks for a
 * way to `delivered`. It grants nothing that the real one would not: agents speak in turns, a pod ends when it was
 * asked to or at its TTL, an Issue grants what was claimed, and the forge merges what it was asked for. A merge by hand
 * is left out: it is always possible, and no plan. Of equal things (issues, repositories) the first comes first, so
 * that their orders are not all tried.
 */
import { taskBranch } from '../../rules/names.ts'
import type { Head, TaskContext, TaskIssue } from '../../task/context.ts'
import {
  gatedIssues,
  grantsHold,
  isFolding,
  liveIssues,
  openMergeRequests,
  servesStage,
  withBase,
} from '../../task/queries.ts'
import { move, type Move } from './move.ts'
import { outcomeMoves } from './outcome-moves.ts'

/** A Task as the moves see it: where it stands, what it knows, and whether its agent is in the middle of a turn. */
interface Standing {
  readonly context: TaskContext
  /** Whether this state, by its path, is among the active ones. */
  readonly isIn: (path: string) => boolean
  readonly isTurnOpen: boolean
}

export function movesOf(standing: Standing): readonly Move[] {
  const { context } = standing
  if (context.stage.class === 'terminal') return []
  return [
    ...(context.stage.class === 'parked' ? humanMoves(context) : []),
    ...approvalMoves(standing),
    ...agentMoves(standing),
    ...podMoves(standing),
    ...forgeMoves(standing),
    ...memberMoves(context),
  ]
}

const maintainer = 'a-maintainer'

function humanMoves(context: TaskContext): readonly Move[] {
  const shas = headsAsked(context)
  return [
    ...commentMoves(context),
    ...(shas.length === 0
      ? []
      : [
          move('maintainer', 'approves the reviewed head with `/approve`', {
            type: 'mr.goAhead',
            by: maintainer,
            shas,
          }),
        ]),
    ...(context.stage.reason === 'budget'
      ? [
          move('maintainer', 'raises the budget with `/budget +N`', {
            type: 'budget.raised',
            by: maintainer,
            amount: 1,
          }),
        ]
      : []),
    // A retry asks for the merge once more, and the word that withholds it still stands (MERGE-11).
    ...(context.stage.reason === 'withheld'
      ? liftMoves(context)
      : [move('maintainer', 'restarts it with `/retry`', { type: 'task.retry', by: maintainer })]),
  ]
}

/** A newer word of a maintainer lets a merge go that an older one withholds. */
function liftMoves(context: TaskContext): readonly Move[] {
  const [issue] = liveIssues(context)
  const [mr] = openMergeRequests(context)
  const lift = (name: string): string => `lets it merge with \`/approve\` on ${name} (GitLab: \`approve\`)`
  if (issue !== undefined) {
    const event = { issue: issue.issue, by: maintainer, commentId: 'a-comment' }
    return [move('maintainer', lift(named(issue)), { type: 'approval.commented', ...event })]
  }
  if (mr === undefined) return []
  const shas = [{ repository: mr.repository, number: mr.number, sha: mr.headSha }]
  return [move('maintainer', lift(mergeRequestNamed(mr)), { type: 'mr.goAhead', by: maintainer, shas })]
}

/** Where a maintainer's go-ahead is waited for. */
function headsAsked({ stage: { reason }, forge: { reviewed, checkQuestion } }: TaskContext): Head[] {
  const asked = reason === 'optional-check' && checkQuestion !== null ? [checkQuestion] : (reviewed ?? [])
  return asked.map(({ repository, number, sha, base }) => ({ repository, number, sha, ...withBase(base) }))
}

function commentMoves(context: TaskContext): readonly Move[] {
  const issue = liveIssues(context)[0]
  const mr = openMergeRequests(context)[0]
  const on = mr ? ('mr' as const) : ('issue' as const)
  const place = mr ?? issue
  if (!place) return []
  const { repository, number } = place
  const said = { author: maintainer, maintainer: true, kind: on === 'mr' ? 'mr_comment' : 'issue_comment', on } as const
  return [
    move('human', `comments on ${on === 'mr' ? mergeRequestNamed(place) : `${repository}#${number}`}`, {
      type: 'human.commented',
      repository,
      number,
      ...said,
    }),
  ]
}

/** A comment that approves, then the Issue's word on what the agent claimed by it. */
function approvalMoves({ context }: Standing): readonly Move[] {
  const closed = context.forge.issues.find(({ state }) => state === 'closed')
  const isGated = context.forge.everOwnedIssue && liveIssues(context).length === 0
  const unasked = gatedIssues(context).find(({ accepted, grant }) => !accepted && grant === null)
  const claimed = gatedIssues(context).find(
    ({ issue, accepted, grant }) =>
      accepted && (context.forge.claims.includes(issue) || (grant === null && isGrantedAgain(context))),
  )
  return [
    ...(closed && isGated
      ? [move('human', `reopens ${named(closed)}`, { type: 'issue.reopened', issue: closed.issue })]
      : []),
    ...(unasked && context.journal.planHash !== null && !grantsHold(context)
      ? [
          move('maintainer', `approves on ${named(unasked)} with \`/approve\` (GitLab: \`approve\`)`, {
            type: 'approval.commented',
            issue: unasked.issue,
            by: maintainer,
            commentId: 'a-comment',
          }),
        ]
      : []),
    ...(claimed && context.journal.planHash !== null
      ? [
          move('platform', `verifies the approval of ${named(claimed)}`, {
            type: 'approval.granted',
            issue: claimed.issue,
            planHash: context.journal.planHash,
            self: false,
          }),
        ]
      : []),
  ]
}

/** What an Issue took back when it was closed it gives again when it is open, as long as the evidence stands. */
function isGrantedAgain({ forge: { submission }, stage: { name: stage } }: TaskContext): boolean {
  return submission !== null && (stage === 'reviewing' || stage === 'awaiting-human')
}

function named({ repository, number }: TaskIssue): string {
  return `${repository}#${number}`
}

function agentMoves(standing: Standing): readonly Move[] {
  const { context, isTurnOpen } = standing
  if (!isTurnOpen) return []
  return [...(servesStage(context) ? [...planMoves(context), ...outcomeMoves(context)] : []), endOfTurn(context)]
}

function planMoves(context: TaskContext): readonly Move[] {
  if (context.stage.name !== 'implementing' || context.journal.planHash !== null || context.forge.issues.length === 0)
    return []
  const pod = context.pod.ordinal
  const note = { id: `plan-${pod}`, kind: 'plan', body: 'the plan', bodyHash: `plan-of-${pod}` } as const
  return [move('agent', 'writes its plan', { type: 'note.written', pod, ...note })]
}

/** Whatever it committed is pushed with the end of its turn. */
function endOfTurn(context: TaskContext): Move {
  return move('agent', 'ends its turn; the wrapper pushes its commits', {
    type: 'turn.ended',
    pod: context.pod.ordinal,
    turn: (context.turn.last ?? -1) + 1,
    purpose: 'work',
    finalText: '',
    usage: {},
    pushed: context.pod.agentKind === 'review' ? [] : [...context.repositories],
    failed: [],
  })
}

function podMoves({ context, isIn, isTurnOpen }: Standing): readonly Move[] {
  const pod = context.pod.ordinal
  const entry = context.pod.entry ?? ''
  const ends = (does: string): Move => move('pod', does, { type: 'pod.final', pod, cause: 'gone', residencyMs: 0 })
  return [
    // The queue gives no slot before it says that the model is served again (MODEL-KEY-4).
    ...(isIn('pod.awaitingSlot') && context.pod.withheld
      ? [move('operator', 'waits for the reset of the usage limit, or gives the key money', { type: 'model.served' })]
      : []),
    ...(isIn('pod.awaitingSlot') && !context.pod.withheld
      ? [move('queue', 'gives it a slot', { type: 'slot.granted', entry })]
      : []),
    ...(isIn('pod.starting') ? [move('pod', 'begins to work', { type: 'pod.working', pod })] : []),
    ...(isIn('pod.stopping') && !isTurnOpen ? [ends('stops')] : []),
    ...(isIn('pod.working.ending') ? [ends('ends with its agent')] : []),
    ...(isIn('pod.working.idle') ? [ends('reaches its time limit')] : []),
  ]
}

function forgeMoves({ context, isIn }: Standing): readonly Move[] {
  const repository = context.forge.awaitingOpen[0]
  return [
    ...(isIn('stage.live.active.reviewing.opening.asked') && repository !== undefined
      ? [openedIn(context, repository)]
      : []),
    ...(isIn('stage.live.active.merging.asked.outstanding') && context.forge.merging !== null
      ? [
          move('forge', `merges ${mergeRequestNamed(context.forge.merging)}`, {
            type: 'mr.merged',
            ...context.forge.merging,
            mergeCommit: 'a-merge',
          }),
        ]
      : []),
  ]
}

/** Only the forge knows the number of one that is still to be opened. */
function mergeRequestNamed({ repository, number }: Pick<Head, 'repository' | 'number'>): string {
  return number === unopened ? `the merge request in ${repository}` : `${repository}!${number}`
}

const unopened = 0

/** The one that is open there is found again; a new one has a number that only the forge knows. */
function openedIn(context: TaskContext, repository: string): Move {
  const known = openMergeRequests(context).find((mr) => mr.repository === repository)
  const namespace = context.id.slice(0, context.id.indexOf('/'))
  const {
    state: _state,
    mergeCommit: _commit,
    ...mr
  } = known ?? {
    repository,
    number: unopened,
    mergeRequest: `${namespace}/${repository}-mr-${unopened}`,
    headSha: 'the-pushed-head',
    headBranch: taskBranch(context.id),
    author: 'the-platform',
    url: '',
    state: 'open',
    mergeCommit: null,
  }
  return move('forge', `opens the merge request in ${repository}`, {
    type: 'mr.ready',
    ...mr,
    attempt: context.forge.openAttempt,
  })
}

function memberMoves(context: TaskContext): readonly Move[] {
  const asked = context.forge.folds.find(({ answer }) => answer === null)
  if (!isFolding(context) || !asked) return []
  const { task } = asked
  const owned = { goal: context.goal, priority: context.priority, repositories: [], issues: [], mergeRequests: [] }
  return [move('task', `${task} folds into the new Task`, { type: 'fold.accepted', task, ...owned })]
}
