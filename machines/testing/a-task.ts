/** Builds Tasks in the stages that tests start from, by the events that lead there. Test code only. */
import { drive, sent, types, type Drive, type DrivenEffect } from '../drive.ts'
import type { TaskConfig, TaskSeed } from '../task/events.ts'
import type { TaskContext } from '../task/context.ts'
import { taskMachine } from '../task/machine.ts'
import { aTaskConfig } from './a-project.ts'

export const taskId = 'default/implement-lib-1-x7k2p'
export const issueId = 'default/lib-1'
const plan = { id: 'note-1', hash: 'plan-1' } as const

const config: TaskConfig = {
  ...aTaskConfig,
  stallProbeGraceSeconds: 60,
  stallProbeMaxAttempts: 3,
  autoApproveMaxSignificance: 'minor',
  model: { implement: 'model-a', review: 'model-b' },
  effort: { implement: 'high' },
  repositories: [
    { name: 'lib', base: 'main' },
    { name: 'app', base: 'trunk' },
  ],
}

export const anIssue = {
  repository: 'lib',
  number: 1,
  issue: issueId,
  selfProposed: false,
  humanCommented: true,
} as const

export function aMergeRequest(repository = 'lib', headSha = 'sha-1', number = 7): TaskSeed['mergeRequests'][number] {
  const branch = 'platform/implement-lib-1-x7k2p'
  return {
    repository,
    number,
    mergeRequest: `default/${repository}-mr-${number}`,
    headSha,
    headBranch: branch,
    baseBranch: 'main',
    author: 'bot',
    url: `https://forge.test/${repository}/${number}`,
  }
}

export interface Options extends Partial<Omit<TaskSeed, 'config'>> {
  readonly config?: Partial<TaskConfig>
  readonly entry?: string
}

type Fields = { readonly [field: string]: unknown }

export class ATask {
  readonly #drive: Drive
  #last: readonly DrivenEffect[] = []
  #outcomes = 0

  constructor() {
    this.#drive = drive(taskMachine, taskId)
  }

  get context(): TaskContext {
    return this.#drive.context as TaskContext
  }

  get stage(): string {
    return this.context.stage.name
  }

  get reason(): string | null {
    return this.context.stage.reason
  }

  /** Its stage, the reason and the detail of it. */
  get where(): readonly [string, string | null, string | null] {
    return [this.stage, this.reason, this.context.stage.detail]
  }

