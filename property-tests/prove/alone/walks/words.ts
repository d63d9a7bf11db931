/** What a Task is told on its walks, by what it knows: the answers of its own queue, pod and forge, in time. */
import type { TaskContext } from '../../../../machines/task/context.ts'
import type { AgentKind, TaskSeed } from '../../../../machines/task/events.ts'
import { headOf } from '../../../../machines/task/queries.ts'
import type { TimelessEvent, Walk } from '../walk.ts'
import { mr, outcomeOf, seedOf } from '../alphabets/task.ts'

export type Word = (context: TaskContext) => TimelessEvent

export function walk(to: string, ...way: readonly (Word | readonly Word[])[]): Walk {
  return { to, way: way.flat() as unknown as Walk['way'] }
}

export const times = (count: number, ...way: readonly Word[]): readonly Word[] =>
  Array.from({ length: count }, () => way).flat()

export const born =
  (kind: AgentKind, more: Partial<TaskSeed> = {}): Word =>
  () => ({ type: 'task.minted', seed: seedOf(kind, more) })
export const slot: Word = ({ pod: { entry } }) => ({ type: 'slot.granted', entry })
const works: Word = ({ pod: { ordinal: pod } }) => ({ type: 'pod.working', pod })
export const up = [slot, works]
export const after =
  (name: string): Word =>
  () => ({ type: 'timer', name })
export const told =
  (type: string, fields: object = {}): Word =>
  () => ({ type, ...fields })
const final =
  (cause: string): Word =>
  ({ pod: { ordinal: pod } }) => ({ type: 'pod.final', pod, cause, residencyMs: 1000 })
export const [lost, gone] = [final('lost'), final('gone')]
const report = { finalText: 'done', usage: {}, purpose: 'work', turn: 0 }
const turn =
  (type: string, fields: object = {}): Word =>
  ({ pod: { ordinal: pod } }) => ({ type, pod, ...report, pushed: [], failed: [], ...fields })
export const silent = turn('turn.ended')
export const fails = turn('turn.failed', { stopReason: 'api_error' })
export const cannotPush = turn('turn.ended', { failed: [{ repo: 'lib', error: 'no' }] })
export const pushes = (...pushed: readonly string[]): Word => turn('turn.ended', { pushed })
export const asks: Word = ({ pod: { ordinal: pod } }) => ({ type: 'agent.asked', pod, repository: 'lib', number: 1 })
const plan =
  (id: string, bodyHash: string): Word =>
  ({ pod: { ordinal: pod } }) => ({ type: 'note.written', pod, id, kind: 'plan', body: 'b', bodyHash })
export const plans = plan('p', 'h')
export const plansAnew = plan('q', 'i')

export const lib7 = mr
export const app7 = { ...mr, repository: 'app', mergeRequest: 'default/app-mr-7' }
export const lib9 = { ...mr, number: 9, mergeRequest: 'default/lib-mr-9' }
/** `late`: the answer to an older opening. */
export const ready =
  (one: typeof mr, late = 0): Word =>
  ({ forge: { openAttempt } }) => ({ type: 'mr.ready', ...one, attempt: openAttempt - late })
export const notOpened: Word = ({ forge: { openAttempt: attempt } }) => ({
  type: 'mr.openFailed',
  repository: 'lib',
  reason: 'no',
  attempt,
})
export const merged = ({ repository, number, headSha: sha }: typeof mr): Word =>
  told('mr.merged', { repository, number, sha, mergeCommit: 'm' })
export const closed = ({ repository, number }: typeof mr): Word => told('mr.closed', { repository, number })
export const moved =
  ({ repository, number }: typeof mr): Word =>
  ({ journal: { eventSequence } }) => ({
    type: 'mr.headMoved',
    ...{ repository, number, author: 'rita', sha: `y${eventSequence}`, base: 'main', byOwnPod: false, gated: true },
  })
export const movedByPod =
  (one: typeof mr): Word =>
  (c) => ({ ...moved(one)(c), byOwnPod: true })
export const pending: Word = ({ forge: { merging, mergeAttempt: attempt } }) => ({
  type: 'mr.ciPending',
  ...merging,
  attempt,
})

/** Open checks that the forge does not require. */
export const open =
  (...optional: readonly string[]): Word =>
  ({ forge: { merging, mergeAttempt: attempt } }) => ({ type: 'mr.ciPending', ...merging, attempt, optional })

/** Checks that the forge does not require. */
export const red =
  (...optional: readonly string[]): Word =>
  ({ forge: { merging, mergeAttempt: attempt } }) => ({ type: 'mr.ciRed', ...merging, attempt, optional })

/** To the question about them. */
export const yes: Word = ({ forge: { checkQuestion } }) => ({
  type: 'mr.goAhead',
  by: 'maya',
  shas: [{ ...headOf({ ...lib7, state: 'open', mergeCommit: null }), ...checkQuestion }].map(
    ({ repository, number, sha, base }) => ({ repository, number, sha, base }),
  ),
})

/** By a maintainer's word, not by the forge. */
export const withheld =
  (cause: string, review?: string): Word =>
  ({ forge: { merging, mergeAttempt: attempt } }) => ({
    type: 'mr.mergeRefused',
    ...merging,
    attempt,
    cause,
    ...(review === undefined ? {} : { review }),
  })

export const outcome =
  (action: string, payload: object = {}, more: object = {}): Word =>
  (c) =>
    outcomeOf(c, action, payload, more)
export const submits = outcome('submitted', {
  title: 'T',
  body: 'b',
  change_significance: 'patch',
  merge_order: ['lib', 'app'],
})
const judges =
  (action: string, more: (c: TaskContext) => object = () => ({})): Word =>
  (c) => {
    const reviewed_shas = c.forge.mergeRequests
      .filter(({ state }) => state === 'open')
      .map(({ repository: repo, number, headSha: sha }) => ({ repo, number, sha }))
    return outcomeOf(c, action, { reviewed_shas }, more(c))
  }
export const approves = judges('approve')
/** Drafts, which a maintainer must let merge. */
export const approvesDrafts = judges('approve', ({ forge: { mergeRequests } }) => ({
  heads: mergeRequests.map((mr) => ({
    ...headOf(mr),
    draft: true,
    author: 'rita',
    authorMayMerge: true,
  })),
}))
export const asksForChanges = judges('request_changes')

export const granted = (name: string, self = false): Word =>
  told('approval.granted', { issue: name, planHash: 'h', self })
export const revoked = (name: string): Word => told('approval.revoked', { issue: name, reason: 'withdrawn' })
export const closedIssue = (name: string): Word => told('issue.closed', { issue: name })
export const reopened = (name: string): Word => told('issue.reopened', { issue: name })
export const retried = told('task.retry', { by: 'maya' })
export const held = told('task.hold', { by: 'ada', reason: 'a look' })
export const refused = told('effect.failed', { effect: 'createIssue', reason: 'no', key: 'k' })
export const exhausted = told('budget.exhausted', { detail: 'spent' })
export const onMr = told('human.commented', {
  repository: 'lib',
  number: 7,
  author: 'rita',
  kind: 'mr_comment',
  maintainer: false,
  on: 'mr',
  text: 'hm',
})

export const said = (repository: string, number: number): Word =>
  told('forge.event', { repository, number, author: 'maya', kind: 'issue_comment' })
