import type { EffectAction } from '../emit.ts'
import type { AccountReport } from '../event.ts'
import type { Ceiling, Level } from '../rules/significance.ts'
import type {
  AgentKind,
  NoteKind,
  OwnedIssue,
  OwnedMergeRequest,
  PendingEvent,
  TaskConfig,
  TaskSeed,
} from './events.ts'

interface Grant {
  readonly planHash: string
  /** Given without a maintainer's comment: limited by `autoApproveMaxSignificance`. */
  readonly self: boolean
}

export interface TaskIssue extends OwnedIssue {
  /** `handedOver`: another Task owns it now. */
  readonly state: 'open' | 'closed' | 'handedOver'
  /** A maintainer's approving comment stands, granted or not (APPROVAL-1). */
  readonly accepted: boolean
  readonly grant: Grant | null
  /** A grant that stood was taken back, and none came since. */
  readonly withdrawn?: boolean
}

export interface TaskMergeRequest extends OwnedMergeRequest {
  readonly state: 'open' | 'merged' | 'closed' | 'handedOver'
  readonly mergeCommit: string | null
  /** Number of the pending event that tells of a new base, until a turn carried it: whoever reviews now has read another one. */
  readonly baseUntold?: number
}

/** What a verdict is on: one head against one base (HEAD-1). */
export interface Head {
  readonly repository: string
  readonly number: number
  readonly sha: string
  /** Branch that it merges into; a journal of before 2026-11-28 has none, and its verdict is asked for again. */
  readonly base?: string
}

/** What a maintainer was asked about one head: checks that are red, and that the forge does not require (MERGE-15). */
interface CheckQuestion extends Head {
  readonly checks: readonly string[]
  /** The head may merge in spite of them. */
  readonly isAllowed: boolean
}

export interface Note {
  readonly id: string
  /** Agent kind of the pod that wrote, or whose pod it was written for. */
  readonly agent: string
  readonly pod: number
  readonly at: number
  readonly kind: NoteKind
  /** Empty where the words were spilled: the store has them, by their place in the journal. */
  readonly body: string
  readonly bodyHash: string
  readonly source: 'agent' | 'operator'
  /** A placeholder: the pod left nothing that the next one could go on from (STOP-SEQUENCE-6). */
  readonly empty?: true
  readonly spilled?: true
}

/** The accepted stage-moving outcome of a pod and what it was told: its repeat is told the same (OUTCOME-RULE-2). */
export interface RecordedOutcome {
  readonly pod: number
  readonly digest: string
  readonly outcomeId: string
  readonly action: string
  readonly body: { readonly [key: string]: unknown }
}

/** What `submitted` said; the merge requests are opened with it. */
interface Submission {
  readonly title: string
  readonly body: string
  readonly significance: Level
  readonly mergeOrder: readonly string[] | null
}

/** A member Task that was asked to fold into this one; `null`: it has not answered. */
export interface Fold {
  readonly task: string
  readonly answer: FoldAnswer | null
}

export type FoldAnswer =
  | {
      readonly accepted: true
      readonly goal: string
      readonly priority: number
      readonly repositories: readonly string[]
      readonly issues: readonly OwnedIssue[]
      readonly mergeRequests: readonly OwnedMergeRequest[]
    }
  | { readonly accepted: false; readonly reason: string }

/** Why the next turn is asked for; the edge that renders its text reads it. */
type Prompt = 'first' | 'events' | 'continue' | 'write-code' | 'retry'

export type StageClass = 'active' | 'parked' | 'terminal'

/** What the Task is about now, and what it was. */
interface TaskStage {
  readonly name: string
  readonly class: StageClass
  readonly reason: string | null
  readonly detail: string | null
  readonly enteredAt: number
  /** First `pod.working` of the stage visit: the budget counts from here. */
  readonly workStartedAt: number | null
  /** When the budget's clock began to run, the last time that it did. */
  readonly clockedAt: number
  /** Of the budget, before `clockedAt`: the clock stands while the model is withheld. */
  readonly spentMs: number
  /** The newest 200 entries. */
  readonly history: readonly { readonly stage: string; readonly at: number; readonly reason: string | null }[]
  readonly visit: number
  /** The agent the stage wants a pod for. */
  readonly wants: AgentKind | null
  /** The active stage that a park interrupted. */
  readonly parkedFrom: string | null
  readonly deadlines: number
  readonly reviewLaps: number
  readonly reviewRounds: number
}