  get pod(): unknown {
    return (this.#drive.value as { readonly pod: unknown }).pod
  }

  get status(): string {
    return this.#drive.status
  }

  get value(): unknown {
    return this.#drive.value
  }

  /** Effects of the last step. */
  get effects(): readonly DrivenEffect[] {
    return this.#last
  }

  /** Their names; deliveries as `<kind><<event>`. */
  get did(): readonly string[] {
    return types(this.#last)
  }

  get answer(): { readonly status: number; readonly body: { readonly [key: string]: unknown } } | undefined {
    return this.#last.find(({ type }) => type === 'answer')?.params
  }

  get timers(): Readonly<Record<string, number>> {
    return this.#drive.timers()
  }

  only(type: string): readonly DrivenEffect['params'][] {
    return this.#last.filter((effect) => effect.type === type).map(({ params }) => params)
  }

  told(kind: string): readonly Fields[] {
    return sent(this.#last, kind)
  }

  send(type: string, fields: Fields = {}): this {
    this.#last = this.#drive.send({ type, ...fields })
    return this
  }

  fire(timer: string): this {
    this.#last = this.#drive.fire(timer)
    return this
  }

  pass(milliseconds: number): this {
    this.#drive.pass(milliseconds)
    return this
  }

  mint({ entry, config: changes, ...seed }: Options = {}): this {
    const whole: TaskSeed = {
      kind: 'implement',
      goal: 'make it so',
      repositories: ['lib'],
      issues: [anIssue],
      mergeRequests: [],
      priority: 60,
      origin: { kind: 'webhook', ref: 'https://forge.test/lib/issues/1' },
      ...seed,
      config: { ...config, ...changes },
    }
    return this.send('task.minted', { seed: whole, ...(entry === undefined ? {} : { entry }) })
  }

  slot(entry: string | null = this.context.pod.entry): this {
    return this.send('slot.granted', { entry: entry ?? '' })
  }

  works(pod = this.context.pod.ordinal): this {
    return this.send('pod.working', { pod })
  }

  /** A pod of the stage, at its first turn. */
  running(): this {
    return this.slot().works()
  }

  accepted(eventsUpTo = this.context.journal.eventSequence): this {
    return this.send('turn.accepted', { pod: this.context.pod.ordinal, turn: 0, eventsUpTo })
  }

  ended(fields: Fields = {}): this {
    return this.send('turn.ended', {
      pod: this.context.pod.ordinal,
      turn: 0,
      purpose: 'work',
      finalText: 'done',
      usage: {},
      pushed: [],
      failed: [],
      ...fields,
    })
  }

  /** Its turn ends, and its pod is gone. */
  pushed(repositories: readonly string[] = ['lib']): this {
    return this.ended({ pushed: repositories }).final()
  }

  failed(stopReason: string, fields: Fields = {}): this {
    return this.send('turn.failed', {
      pod: this.context.pod.ordinal,
      turn: 0,
      purpose: 'work',
      stopReason,
      finalText: '',
      usage: {},
      pushed: [],
      failed: [],
      ...fields,
    })
  }

  final(cause = 'gone', fields: Fields = {}): this {
    return this.send('pod.final', { pod: this.context.pod.ordinal, cause, residencyMs: 60_000, ...fields })
  }

  outcome(action: string, payload: Fields = {}, fields: Fields = {}): this {
    this.#outcomes += 1
    const id = `outcome-${this.#outcomes}`
    return this.send('outcome', {
      pod: this.context.pod.ordinal,
      outcomeId: id,
      digest: id,
      kind: this.context.pod.agentKind || 'implement',
      action,
      payload,
      claims: [],
      heads: this.liveHeads(),
      workspaceClean: true,
      ...fields,
    })
  }

  /** As the forge has them; the author may merge and none is a draft. */
  liveHeads(changes: Fields = {}): readonly Fields[] {
    return this.context.forge.mergeRequests
      .filter(({ state }) => state === 'open')
      .map(({ repository, number, headSha, baseBranch, author }) => ({
        repository,
        number,
        sha: headSha,
        base: baseBranch,
        draft: false,
        author,
        authorMayMerge: true,
        ...changes,
      }))
  }

  read(): readonly Fields[] {
    return this.liveHeads().map(({ repository, number, sha }) => ({ repo: repository, number, sha }))
  }

  planned(id: string = plan.id, bodyHash: string = plan.hash): this {
    return this.send('note.written', { pod: this.context.pod.ordinal, id, kind: 'plan', body: 'the plan', bodyHash })
  }

  /** Its agent claims that the plan is approved. */
  claimed(): this {
    return this.outcome('approved', { plan_note_id: plan.id })
  }

  grant(fields: Fields = {}): this {
    return this.send('approval.granted', { issue: issueId, planHash: plan.hash, self: false, ...fields })
  }

  submit(payload: Fields = {}, fields: Fields = {}): this {
    const said = { title: 'Make it so', body: 'It is so.', change_significance: 'patch', ...payload }
    return this.outcome('submitted', said, fields)
  }

  ready(repository = 'lib', sha = 'sha-1', number = 7, attempt = this.context.forge.openAttempt): this {
    return this.send('mr.ready', { ...aMergeRequest(repository, sha, number), attempt })
  }

  approve(payload: Fields = {}, fields: Fields = {}): this {
    return this.outcome('approve', { reviewed_shas: this.read(), ...payload }, fields)
  }

  /** From the agent at work on one repository, whose merge request is open, to the asking for its merge. */
  submitToMerge(): this {
    return this.submit().pushed().ready().running().approve().final()
  }

  requestChanges(payload: Fields = {}): this {
    const findings = [{ repo: 'lib', number: 7, path: 'a.ts', line: 3, body: 'off by one', severity: 'high' }]
    return this.outcome('request_changes', { reviewed_shas: this.read(), findings, ...payload })
  }

  merged(repository = 'lib', number = 7, sha = 'sha-1'): this {
    return this.send('mr.merged', { repository, number, sha, mergeCommit: 'merge-1' })
  }

  closed(repository = 'lib', number = 7): this {
    return this.send('mr.closed', { repository, number })
  }

  comment(fields: Fields = {}): this {
    return this.send('human.commented', {
      repository: 'lib',
      number: 1,
      author: 'alice',
      kind: 'issue_comment',
      maintainer: false,
      on: 'issue',
      text: 'hm',
      ...fields,
    })
  }

  /** An answer to the merge that is asked for now. */
  mergeAnswer(type: string, fields: Fields = {}): this {
    return this.send(type, { ...this.context.forge.merging, attempt: this.context.forge.mergeAttempt, ...fields })
  }

  headMoved(sha: string, fields: Fields = {}): this {
    return this.send('mr.headMoved', {
      repository: 'lib',
      number: 7,
      sha,
      base: 'main',
      byOwnPod: false,
      gated: true,
      author: 'alice',
      ...fields,
    })
  }
}

/** implementing, its first turn running, its plan granted. */
export function granted(options: Options = {}): ATask {
  const task = new ATask().mint(options).running().planned()
  for (const { issue } of task.context.forge.issues) task.grant({ issue })
  return task
}

/** reviewing.opening, the submitting pod gone, merge requests asked for. */
export function opening(pushed: readonly string[] = ['lib'], options: Options = {}): ATask {
  const task = granted(options)
  if (pushed.length > 1) task.ended({ pushed }).comment().accepted()
  return task.submit({ ...(pushed.length > 1 ? { merge_order: pushed } : {}) }).pushed(pushed)
}

/** reviewing, its review pod at its first turn. */
export function inReview(sha = 'sha-1', options: Options = {}): ATask {
  return opening(['lib'], options).ready('lib', sha).running()
}

/** Both repositories under review; merge order lib, app. */
export function inReviewOfTwo(): ATask {
  return opening(['lib', 'app'], { repositories: ['lib', 'app'] })
    .ready('lib', 'sha-1', 7)
    .ready('app', 'sha-2', 8)
    .running()
}

/** merging.asked. */
export function merging(options: Options = {}): ATask {
  return inReview('sha-1', options).approve().final()
}

/** A review-kind Task under way on a human's merge request. */
export function reviewTask(options: Options = {}): ATask {
  return new ATask()
    .mint({
      kind: 'review',
      issues: [],
      mergeRequests: [{ ...aMergeRequest(), headBranch: 'fix', author: 'alice' }],
      ...options,
    })
    .running()
}

/** Parked for the given reason, the pod gone. */
export function parkedBy(
  reason:
    | 'discuss'
    | 'approval-revoked'
    | 'needs-maintainer'
    | 'over-auto-approve-ceiling'
    | 'identity-unverified'
    | 'operator-error',
): ATask {
  if (reason === 'discuss') return granted().outcome('discuss', { reason: 'which way?' }).final()
  if (reason === 'approval-revoked')
    return inReview().send('approval.revoked', { issue: issueId, reason: 'withdrawn' }).final()
  if (reason === 'operator-error')
    return granted().send('effect.failed', { effect: 'openMergeRequest', reason: '403', key: 'k' }).final()
  if (reason === 'identity-unverified') {
    return new ATask()
      .mint()
      .running()
      .planned()
      .claimed()
      .send('approval.refused', { issue: issueId, reason: 'author' })
      .final()
  }
  if (reason === 'needs-maintainer') {
    const task = inReview()
    return task.approve({}, { heads: task.liveHeads({ authorMayMerge: false }) }).final()
  }
  const task = new ATask().mint().running().planned().grant({ self: true }).submit().pushed().ready().running()
  return task.approve({ change_significance: 'major' }).final()
}

/** A Task of this kind at its first turn; it owns nothing. */
export function working(kind: TaskSeed['kind'], options: Options = {}): ATask {
  return new ATask().mint({ kind, issues: [], ...options }).running()
}

/** A documentation or upgrade Task with an open merge request, back at work. */
export function reworking(kind: 'documentation' | 'upgrade'): ATask {
  return working(kind).submit().pushed().ready().running().requestChanges().final().running()
}
