/** A Task on its way through one step, and what its rows ask about it. */
import {
  newTask,
  type Head,
  type TaskContext,
  type TaskIssue,
  type TaskMergeRequest,
  type TaskPatch,
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

/** A head as the records have it: against the same base (HEAD-1). */
export const isPair = (head: Head, mr: TaskMergeRequest): boolean =>
  isSame(head, mr) && head.sha === mr.headSha && head.base === mr.baseBranch

export const isSame = (one: Named, other: Named): boolean =>
  one.repository === other.repository && one.number === other.number

/** The context of a Task with its parts, all of it open to a row. */
type MutableTask = { -readonly [K in keyof TaskContext]: K extends Part ? Mutable<TaskContext[K]> : TaskContext[K] }
type Part = 'stage' | 'forge' | 'pod' | 'turn' | 'journal'

export function put(c: MutableTask, { stage, forge, pod, turn, journal, ...identity }: TaskPatch): void {
  Object.assign(c, identity)
  Object.assign(c.stage, stage)
  Object.assign(c.forge, forge)
  Object.assign(c.pod, pod)
  Object.assign(c.turn, turn)
  Object.assign(c.journal, journal)
}

export class TaskDraft extends Asking {
  readonly c: MutableTask
  /** Leaf of each region; the outer names `live`, `active` and `parked` say nothing that the leaf does not. */
  stage: string
  pod: string

  constructor(before: Snapshot | undefined, id: string) {
    super()
    const { stage, forge, pod, turn, journal, ...identity } = before ? (before.context as TaskContext) : newTask(id)
    const parts = {
      stage: { ...stage },
      forge: { ...forge },
      pod: { ...pod },
      turn: { ...turn },
      journal: { ...journal },
    }
    this.c = { ...identity, ...parts }
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

  /** PARK-1: a merge is judged again; a review without an open merge request has nothing to read. */
  get resumed(): string {
    const { parkedFrom, reason } = this.c.stage
    if (this.c.forge.folds.some(({ answer }) => answer === null)) return 'refining.folding'
    const isReview = ['merging', 'reviewing'].includes(parkedFrom ?? '')
    const isUp = this.open.length > 0 && !['not-opened', 'open-deadline'].includes(reason ?? '')
    return `${isReview && isUp ? 'reviewing' : this.ownStage}.fresh`
  }

  get isReviewKind(): boolean {
    return this.c.kind === 'review'
  }

  get open(): readonly TaskMergeRequest[] {
    return this.c.forge.mergeRequests.filter((mr) => mr.state === 'open')
  }

  get liveIssues(): readonly TaskIssue[] {
    return this.c.forge.issues.filter((issue) => issue.state === 'open')
  }

  owns(issue: string): boolean {
    return this.c.forge.issues.some((owned) => owned.issue === issue)
  }

  known(named: Named): TaskMergeRequest | undefined {
    return this.c.forge.mergeRequests.find((mr) => isSame(mr, named))
  }

  private get kept(): readonly string[] {
    return this.c.forge.mergeRequests.flatMap(({ state, repository }) => (state === 'merged' ? [repository] : []))
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
    if (!this.c.forge.everOwnedIssue) return true
    return this.liveIssues.length > 0 && this.gated.every((issue) => issue.grant)
  }

  get isPlanKept(): boolean {
    return !this.gated.some(({ grant }) => grant && grant.planHash !== this.c.journal.planHash)
  }

  /** As the Project has it in the call (PROJECT-18). */
  isUnderCeiling(
    level: string | null,
    { ceiling = this.c.config.autoApproveMaxSignificance }: EventOf<'outcome'>,
  ): boolean {
    if (!this.gated.some(({ grant }) => grant?.self)) return true
    return ceiling !== 'off' && rank(level) <= rank(ceiling)
  }

  /** Every open merge request stands on one of these heads. */
  covers(heads: readonly Head[] | null): boolean {
    return heads !== null && this.open.every((mr) => heads.some((head) => isPair(head, mr)))
  }

  /** POD-7: the pod was started for this visit, and is wanted still. */
  get serves(): boolean {
    return this.c.pod.alive && this.c.pod.visit === this.c.stage.visit && this.c.stage.wants !== null
  }

  isOfPod(event: { readonly pod: number }): boolean {
    return this.c.pod.alive && event.pod === this.c.pod.ordinal
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
    this.c.forge.issues = this.c.forge.issues.map((owned) => (owned.issue === issue ? { ...owned, ...patch } : owned))
  }

  patchMergeRequest(named: Named, patch: Partial<TaskMergeRequest>): void {
    const known = this.known(named)
    this.c.forge.mergeRequests = this.c.forge.mergeRequests.map((mr) => (mr === known ? { ...mr, ...patch } : mr))
  }

  /** At most 20 pending events, the oldest dropped. */
  append(kind: string, named: Named, author: string, text?: string): void {
    const n = this.c.journal.eventSequence + 1
    const { repository, number } = named
    const event = { kind, repository, number, author, ...(text === undefined ? {} : { text }), n, at: this.c.at }
    this.c.journal.pending = [...this.c.journal.pending, event].slice(-20)
    this.c.journal.eventSequence = n
  }

  /** News of the platform's own. */
  news(kind: string, at?: { readonly repository: string; readonly number?: number }): void {
    const repository = at?.repository ?? this.c.forge.issues[0]?.repository ?? this.c.repositories[0] ?? ''
    const number = at?.number ?? this.c.forge.issues.find((issue) => issue.repository === repository)?.number ?? 0
    this.append(kind, { repository, number }, 'statewright', 'words')
  }

  because(reason: string | null, detail: string | null = null): void {
    this.c.stage.reason = reason
    this.c.stage.detail = detail
  }

  commentOn(on: 'issue' | 'mr', { repository, number }: Named): Asked {
    return {
      type: 'postComment',
      params: { project: this.c.config.project, repository, number, on, body: 'words' },
    }
  }

  get issueComments(): readonly Asked[] {
    return this.c.forge.issues.map((issue) => this.commentOn('issue', issue))
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
    if (this.c.pod.alive)
      this.c.pod.deferred = [...this.c.pod.deferred, ...(all as unknown as TaskContext['pod']['deferred'])]
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
      TaskContext['journal']['notes'][number],
      'id' | 'agent' | 'pod' | 'kind' | 'body' | 'bodyHash' | 'source' | 'empty'
    >,
  ): void {
    this.c.journal.notes = [...this.c.journal.notes, { ...fields, at: this.c.at }]
  }

  heardNothing(optionalLaps: TaskContext['forge']['optionalLaps'] = {}): void {
    put(this.c, {
      pod: { released: true, lostInRow: 0, startFailures: 0, respawnDelayMs: 0 },
      forge: { failedOpenings: 0, optionalLaps },
    })
  }
}

/** They wait for a maintainer's word on exactly the reviewed heads. */
export const goAheadParks = ['needs-maintainer', 'over-auto-approve-ceiling']

export function isParkedBy(t: TaskDraft, ...reasons: readonly string[]): boolean {
  return t.is('awaiting-human') && reasons.includes(t.c.stage.reason ?? '')
}

export function isGoAheadPark(t: TaskDraft): boolean {
  return isParkedBy(t, ...goAheadParks)
}
