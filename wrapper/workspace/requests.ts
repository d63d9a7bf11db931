/**
 * What the wrapper asks of the workspace worker, which runs in the command space (law B1). The answers are the agent's
 * word: each may cost the agent's own work and decides nothing else.
 */
import { Type, type Static } from 'typebox'

const closed = { additionalProperties: false } as const

const Name = Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$' })
const Branch = Type.String({ minLength: 1, maxLength: 500 })
const Sha = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' })
const Stamp = Type.String({ pattern: '^[A-Za-z0-9._-]{1,100}$' })
const Text = Type.String({ maxLength: 8000 })
const Ref = Type.String({ pattern: '^refs/(?:heads|statewright)/[^\\s~^:?*\\[\\\\]+$', maxLength: 1000 })
/** Nobody works with more; the rest of a hostile list is nobody's loss. */
const most = 5000

/** What lies where a clone belongs, with what of it needs keeping. */
const Gathered = Type.Object(
  {
    /** `usable`: repaired, everything committed. `broken`: git can't work in it. `none`: there is nothing. */
    state: Type.Union([Type.Literal('usable'), Type.Literal('broken'), Type.Literal('none')]),
    head: Type.Optional(Type.Union([Sha, Ref])),
    /** Refs that hold what is to be kept. */
    refs: Type.Array(Ref, { maxItems: most }),
    findings: Type.Array(Text, { maxItems: most }),
    aborted: Type.Array(Text, { maxItems: most }),
    kept: Type.Optional(Ref),
    sweptLocks: Type.Array(Text, { maxItems: most }),
    committed: Type.Boolean(),
  },
  closed,
)
export type Gathered = Static<typeof Gathered>

const Salvaged = Type.Object(
  {
    head: Type.Optional(Type.Union([Sha, Ref])),
    refs: Type.Array(Ref, { maxItems: most }),
    /** A checkout was killed half-way. */
    wasMoving: Type.Boolean(),
  },
  closed,
)
export type Salvaged = Static<typeof Salvaged>

const Entry = Type.Object(
  {
    name: Name,
    base: Branch,
    branch: Branch,
    sha: Type.Union([Sha, Type.Literal('')]),
    /** Where a new work branch begins when the base is not there. */
    start: Type.Optional(Branch),
    stamp: Stamp,
    head: Type.Optional(Type.Union([Sha, Ref])),
    /** The old `.git` was unusable: refs that were carried out of it. */
    salvaged: Type.Optional(Salvaged),
    fetchFailed: Type.Boolean(),
    /** False: the old `.git` holds more than the fresh one, and stays. */
    isCarried: Type.Boolean(),
    /** Only what is tracked lies in the work tree. */
    isReview: Type.Boolean(),
  },
  closed,
)
export type Entry = Static<typeof Entry>

/** `ccw_bootstrap_reconcile_total{result}` of WRAPPER-METRICS-10. */
const ReconcileResult = Type.Enum(['merged', 'up_to_date', 'conflict', 'base_unresolved', 'fetch_fail'])
export type ReconcileResult = Static<typeof ReconcileResult>

const Entered = Type.Object(
  {
    result: ReconcileResult,
    /** Sentences for the agent's instructions: what it must do or know first. */
    findings: Type.Array(Text, { maxItems: most }),
  },
  closed,
)
export type Entered = Static<typeof Entered>

const Nothing = Type.Object({}, closed)

export const operations = {
  /** Repairs what lies there, and says what of it is to be kept. */
  gather: { request: Type.Object({ name: Name, stamp: Stamp }, closed), answer: Gathered },
  /** An empty repository beside the clone. */
  begin: {
    request: Type.Object({ name: Name, as: Type.Union([Type.Literal('fresh'), Type.Literal('rescue')]) }, closed),
    answer: Nothing,
  },
  /** Carries what a broken `.git` still holds into the repository that `begin` made as `rescue`. */
  salvage: { request: Type.Object({ name: Name, stamp: Stamp }, closed), answer: Salvaged },
  /** Puts the fresh repository under the files and reconciles it. */
  enter: { request: Entry, answer: Entered },
  /** Clears the root of the workspace: what the CLI would obey there, and, for a review, what earlier pods left. */
  sweep: {
    request: Type.Object(
      { stamp: Stamp, isReview: Type.Boolean(), known: Type.Array(Type.String(), { maxItems: most }) },
      closed,
    ),
    answer: Type.Object({ removed: Type.Array(Text, { maxItems: most }) }, closed),
  },
  look: {
    request: Type.Object({ name: Name, branch: Branch }, closed),
    answer: Type.Object({ isAtHome: Type.Boolean(), isDirty: Type.Boolean(), head: Type.Optional(Sha) }, closed),
  },
  head: {
    request: Type.Object({ name: Name, branch: Branch }, closed),
    answer: Type.Object({ head: Type.Optional(Sha) }, closed),
  },
  /** Commits everything, on the work branch. */
  settle: {
    request: Type.Object({ name: Name, branch: Branch, stamp: Stamp }, closed),
    answer: Type.Object({ isSettled: Type.Boolean() }, closed),
  },
  merge: {
    request: Type.Object({ name: Name, sha: Sha }, closed),
    answer: Type.Object({ isMerged: Type.Boolean() }, closed),
  },
  /** What was pushed. */
  note: { request: Type.Object({ name: Name, branch: Branch, sha: Sha }, closed), answer: Nothing },
} as const

export type Operation = keyof typeof operations
export type RequestOf<O extends Operation> = Static<(typeof operations)[O]['request']>
export type AnswerOf<O extends Operation> = Static<(typeof operations)[O]['answer']>

/** One function an operation, as the worker has them. */
export type CloneOperations = { readonly [O in Operation]: (request: RequestOf<O>) => Promise<AnswerOf<O>> }

/** One line each way. */
export const RequestLine = Type.Object(
  { id: Type.Integer({ minimum: 1 }), operation: Type.String(), request: Type.Unknown() },
  closed,
)
export const AnswerLine = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    answer: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.String()),
  },
  closed,
)
