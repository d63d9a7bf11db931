/**
 * Every effect that a machine may ask for, as data. The runtime performs `deliver`, `answer` and `withdrawEffects`
 * itself; each other type has exactly one handler in `edges/` (a missing one is a type error, see `compose`).
 * A forge write that opens or merges belongs to its state: entry emits it, exit withdraws it [FORGE-WRITES-1].
 */
import { Type, type Static, type TSchema } from 'typebox'
import { StackWanted } from './memory-stack/events.ts'

const Repository = Type.String({ description: 'name of the Repository resource' })
const Num = Type.Integer({ minimum: 1 })
const Sha = Type.String()

/** `severity` and the optional place of a review finding (OUTCOME-REVIEW-9, OUTCOME-REVIEW-10). */
export const Finding = Type.Object({
  repo: Repository,
  number: Num,
  path: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  body: Type.String(),
  severity: Type.Union([Type.Literal('critical'), Type.Literal('high'), Type.Literal('medium'), Type.Literal('low')]),
})
export type Finding = Static<typeof Finding>

/** A repository as a pod sees it: where it starts and which branch is its own. `sha`: the head a review pod checks out. */
export const PodRepository = Type.Object({
  name: Repository,
  base: Type.String(),
  branch: Type.String(),
  sha: Type.Optional(Sha),
})
export type PodRepository = Static<typeof PodRepository>

const ForgeSubject = { project: Type.String(), repository: Repository, number: Num }
const PodAddress = { task: Type.String(), ordinal: Type.Integer({ minimum: 1 }) }