/** What it owns on the forge, and what it asks of it. */
interface TaskForge {
  readonly issues: readonly TaskIssue[]
  /** Ungated only if it NEVER owned an issue [APPROVAL-8]. */
  readonly everOwnedIssue: boolean
  readonly mergeRequests: readonly TaskMergeRequest[]
  /** Issue actors whose answer to an `approval.claimed` is outstanding. */
  readonly claims: readonly string[]
  readonly claimedMaintainer: string | null
  readonly significance: Level | null
  readonly submission: Submission | null
  /** Heads that a review accepted, or a maintainer's go-ahead named. */
  readonly verdict: readonly Head[] | null
  /** Heads of an accepted review that waits for a maintainer. */
  readonly reviewed: readonly Head[] | null
  /** Those of them that a maintainer let merge; each merge request has its own. */
  readonly goAheads: readonly Head[]
  /** Reviews of maintainers that request changes and had their lap of work (MERGE-13). */
  readonly reviewsAnswered: readonly string[]
  /** Laps of work that a red check gave which the forge does not require, by repository and name (MERGE-15). */
  readonly optionalLaps: { readonly [check: string]: number }
  /** The newest question about such checks. */
  readonly checkQuestion: CheckQuestion | null
  readonly openAttempt: number
  /** Openings in a row that came to nothing: the third one needs a human. */
  readonly failedOpenings: number
  /** Repositories whose merge request was asked for and is not ready yet; outlives a failed opening [STAGE-11]. */
  readonly awaitingOpen: readonly string[]
  readonly mergeAttempt: number
  /** Asks since the stage was entered: the backoff grows with them. */
  readonly mergeAsks: number
  readonly merging: Head | null
  /** Members of a refine Task's outcome; ownership moves with their answers [OWNERSHIP-7]. */
  readonly folds: readonly Fold[]
  /** Who closed it while members were asked, and why: it ends with their last answer [OWNERSHIP-9]. */
  readonly foldsClosed: string | null
  /** What maintainers added to the spending budget of this Task. */
  readonly budgetRaised: number
}

/** The place in the queue and the pod: at most one lives. */
interface TaskPod {
  /** The entry asked for, or under which the pod runs. */
  readonly entry: string | null
  readonly entries: number
  readonly released: boolean
  readonly ordinal: number
  readonly alive: boolean
  readonly visit: number
  readonly worked: boolean
  readonly startedAt: number | null
  /** Kind of the live pod; empty between pods (TASK-RESOURCE-7, POD-8). */
  readonly agentKind: AgentKind | ''
  readonly recordedOutcome: RecordedOutcome | null
  /** The newest `approved` of the pod, while what it claims stands as it did (OUTCOME-10). */
  readonly recordedApproval: RecordedOutcome | null
  /** Forge writes that wait for the end of the pod that caused them (FORGE-WRITES-2). */
  readonly deferred: readonly EffectAction[]
  readonly lostInRow: number
  readonly startFailures: number
  /** Losses by reason: `operator_pod_recreations_total`. */
  readonly recreations: { readonly [reason: string]: number }
  readonly visitResidencyMs: number
  readonly respawnDelayMs: number
  /** The queue said that no turn would be answered, since it has its newest entry. */
  readonly withheld: boolean
}

/** The pod's newest turn, and what all of them came to. */
interface TaskTurn {
  /** The pod's newest turn. */
  readonly prompt: Prompt
  readonly nudged: boolean
  readonly asked: boolean
  readonly spoke: boolean
  readonly silentInRow: number
  readonly failedInRow: number
  readonly delayMs: number
  readonly last: number | null
  readonly lastPod: number
  readonly lastFinalText: string
  readonly lastPushedRepos: readonly string[]
  readonly lastFailedRepos: readonly string[]
  readonly pushedRepositories: readonly string[]
  readonly usage: { readonly [name: string]: number }
  /** Of the account, as a turn of this Task last heard of it. */
  readonly accountUsage?: AccountReport
  readonly count: number
}

/** What waits to be said to the agent, and what was noted. */
interface TaskJournal {
  readonly pending: readonly PendingEvent[]
  readonly eventSequence: number
  readonly notes: readonly Note[]
  readonly planHash: string | null
  readonly planNoteId: string | null
}

