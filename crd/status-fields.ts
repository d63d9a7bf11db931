/**
 * The fields of each status, as a structural schema: what `status/` writes and a server keeps (RESOURCES-26). The status
 * of a Task and of a QueuedEvent is open: what is here and in the columns is what `kubectl explain` teaches.
 */
type Schema = Readonly<Record<string, unknown>>

const text = { type: 'string', nullable: true } as const
const time = { type: 'string', format: 'date-time', nullable: true } as const
const whole = { type: 'integer', format: 'int64' } as const
const flag = { type: 'boolean', nullable: true } as const
const block = (properties: Schema): Schema => ({ type: 'object', nullable: true, properties })

const percent = {
  type: 'integer',
  nullable: true,
  description: 'deprecated: the orchestrator does not write it',
} as const
const resetsAt = { ...time, description: percent.description } as const

export const statusFields: Readonly<Record<string, Schema>> = {
  Project: {
    observedGeneration: whole,
    memory: block({ phase: text, endpoint: text, externalEndpoint: text }),
    alerting: block({ phase: text, endpoint: text }),
    tokenBudget: block({
      windowStart: time,
      windowTokens: whole,
      fiveHourPercent: percent,
      fiveHourReset: resetsAt,
      weeklyPercent: percent,
      weeklyReset: resetsAt,
    }),
    lastIssueScan: time,
    lastBrainstorm: time,
    lastDocumentation: time,
    lastRefine: time,
    lastUpgrade: time,
  },
  Task: {
    stageClass: text,
    // An object of `statewright why`, which may grow.
    why: { ...block({ reason: text, owner: text }), 'x-kubernetes-preserve-unknown-fields': true },
    stageEnteredAt: time,
    stageWorkStartedAt: time,
    podStartedAt: time,
    planHash: text,
    changeSignificance: text,
    lastTurnFinalText: text,
  },
  QueuedEvent: { admittedAt: time },
  Repository: { forgeId: text, defaultBranch: text, lastSyncTime: time, indexedCommit: text },
  Issue: {
    state: text,
    title: text,
    author: text,
    url: text,
    selfProposed: flag,
    labels: { type: 'array', items: { type: 'string' } },
    comments: whole,
    lastSyncTime: time,
    approval: block({
      commentId: text,
      author: text,
      quote: text,
      bodyHash: text,
      planHash: text,
      at: time,
      sort: text,
    }),
  },
  MergeRequest: {
    state: text,
    headBranch: text,
    headSha: text,
    baseBranch: text,
    ci: text,
    mergeable: flag,
    url: text,
    verdict: block({ value: text, sha: text, at: time }),
    mergedSha: text,
  },
}