export const effectSchemas = {
  /** Event for another actor; committed with the sender's step, applied once (R9). */
  deliver: Type.Object({
    to: Type.String(),
    event: Type.Object({ type: Type.String() }, { additionalProperties: true }),
  }),
  /** What the asker of this event is told; kept in the journal, so a replay gives the same answer. */
  answer: Type.Object({ status: Type.Integer(), body: Type.Object({}, { additionalProperties: true }) }),
  /** Takes back the actor's own outstanding effects of these types [FORGE-WRITES-1]. */
  withdrawEffects: Type.Object({ types: Type.Array(Type.String()) }),

  /** Sets the lifecycle labels of an issue to exactly `labels` out of `managed`; others are left alone. */
  writeLabels: Type.Object({ ...ForgeSubject, labels: Type.Array(Type.String()), managed: Type.Array(Type.String()) }),
  /** One comment, once: the hidden marker is the effect's key. `edits`: rewrite the earlier comment with this topic instead. */
  postComment: Type.Object({
    ...ForgeSubject,
    on: Type.Union([Type.Literal('issue'), Type.Literal('mr')]),
    body: Type.String(),
    topic: Type.Optional(Type.String()),
  }),
  /** `retires`: nobody works on it any more, and the Issue is told -> `issue.retired`. */
  closeIssue: Type.Object({
    ...ForgeSubject,
    comment: Type.Optional(Type.String()),
    retires: Type.Optional(Type.Boolean()),
  }),
  /** An issue of the platform's own, once: by the effect's key, and by `dedupe` among the open ones of its sort. */
  fileIssue: Type.Object({
    project: Type.String(),
    repository: Repository,
    title: Type.String(),
    body: Type.String(),
    sort: Type.Union([Type.Literal('proposal'), Type.Literal('incident')]),
    dedupe: Type.String(),
  }),
  /**
   * Asks a member Task to fold; it answers by itself -> `fold.accepted` | `fold.refused`. A member that is not there or has
   * ended is answered for, so that every request is (an actor that is done takes no delivery).
   */
  requestFold: Type.Object({
    member: Type.String(),
    by: Type.String(),
    project: Type.String(),
    to: Type.String(),
    entry: Type.String(),
  }),
  /** Opens, or finds open, the merge request of the Task's pushed branch -> `mr.ready` | `mr.openFailed` to the Task. */
  openMergeRequest: Type.Object({
    project: Type.String(),
    repository: Repository,
    branch: Type.String(),
    title: Type.String(),
    body: Type.String(),
    closes: Type.Array(Num),
    attempt: Type.Integer(),
  }),
  /**
   * Merges exactly `sha` into `base`, the pair that was judged -> `mr.conflict` | `mr.ciRed` | `mr.ciPending` | `mr.notMergeableYet` | `mr.mergeRefused`;
   * success is believed when the forge says so. `grants`: the Issues whose grant is read again at the call (LAW-18).
   * `despite`: red checks that a maintainer leaves aside on this head, unless the forge requires them (MERGE-15).
   */
  mergeMergeRequest: Type.Object({
    ...ForgeSubject,
    sha: Sha,
    base: Type.Optional(Type.String()),
    attempt: Type.Integer(),
    grants: Type.Array(Type.String()),
    despite: Type.Optional(Type.Array(Type.String())),
  }),
  /** A comment-type review that carries the verdict (OUTCOME-REVIEW-12: never an approving one), findings inline where the diff has the line. */
  postReview: Type.Object({
    ...ForgeSubject,
    sha: Sha,
    verdict: Type.Union([Type.Literal('approve'), Type.Literal('request_changes')]),
    body: Type.String(),
    findings: Type.Array(Finding),
  }),

  /** The Task's volume -> `pod.volumesBound` | `pod.volumesUnbound`. */
  bindVolumes: Type.Object({ ...PodAddress }),
  /** Starts the pod's process -> `pod.created` | `pod.vanished`; readiness and death come from the pod watch. */
  createPod: Type.Object({
    ...PodAddress,
    project: Type.String(),
    agentKind: Type.String(),
    model: Type.String(),
    effort: Type.String(),
    permissionMode: Type.String(),
    turnTimeoutSeconds: Type.Integer(),
    agentPodTTLSeconds: Type.Integer(),
    repositories: Type.Array(PodRepository),
  }),
  /** GET /v1/session -> `pod.session`. */
  readSession: Type.Object({ ...PodAddress, url: Type.String() }),
  /** DELETE /v1/session: graceful. */
  stopPod: Type.Object({ ...PodAddress, url: Type.Optional(Type.String()) }),
  forceDeletePod: Type.Object({ ...PodAddress }),
  deleteWorkspace: Type.Object({ task: Type.String() }),

  /** Renders the turn's text and posts it under the turn actor's id as Idempotency-Key -> `submit.accepted` | `submit.conflict` | `submit.expired`. */
  submitTurn: Type.Object({
    task: Type.String(),
    podOrdinal: Type.Integer(),
    url: Type.String(),
    purpose: Type.Union([Type.Literal('work'), Type.Literal('handoff')]),
    eventsUpTo: Type.Integer(),
  }),
  /** GET /v1/messages/{turnId} and /v1/session -> `turn.result` | `turn.activity`. */
  pollTurn: Type.Object({ url: Type.String(), turnId: Type.String() }),
  probeTurn: Type.Object({ url: Type.String(), probe: Type.Integer() }),
  interruptTurn: Type.Object({ url: Type.String() }),

  /** Secret, token owner, repositories, webhooks -> `project.checked`. */
  checkProject: Type.Object({ project: Type.String() }),
  /** Reads the forge back into the mirror; stale rows become observations -> `project.resynced`. `run`: who asks. */
  resyncMirror: Type.Object({ project: Type.String(), run: Type.Optional(Type.String()) }),
  /** The first tick of a schedule after a time -> `tick.planned` | `tick.refused`. */
  planTick: Type.Object({
    project: Type.String(),
    name: Type.String(),
    schedule: Type.String(),
    after: Type.Integer({ description: 'epoch ms' }),
  }),
  /** What there is to do, live and unminted Tasks with it -> `backlog.read`. */
  readBacklog: Type.Object({ project: Type.String(), run: Type.String() }),
  /** A bounded step of taking what the Repositories hold into the memory -> `memory.filled` | `memory.held`. */
  fillMemory: Type.Object({ project: Type.String(), run: Type.String() }),
  /** Brings the memory stack nearer to what is wanted, or ends it, and looks at it -> `stack.seen`. */
  reconcileMemoryStack: Type.Object({
    project: Type.String(),
    run: Type.String(),
    wanted: Type.Union([StackWanted, Type.Null()]),
  }),
} satisfies Record<string, TSchema>

export type EffectType = keyof typeof effectSchemas
/** Those the runtime performs itself, inside the commit. */
export type RuntimeEffectType = 'deliver' | 'answer' | 'withdrawEffects'
/** Those that need a handler. */
export type OutboxEffectType = Exclude<EffectType, RuntimeEffectType>
/** Worked out once for each: as a conditional type over `T` it was worked out at every call that names an effect. */
type ParamsByEffect = { readonly [T in EffectType]: Static<(typeof effectSchemas)[T]> }
export type EffectParams<T extends EffectType> = ParamsByEffect[T]