/** Everything a Task knows; plain JSON. Times are epoch milliseconds, `...Seconds` seconds. */
export interface TaskContext {
  readonly id: string
  /** Time of the newest event: what a timer's event falls back on. */
  readonly at: number
  readonly kind: AgentKind
  readonly goal: string
  readonly repositories: readonly string[]
  readonly priority: number
  readonly origin: TaskSeed['origin']
  readonly config: TaskConfig
  readonly stage: TaskStage
  readonly forge: TaskForge
  readonly pod: TaskPod
  readonly turn: TaskTurn
  readonly journal: TaskJournal
}

type PartName = 'stage' | 'forge' | 'pod' | 'turn' | 'journal'

/** What a step changes: of each part what is new in it. */
export type TaskPatch = Partial<Omit<TaskContext, PartName>> & {
  readonly [P in PartName]?: Partial<TaskContext[P]>
}

const partNames: readonly PartName[] = ['stage', 'forge', 'pod', 'turn', 'journal']

/** Merged one level deep: a part keeps what a patch of it leaves out. Later ones hold. */
export function withChanges(context: TaskContext, ...patches: readonly (TaskPatch | undefined)[]): TaskContext
export function withChanges(first: TaskPatch | undefined, ...patches: readonly (TaskPatch | undefined)[]): TaskPatch
export function withChanges(first: TaskPatch = {}, ...patches: readonly (TaskPatch | undefined)[]): TaskPatch {
  return patches.reduce<TaskPatch>((merged, patch = {}) => ({ ...merged, ...patch, ...partsOf(merged, patch) }), first)
}

function partsOf(merged: TaskPatch, patch: TaskPatch): TaskPatch {
  const changed = partNames.filter((part) => patch[part] !== undefined)
  return Object.fromEntries(changed.map((part) => [part, { ...merged[part], ...patch[part] }]))
}

const blankConfig: TaskConfig = {
  project: '',
  agentPodTTLSeconds: 0,
  turnTimeoutSeconds: 0,
  stallProbeGraceSeconds: 0,
  stallProbeMaxAttempts: 0,
  autoApproveMaxSignificance: 'off' satisfies Ceiling,
  model: {},
  effort: {},
  permissionMode: '',
  repositories: [],
}

const blankIdentity = {
  kind: 'implement',
  goal: '',
  repositories: [],
  priority: 100,
  origin: { kind: '', ref: '' },
  config: blankConfig,
} as const

const blankStage: TaskStage = {
  name: 'minted',
  class: 'active',
  reason: null,
  detail: null,
  enteredAt: 0,
  workStartedAt: null,
  clockedAt: 0,
  spentMs: 0,
  history: [],
  visit: 0,
  wants: null,
  parkedFrom: null,
  deadlines: 0,
  reviewLaps: 0,
  reviewRounds: 0,
}

const blankForge: TaskForge = {
  issues: [],
  everOwnedIssue: false,
  mergeRequests: [],
  claims: [],
  claimedMaintainer: null,
  significance: null,
  submission: null,
  verdict: null,
  reviewed: null,
  goAheads: [],
  reviewsAnswered: [],
  optionalLaps: {},
  checkQuestion: null,
  openAttempt: 0,
  failedOpenings: 0,
  awaitingOpen: [],
  mergeAttempt: 0,
  mergeAsks: 0,
  merging: null,
  folds: [],
  foldsClosed: null,
  budgetRaised: 0,
}

const blankPod: TaskPod = {
  entry: null,
  entries: 0,
  released: false,
  ordinal: 0,
  alive: false,
  visit: 0,
  worked: false,
  startedAt: null,
  agentKind: '',
  recordedOutcome: null,
  recordedApproval: null,
  deferred: [],
  lostInRow: 0,
  startFailures: 0,
  recreations: {},
  visitResidencyMs: 0,
  respawnDelayMs: 0,
  withheld: false,
}

const blankTurn: TaskTurn = {
  prompt: 'first',
  nudged: false,
  asked: false,
  spoke: false,
  silentInRow: 0,
  failedInRow: 0,
  delayMs: 0,
  last: null,
  lastPod: 0,
  lastFinalText: '',
  lastPushedRepos: [],
  lastFailedRepos: [],
  pushedRepositories: [],
  usage: {},
  count: 0,
}

const blankJournal: TaskJournal = { pending: [], eventSequence: 0, notes: [], planHash: null, planNoteId: null }

/** What is known of a Task before its first event. */
export function newTask(id: string): TaskContext {
  return {
    id,
    at: 0,
    ...blankIdentity,
    stage: blankStage,
    forge: blankForge,
    pod: blankPod,
    turn: blankTurn,
    journal: blankJournal,
  }
}
