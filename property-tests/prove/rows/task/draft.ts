/** A Task on its way through one step, and what its rows ask about it. */
import {
  newTask,
  type Head,
  type TaskContext,
  type TaskIssue,
  type TaskMergeRequest,
} from '../../../../machines/task/context.ts'
import type { AgentKind, TaskEvent } from '../../../../machines/task/events.ts'
import type { Snapshot } from '../../../machines/world/trace.ts'
import { Asking, leavesOf, type Asked, type Mutable } from '../draft.ts'

export type EventOf<T extends TaskEvent['type']> = Extract<TaskEvent, { type: T }>

/** STAGE-1: own work stage by kind, and the agent that each stage wants. */
const stageOfKind: Readonly<Record<AgentKind, string>> = {
  brainstorm: 'brainstorming',
  incident: 'investigating',
  implement: 'implementing',
  review: 'reviewing',
  refine: 'refining',
  documentation: 'documenting',
  upgrade: 'upgrading',
}
export const agentOfStage = Object.fromEntries(
  Object.entries(stageOfKind).map(([kind, stage]) => [stage, kind as AgentKind]),
) as Readonly<Record<string, AgentKind | undefined>>

export const parks: ReadonlySet<string> = new Set([
  'awaiting-human',
  'backlog-sweep',
  'identity-unverified',
  'implement-declined',
  'operator-error',
])
export const ends: ReadonlySet<string> = new Set(['delivered', 'rejected', 'failed', 'folded'])

const levels = ['patch', 'minor', 'major']
export const rank = (level: string | null): number => (level === null ? 2 : levels.indexOf(level))

export interface Named {
  readonly repository: string
  readonly number: number
}

export const isSame = (one: Named, other: Named): boolean =>
  one.repository === other.repository && one.number === other.number

export class TaskDraft extends Asking {
  readonly c: Mutable<TaskContext>
  /** Leaf of each region; the outer names `live`, `active` and `parked` say nothing that the leaf does not. */
  stage: string
  pod: string

  constructor(before: Snapshot | undefined, id: string) {
    super()
    this.c = { ...(before ? (before.context as TaskContext) : newTask(id)) }
    const leaves = before ? leavesOf(before.value) : ['stage.live.minted', 'pod.none']
    const of = (region: string): string =>
      leaves.find((leaf) => leaf.startsWith(region))!.replace(/^(stage|pod)\.(live\.)?(active\.|parked\.)?/, '')
    this.stage = of('stage')
    this.pod = of('pod')
  }

  get leaves(): readonly string[] {
    const outer = ends.has(this.stage)
      ? ''
      : this.stage === 'minted'
        ? 'live.'
        : parks.has(this.stage)
          ? 'live.parked.'
          : 'live.active.'
    return [`stage.${outer}${this.stage}`, `pod.${this.pod}`]
  }

  is(...stages: readonly string[]): boolean {
    return stages.some((stage) => this.stage === stage || this.stage.startsWith(`${stage}.`))
  }

  get ownStage(): string {
    return stageOfKind[this.c.kind]
  }

  get isReviewKind(): boolean {
    return this.c.kind === 'review'
  }

  get open(): readonly TaskMergeRequest[] {
    return this.c.mergeRequests.filter((mr) => mr.state === 'open')
  }

  get liveIssues(): readonly TaskIssue[] {
    return this.c.issues.filter((issue) => issue.state === 'open')
  }

  owns(issue: string): boolean {
    return this.c.issues.some((owned) => owned.issue === issue)
  }

  known(named: Named): TaskMergeRequest | undefined {
    return this.c.mergeRequests.find((mr) => isSame(mr, named))
  }

  private get kept(): readonly string[] {
    return this.c.mergeRequests.flatMap(({ state, repository }) => (state === 'merged' ? [repository] : []))
  }

  /** Where something is merged the word was kept: only who took it back is asked there (APPROVAL-16). */
  get gated(): readonly TaskIssue[] {
    return this.liveIssues.filter(({ repository, withdrawn }) => withdrawn || !this.kept.includes(repository))
  }

  /** LAW-18: every word that stands, and every one that is missing. */
  get judged(): readonly TaskIssue[] {
    return this.liveIssues.filter(
      ({ repository, grant, withdrawn }) => grant || withdrawn || !this.kept.includes(repository),
    )
  }

  /** LAW-3, APPROVAL-8: only a Task that never owned an issue is ungated. */
  get isGranted(): boolean {
    if (!this.c.everOwnedIssue) return true
    return this.liveIssues.length > 0 && this.gated.every((issue) => issue.grant)
  }

  get isPlanKept(): boolean {
    return !this.gated.some(({ grant }) => grant && grant.planHash !== this.c.planHash)
  }

  isUnderCeiling(level: string | null): boolean {
    const ceiling = this.c.config.autoApproveMaxSignificance
    if (!this.gated.some(({ grant }) => grant?.self)) return true
    return ceiling !== 'off' && rank(level) <= rank(ceiling)
  }

