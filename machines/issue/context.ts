import type { IssueStatus } from '../rules/labels.ts'
import type { ApprovalClaim } from '../task/events.ts'
import type { IssueFacts, Withdrawal } from './events.ts'

/** A plan that was published for this issue; an approval binds to the newest one at its time (APPROVAL-10). */
interface Plan {
  readonly noteId: string
  readonly hash: string
  readonly at: number
}

/** The last claim that may hold: what the grant is recomputed from on every change. */
export interface HeldClaim {
  readonly task: string
  readonly planHash: string
  readonly significance?: string
  readonly claim: ApprovalClaim
}

/** Evidence: made only by a claim whose conjuncts all hold (APPROVAL-1, APPROVAL-2). */
export interface Grant {
  readonly task: string
  readonly planHash: string
  readonly self: boolean
  readonly commentId: string
  readonly author: string
  readonly quote: string
  readonly bodyHash: string
  readonly at: number
}

interface Mint {
  readonly task: string
  readonly entry: string
  /** Asked for by another Task, for more than this issue: never taken back here. */
  readonly shared?: true
}

/** Plain JSON. Task ids and the Issue's own id, never addresses. */
export interface IssueContext {
  readonly id: string
  readonly facts: IssueFacts | null
  readonly status: IssueStatus
  /** The live Task that owns the issue; empty: none. */
  readonly owner: string
  /** A mint entry that waits in the queue. */
  readonly mint: Mint | null
  readonly mints: number
  /** A sweep offered it: it waits for no other one. */
  readonly offered?: boolean
  /** A Task ended here: no new one until a person asks for it, or a loop would be endless. */
  readonly held: boolean
  /** `deleted`: its Project is gone, and nothing is minted. `back`: it is there again, while the Task of before still ends. */
  readonly projectGone?: 'deleted' | 'back' | ''
  readonly rejected: string
  readonly delivered: boolean
  /** The Task that delivered it last. */
  readonly deliveredBy?: string
  /** When a maintainer asked for a new Task after a delivery: what was approved by then is spent. */
  readonly cameBackAt?: number
  /** Delivered, and who came back to it was told how a new Task starts. */
  readonly wayShown?: boolean
  /** Closed by the platform itself as over; reopening takes that back. */
  readonly retired: boolean
  /** An implement agent ran for the present owner. */
  readonly implementRan: boolean
  /** A person asked for the Task by command or comment: it goes first (QUEUE-1). */
  readonly urged: boolean
  readonly plans: readonly Plan[]
  /** Hash of title and body when each standing approval was last in order; another one means an edit by a stranger since. */
  readonly approvedBodies: Readonly<Record<string, string>>
  /** The plan that each approval was first heard for, or granted for: it speaks for no later one. No comment is forgotten. Empty: of a Task that is over, it speaks for none. */
  readonly boundPlans: Readonly<Record<string, string>>
  /** Every withdrawal that was ever told and that its author did not take back: no later telling leaves one out. */
  readonly withdrawals: readonly Withdrawal[]
  readonly accepted: { readonly commentId: string; readonly author: string } | null
  readonly claim: HeldClaim | null
  readonly grant: Grant | null
  readonly labels: readonly string[] | null
  readonly askedAbout: readonly string[]
}

export function newIssue(id: string): IssueContext {
  return {
    id,
    facts: null,
    status: 'observed',
    owner: '',
    mint: null,
    mints: 0,
    held: false,
    rejected: '',
    delivered: false,
    retired: false,
    implementRan: false,
    urged: false,
    plans: [],
    approvedBodies: {},
    boundPlans: {},
    withdrawals: [],
    accepted: null,
    claim: null,
    grant: null,
    labels: null,
    askedAbout: [],
  }
}

/** What the merge handler asks at the moment of the call (LAW-18): the Issue's word, not the Task's copy. */
export function grantHolds(context: Pick<IssueContext, 'grant'>): boolean {
  return context.grant !== null
}

/** Namespace of the issue's own id, `<namespace>/<name>`. */
export function namespaceOf(id: string): string {
  return id.slice(0, id.indexOf('/'))
}
