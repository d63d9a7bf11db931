/** Ownership moves with the word that carries it: folds and take-overs [OWNERSHIP-7, OWNERSHIP-8, LAW-7 and LAW-23]. */
import type { FoldAnswer, TaskContext } from '../../../../machines/task/context.ts'
import { shortHash } from '../../../../machines/rules/names.ts'
import { put, ends, isParkedBy, type EventOf, type TaskDraft } from './draft.ts'
import { heirOf } from './entering.ts'
import type { Move } from './pods.ts'

interface Handed {
  readonly issues: readonly object[]
  readonly mergeRequests: readonly {
    readonly repository: string
    readonly number: number
    readonly mergeRequest: string
  }[]
}

function handedOf(t: TaskDraft): Handed {
  const issues = t.liveIssues.map(({ repository, number, issue, selfProposed, humanCommented }) => ({
    ...{ repository, number, issue, selfProposed, humanCommented },
  }))
  const mergeRequests = t.open.map(({ state: _state, mergeCommit: _commit, ...owned }) => owned)
  return { issues, mergeRequests }
}

function giveAll(t: TaskDraft, word: { readonly to: string; readonly entry: string }): void {
  for (const { issue } of t.liveIssues) t.tell(`issue:${issue}`, 'issue.handedOver', { task: t.c.id, ...word })
  for (const { mergeRequest } of t.open)
    t.tell(`merge-request:${mergeRequest}`, 'mr.handedOver', { task: t.c.id, ...word })
  const give = <T extends { readonly state: string }>(one: T): T =>
    one.state === 'open' ? { ...one, state: 'handedOver' } : one
  t.c.forge.issues = t.c.forge.issues.map(give)
  t.c.forge.mergeRequests = t.c.forge.mergeRequests.map(give)
}

function mint(
  t: TaskDraft,
  { to, entry }: { to: string; entry: string },
  seed: Readonly<Record<string, unknown>>,
): void {
  const config = t.c.config
  t.tell(`queue:${config.project}`, 'queue.enqueue', {
    ...{ entry, sort: 'mint', task: to, class: 'normal', priority: seed['priority'], kind: 'implement' },
    seed: { kind: 'implement', goal: 'words', ...seed, config },
  })
}

/** A member that waits for a slot or is parked gives up what it has in the step in which it answers. */
export function fold(t: TaskDraft, { by, project, to, entry }: EventOf<'fold.requested'>): Move {
  const { c } = t
  const isEnded = ends.has(t.stage)
  const isMember = c.kind === 'implement' && project === c.config.project
  const isWaiting = c.stage.class === 'parked' || (c.stage.class === 'active' && c.stage.wants !== null)
  const isKept = isParkedBy(t, 'held')
  if (!isEnded && isMember && by !== c.id && isWaiting && !c.pod.alive && !isKept)
    return {
      to: 'folded',
      does: () => {
        const handed = handedOf(t)
        const { goal, priority } = c
        giveAll(t, { to, entry })
        put(c, { stage: { reason: 'folded', detail: to } })
        const repositories = [...c.repositories]
        t.tell(`task:${by}`, 'fold.accepted', { task: c.id, goal, priority, repositories, ...handed })
      },
    }
  const reason = isEnded
    ? 'task-terminal'
    : !isMember
      ? 'no-member'
      : isKept
        ? 'held'
        : c.pod.alive
          ? 'member-running'
          : `stage-${c.stage.name}`
  return { does: () => t.tell(`task:${by}`, 'fold.refused', { task: c.id, reason }) }
}

type Answered = EventOf<'fold.accepted' | 'fold.refused'>

function answerOf(event: Answered): FoldAnswer {
  if (event.type === 'fold.refused') return { accepted: false, reason: event.reason }
  const { goal, priority, repositories, issues, mergeRequests } = event
  return { accepted: true, goal, priority, repositories, issues, mergeRequests }
}

/** The first answer of each member holds; the last one that is missing finishes the Task. */
export function foldMove(t: TaskDraft, event: Answered): Move {
  const isAsked = t.c.forge.folds.some(({ task, answer }) => task === event.task && answer === null)
  const folds = t.c.forge.folds.map((one) =>
    one.task === event.task && one.answer === null ? { ...one, answer: answerOf(event) } : one,
  )
  const keep = (): void => void (t.c.forge.folds = folds)
  if (!isAsked || folds.some(({ answer }) => answer === null)) return { does: keep }
  if (t.c.forge.foldsClosed !== null) return { to: 'rejected', does: () => (keep(), endWithout(t)) }
  return { to: 'delivered', does: () => (keep(), finish(t)) }
}

