/** What a life consists of, as data: made from the seed alone, so that a smaller one can be made of it. */

export interface Plan {
  readonly seed: number
  readonly forge: 'github' | 'gitlab'
  readonly repositories: 1 | 2
  readonly issues: readonly IssuePlan[]
  readonly visits: readonly VisitPlan[]
  readonly objections: readonly ObjectionPlan[]
  readonly foreignPushes: readonly ForeignPushPlan[]
  readonly forgeries: readonly ForgeryPlan[]
  readonly alterations: readonly AlterationPlan[]
  readonly rebases: readonly RebasePlan[]
  /** A check that the base requires of each head; undefined: none. */
  readonly required: RequiredCheckPlan | undefined
  readonly alerts: readonly AlertPlan[]
  /** What the Project does by itself while there is trouble. */
  readonly schedule: readonly Scheduled[]
  /** Tokens of a window, and of a day in the ledger; undefined: no limit. */
  readonly budget: { readonly window: number; readonly day: number } | undefined
  readonly faults: readonly Fault[]
  readonly agents: 'honest' | 'mixed'
  /** Of the first pod, whatever is rolled for the others. */
  readonly firstMood: 'hangs' | 'writes' | undefined
  /** Agents that look for something to propose or to close find it. */
  readonly isMuchFound: boolean
  readonly maxConcurrentAgents: number
  /** While the provider withholds the model from the key, every turn of every pod; undefined: never. */
  readonly withheld: WithheldPlan | undefined
  /** How often a maintainer pushes to a branch in the very moment in which it is to be merged. */
  readonly latePushes: number
  /** Journals are shortened while things happen. */
  readonly hasShortJournals: boolean
  /** A letter that nobody could take lies there since before, for an operator to send again. */
  readonly hasOldLetter: boolean
  /** What the memory service is: there; refused or unanswered for ever; or none that anybody fills. */
  readonly memory: 'there' | 'gone' | 'silent' | 'off'
  /** Memory stacks of Projects; undefined: the memory of demo is at a service that is there. */
  readonly stack: StackPlan | undefined
  /** Issues that nobody asks for and that are taken out of sight later. */
  readonly secrets: readonly SecretPlan[]
  /** While the operator pauses the Project; undefined: never. */
  readonly paused: { readonly atMs: number; readonly forMs: number } | undefined
}

export type Person = 'reporter' | 'maintainer' | 'stranger'
export type Scheduled = 'issueScan' | 'brainstorm' | 'documentation' | 'upgrade'

/** By whom and when an issue is opened; `orders` hides orders to the agent in it. */
export interface IssuePlan {
  readonly atMs: number
  readonly by: Person
  readonly isLabelled: boolean
  readonly orders: boolean
  readonly maintainer: MaintainerMood
}

/** What the maintainer does with a plan that asks for approval. */
export type MaintainerMood =
  | 'approves'
  | 'hesitates'
  | 'withdraws late'
  | 'closes'
  | 'edits'
  | 'deletes'
  /** Others edit or delete what he withdrew. */
  | 'is overruled'
  /** He withdraws, and takes it back by his own edit or deletion. */
  | 'takes it back'

/** Within moments the nth word of the maintainer, from 0, is edited or deleted by somebody who may and maintains nothing. */
export interface ForgeryPlan {
  readonly nth: number
  readonly by: Meddler
  readonly how: 'approves' | 'excuses' | 'deletes'
  readonly afterMs: number
  /** The deliveries of both get lost. */
  readonly isUntold: boolean
}

/** Of the comment with a plan, after the nth approval of the maintainer where one is shown; negative: before it (APPROVAL-19). */
export interface AlterationPlan extends Omit<ForgeryPlan, 'how'> {
  readonly how: 'alters' | 'deletes'
}

export interface SecretPlan {
  readonly atMs: number
  readonly forMs: number
  /** On GitLab each of them becomes confidential: its webhooks name no other way. */
  readonly how: 'deleted' | 'transferred'
}

/** A Project beside demo has a stack, and demo where `isOfDemo`. Times count from when demo is ready. */
export interface StackPlan {
  /** Of the setting. */
  readonly profile: 'light' | 'full'
  /** When CloudNativePG is installed; undefined: never. */
  readonly operatorAtMs: number | undefined
  readonly isOfDemo: boolean
  /** How long each part takes to be ready. */
  readonly readyMs: number
  readonly losses: readonly StackLoss[]
  /** The Project beside demo is deleted or wants no memory, and is applied as before `backMs` later; undefined: never. */
  readonly ends:
    | { readonly atMs: number; readonly how: 'deleted' | 'unwanted'; readonly backMs: number | undefined }
    | undefined
}

/** One that stops comes back after so long; a deleted one, once somebody makes it anew. */
export interface StackLoss {
  readonly atMs: number
  readonly part: 'postgres' | 'neo4j' | 'lightrag' | 'service'
  readonly how: 'stops' | 'deleted'
  readonly forMs: number
}

/** A merge request of somebody's own. */
export interface VisitPlan {
  readonly atMs: number
  readonly by: Person
  readonly isLabelled: boolean
  /** Its author goes on pushing, whatever is said. */
  readonly pushesAgain: boolean
}