  /** Every open merge request stands on one of these heads. */
  covers(heads: readonly Head[] | null): boolean {
    return heads !== null && this.open.every((mr) => heads.some((head) => isSame(head, mr) && head.sha === mr.headSha))
  }

  /** POD-7: the pod was started for this visit, and is wanted still. */
  get serves(): boolean {
    return this.c.podAlive && this.c.podVisit === this.c.visit && this.c.wants !== null
  }

  isOfPod(event: { readonly pod: number }): boolean {
    return this.c.podAlive && event.pod === this.c.podOrdinal
  }

  branchIn(repository: string): string {
    const adopted = this.open.find((mr) => mr.repository === repository)
    return adopted ? adopted.headBranch : `platform/${this.c.id.split('/').slice(1).join('/')}`
  }

  /** A merge order that names each of several repositories once; of one none is needed. */
  isOrdered(order: readonly string[] | null, repositories: readonly string[]): boolean {
    const all = new Set(repositories)
    if (all.size <= 1) return true
    return order !== null && new Set(order).size === order.length && [...all].every((one) => order.includes(one))
  }

  patchIssue(issue: string, patch: Partial<TaskIssue>): void {
    this.c.issues = this.c.issues.map((owned) => (owned.issue === issue ? { ...owned, ...patch } : owned))
  }

  patchMergeRequest(named: Named, patch: Partial<TaskMergeRequest>): void {
    const known = this.known(named)
    this.c.mergeRequests = this.c.mergeRequests.map((mr) => (mr === known ? { ...mr, ...patch } : mr))
  }

  /** At most 20 pending events, the oldest dropped. */
  append(kind: string, named: Named, author: string, text?: string): void {
    const n = this.c.eventSequence + 1
    const { repository, number } = named
    const event = { kind, repository, number, author, ...(text === undefined ? {} : { text }), n, at: this.c.at }
    this.c.pending = [...this.c.pending, event].slice(-20)
    this.c.eventSequence = n
  }

  /** News of the platform's own. */
  news(kind: string, at?: { readonly repository: string; readonly number?: number }): void {
    const repository = at?.repository ?? this.c.issues[0]?.repository ?? this.c.repositories[0] ?? ''
    const number = at?.number ?? this.c.issues.find((issue) => issue.repository === repository)?.number ?? 0
    this.append(kind, { repository, number }, 'statewright', 'words')
  }

  because(reason: string | null, detail: string | null = null): void {
    this.c.stageReason = reason
    this.c.stageDetail = detail
  }

  commentOn(on: 'issue' | 'mr', { repository, number }: Named): Asked {
    return {
      type: 'postComment',
      params: { project: this.c.config.project, repository, number, on, body: 'words' },
    }
  }

  get issueComments(): readonly Asked[] {
    return this.c.issues.map((issue) => this.commentOn('issue', issue))
  }

  /** Where people look: on open merge requests, else on issues. */
  get comments(): readonly Asked[] {
    return this.open.length > 0 ? this.open.map((mr) => this.commentOn('mr', mr)) : this.issueComments
  }

  askAll(all: readonly Asked[]): void {
    for (const { type, params } of all) this.ask(type, params)
  }

  /** FORGE-WRITES-2: once the pod that caused it is gone. */
  afterPod(all: readonly Asked[]): void {
    if (this.c.podAlive) this.c.deferred = [...this.c.deferred, ...(all as unknown as TaskContext['deferred'])]
    else this.post(all)
  }

  post(all: readonly Asked[]): void {
    for (const { type, params } of all) {
      if (type !== 'postReview') this.ask(type, params)
      else this.#postReview(params)
    }
  }

  /** Of a merge request that is open still, and an approval only of the head that stands. */
  #postReview(params: Asked['params']): void {
    const { repository, number, sha, verdict } = params as {
      repository: string
      number: number
      sha: string
      verdict: string
    }
    const mr = this.open.find((one) => isSame(one, { repository, number }))
    if (!mr || (verdict === 'approve' && mr.headSha !== sha)) return
    this.ask('postReview', params)
    this.tell(`merge-request:${mr.mergeRequest}`, 'verdict.posted', { task: this.c.id, sha, verdict })
  }

  note(
    fields: Pick<
      TaskContext['notes'][number],
      'id' | 'agent' | 'pod' | 'kind' | 'body' | 'bodyHash' | 'source' | 'empty'
    >,
  ): void {
    this.c.notes = [...this.c.notes, { ...fields, at: this.c.at }]
  }

  heardNothing(): void {
    Object.assign(this.c, { released: true, lostInRow: 0, startFailures: 0, failedOpenings: 0, respawnDelayMs: 0 })
  }
}

/** They wait for a maintainer's word on exactly the reviewed heads. */
export const goAheadParks = ['needs-maintainer', 'over-auto-approve-ceiling']

export function isParkedBy(t: TaskDraft, ...reasons: readonly string[]): boolean {
  return t.is('awaiting-human') && reasons.includes(t.c.stageReason ?? '')
}

export function isGoAheadPark(t: TaskDraft): boolean {
  return isParkedBy(t, ...goAheadParks)
}