/** Closed meanwhile: the heir that was named never comes. */
function endWithout(t: TaskDraft): void {
  const { to: task } = heirOf(t, 'fold', t.c.forge.folds.length, 'fold')
  t.because('cancelled', t.c.forge.foldsClosed)
  for (const { answer } of t.c.forge.folds) {
    if (!answer?.accepted) continue
    for (const { issue } of answer.issues)
      t.tell(`issue:${issue}`, 'task.ended', { task, stage: 'rejected', reason: 'cancelled' })
    for (const mr of answer.mergeRequests) {
      t.tell(`merge-request:${mr.mergeRequest}`, 'mr.released', { task, reason: 'cancelled' })
      t.askAll([t.commentOn('mr', mr)])
    }
  }
}

type Accepted = Extract<FoldAnswer, { accepted: true }>

function noteRefusals(t: TaskDraft): void {
  const refused = t.c.forge.folds.flatMap(({ task, answer }) =>
    answer?.accepted === false ? [`${task}: ${answer.reason}`] : [],
  )
  if (refused.length === 0) return
  const {
    pod: { ordinal: pod, agentKind },
    kind,
  } = t.c
  const body = `Not folded. ${refused.join('; ')}`
  const id = `operator-${pod}-finding`
  t.note({ id, agent: agentKind || kind, pod, kind: 'finding', body, bodyHash: shortHash(body), source: 'operator' })
}

/** One implement Task for all; of several merge requests of a repository the oldest goes on. */
function finish(t: TaskDraft): void {
  const { c } = t
  const accepted = c.forge.folds.flatMap(({ answer }) => (answer?.accepted ? [answer as Accepted] : []))
  noteRefusals(t)
  put(c, { stage: { reason: null, detail: null } })
  if (accepted.length === 0) return
  const heir = heirOf(t, 'fold', c.forge.folds.length, 'fold')
  c.stage.detail = heir.to
  const all = accepted.flatMap(({ mergeRequests }) => mergeRequests).toSorted((a, b) => a.number - b.number)
  const kept = all.filter((mr, index) => all.findIndex(({ repository }) => repository === mr.repository) === index)
  mint(t, heir, {
    repositories: [...new Set(accepted.flatMap(({ repositories }) => repositories))],
    issues: accepted.flatMap(({ issues }) => issues),
    mergeRequests: kept,
    priority: Math.min(...accepted.map(({ priority }) => priority)),
    origin: { kind: 'fold', ref: c.id },
  })
  for (const mr of all) {
    if (kept.includes(mr)) continue
    t.tell(`merge-request:${mr.mergeRequest}`, 'mr.released', { task: heir.to, reason: 'folded' })
    t.askAll([t.commentOn('mr', mr)])
  }
}

const takenFrom: ReadonlySet<TaskContext['stage']['name']> = new Set(['reviewing', 'awaiting-human'])

/** OWNERSHIP-11: only the review of an open merge request. */
export function takeover(t: TaskDraft, event: EventOf<'takeover.accepted'>): Move {
  if (ends.has(t.stage)) return { does: () => t.answer(409, { code: 'task-terminal', detail: 'words' }) }
  const isOpen = t.known(event)?.state === 'open'
  if (!t.isReviewKind || !isOpen || !takenFrom.has(t.c.stage.name))
    return { does: () => t.answer(409, { code: 'takeover-refused', detail: 'words', reason: 'not-under-review' }) }
  if (isParkedBy(t, 'held'))
    return { does: () => t.answer(409, { code: 'takeover-refused', detail: 'words', reason: 'held' }) }
  const heir = heirOf(t, event.repository, event.number, 'takeover')
  const does = (): void => {
    const mergeRequests = handedOf(t).mergeRequests.map((mr) => ({ ...mr, writable: true }))
    giveAll(t, heir)
    put(t.c, { stage: { reason: 'taken-over', detail: heir.to } })
    mint(t, heir, {
      repositories: [...new Set(mergeRequests.map(({ repository }) => repository))],
      issues: [],
      mergeRequests,
      priority: 20,
      origin: { kind: 'takeover', ref: event.commentId },
    })
    t.answer(200, { accepted: true, task: { stage: 'delivered' }, mints: heir.to })
  }
  return { to: 'delivered', does }
}