/** Where the maintainer says no in a merge request of the platform: each is a thread of its Task (LAW-24). */
export const objectionPlaces = ['comment', 'review', 'line', 'changes'] as const
export type ObjectionPlace = (typeof objectionPlaces)[number]

/** In the nth merge request that the platform opens, from 0; `liftMs` later the maintainer lets it go on. */
export interface ObjectionPlan {
  readonly nth: number
  readonly place: ObjectionPlace
  readonly liftMs: number
  readonly liftBy: 'comment' | 'review'
}

/** Who may write, and let nothing merge. */
export const meddlers = ['stranger', 'reporter', 'owner'] as const
export type Meddler = (typeof meddlers)[number]

/** An agent reads it, an agent's approval of it was accepted, its merge was asked for. */
export const meddlingMoments = ['reviewing', 'judged', 'merging'] as const
export type MeddlingMoment = (typeof meddlingMoments)[number]

interface MeddlingPlan {
  /** The nth merge request that comes to the moment, from 0. */
  readonly nth: number
  readonly by: Meddler
  readonly moment: MeddlingMoment
  readonly afterMs: number
  /** Its deliveries get lost. */
  readonly isUntold: boolean
}

/** A commit on the head branch. */
export type ForeignPushPlan = MeddlingPlan

/** Another base branch; `backMs` later the old one again, undefined: never. */
export interface RebasePlan extends MeddlingPlan {
  readonly backMs: number | undefined
}

/** `lateMs` after a push it is reported, and `runMs` later it succeeds. `hangs`: how often it does so only in the calm. */
export interface RequiredCheckPlan {
  /** GitLab has no rulesets. */
  readonly by: 'protection' | 'ruleset'
  readonly lateMs: number
  readonly runMs: number
  readonly hangs: number
  /** Where it hangs it is not even reported. */
  readonly isUnreported: boolean
}

export interface AlertPlan {
  readonly atMs: number
  readonly name: string
  /** How often the alerting tells it. */
  readonly times: number
}

/** `saysWhen`: it is a used-up window, and the provider says when it is reset. */
export interface WithheldPlan {
  readonly atMs: number
  readonly forMs: number
  readonly saysWhen: boolean
}

export type Fault =
  | CrashFault
  | WebhookFault
  | ForgeFault
  | WrapperFault
  | PauseFault
  | StopFault
  | JumpFault
  | PodFault
  | StoreFault
  | MemoryFault
  | StackFault

/** The process dies at a point of `points.ts`, the nth time that it comes there; `before`: the first time after that one's nth. */
export interface CrashFault {
  readonly kind: 'crash'
  readonly point: string
  readonly before?: string
  readonly nth: number
  readonly restartMs: number
}

/** The nth webhook, or the nth of this event. */
export interface WebhookFault {
  readonly kind: 'webhook'
  readonly event?: string
  readonly what: 'lost' | 'twice' | 'late' | 'overtaken'
  readonly nth: number
  readonly ms: number
}

/**
 * The nth write or read, or the nth of those whose path has this end: done and answered 502, done and never answered,
 * refused with 502 before it, or told to wait.
 */
export interface ForgeFault {
  readonly kind: 'forge'
  readonly end?: string
  readonly on: 'write' | 'read'
  readonly what: '502 after the write' | 'no answer' | '502 before the write' | 'rate limit'
  readonly nth: number
}

/** The nth request to any wrapper, or to this call of theirs: as a forge's. */
export interface WrapperFault {
  readonly kind: 'wrapper'
  readonly call: string | undefined
  readonly what: 'no answer' | '502 after' | '502 before'
  readonly nth: number
}

/** As by SIGSTOP; longer than a lease when another process is to take over meanwhile. */
export interface PauseFault {
  readonly kind: 'pause'
  readonly atMs: number
  readonly forMs: number
}

/** As when a release is rolled out: another one starts under another name, both go on, then this one is told to stop. */
export interface StopFault {
  readonly kind: 'stop'
  readonly atMs: number
  readonly overlapMs: number
}

export interface JumpFault {
  readonly kind: 'jump'
  readonly atMs: number
  readonly byMs: number
}

/** The nth pod ends by itself; `isZombie`: its agent goes on though the platform sees it gone. */
export interface PodFault {
  readonly kind: 'pod'
  readonly nth: number
  readonly afterMs: number
  readonly isZombie: boolean
}

/** The nth statement: it never arrives, or its answer is lost. */
export interface StoreFault {
  readonly kind: 'store'
  readonly what: 'unsent' | 'answer lost'
  readonly nth: number
}

/** The nth errand for the memory: it never arrives, its answer is lost, or a part of what was sent is not taken. */
export interface MemoryFault {
  readonly kind: 'memory'
  readonly what: 'away' | 'unheard' | 'failed'
  readonly nth: number
}

/** The nth request for a stack to the API server: it never arrives, or its answer is lost. */
export interface StackFault {
  readonly kind: 'stack'
  readonly what: 'unsent' | 'unanswered'
  readonly nth: number
}

export function faultText(fault: Fault): string {
  return Object.entries(fault)
    .map(([name, value]) => (name === 'kind' ? String(value) : `${name} ${value ?? 'any'}`))
    .join(', ')
}

/** The world in which things go wrong lasts so long; afterwards all are cooperative. */
export const troubledMs = 600_000
