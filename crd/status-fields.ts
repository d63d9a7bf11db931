/**
 * Each status as a structural schema: what `status/` writes and a server keeps (RESOURCES-26), in the words of `kubectl
 * explain` (RESOURCES-37). A Project's and a Repository's are closed; of the others the fields here are explained.
 */
type Schema = Readonly<Record<string, unknown>>

const text = (description: string): Schema => ({ type: 'string', nullable: true, description })
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', nullable: true, description })
const count = (description: string): Schema => ({ type: 'integer', nullable: true, description })
const whole = (description: string): Schema => ({ type: 'integer', format: 'int64', description })
const flag = (description: string): Schema => ({ type: 'boolean', nullable: true, description })
const block = (description: string, properties: Schema, more: Schema = {}): Schema => ({
  ...{ type: 'object', nullable: true, properties, ...more },
  description,
})

const retired = 'deprecated: the orchestrator does not write it'

const ofThread = (states: string): Schema => ({
  status: text(states),
  ownerTask: text('Name of the Task that works on it.'),
  state: text('Its state on the forge.'),
})

export const statusFields: Readonly<Record<string, Schema>> = {
  Project: {
    ready: flag('Whether Tasks can be minted: the condition Ready.'),
    reason: text('Reason of the condition Ready.'),
    webhookURL: text('Where the forge sends its webhooks.'),
    observedGeneration: whole('The metadata.generation that was checked last.'),
    memory: block('The memory stack.', {
      phase: text('Pending, Running or Degraded.'),
      endpoint: text('Address of the memory service in the cluster.'),
      externalEndpoint: text('Address of the memory service from outside.'),
    }),
    alerting: block('The alerting tool.', {
      phase: text('Phase of the alerting tool. Absent while alerting is off.'),
      endpoint: text('Address of the alerting tool. Absent while alerting is off.'),
    }),
    tokenBudget: block('The current window of the token budget.', {
      windowStart: time('When the window began.'),
      windowTokens: whole('Tokens that the window has used.'),
      fiveHourPercent: count(retired),
      fiveHourReset: time(retired),
      weeklyPercent: count(retired),
      weeklyReset: time(retired),
    }),
    lastIssueScan: time('When a sweep last came to its end.'),
    lastBrainstorm: time('When a brainstorm last came to its end.'),
    lastDocumentation: time('When a documentation run was last delivered.'),
    lastRefine: time('When a refine last came to its end.'),
    lastUpgrade: time('When an upgrade was last delivered.'),
  },
  Repository: {
    forgeId: text('Its id on the forge, which a change of name keeps.'),
    defaultBranch: text('The base branch in use.'),
    lastSyncTime: time('When it was last read from the forge.'),
    indexedCommit: text('The newest commit that the memory service holds whole.'),
  },
  Task: {
    stage: text('Where it is between queued and its end.'),
    stageReason: text('Why it is in this stage.'),
    agentKind: text('Kind of the agent of the live pod.'),
    reviewLaps: count('How often a review sent it back.'),
    pendingEvents: count('Events that the next turn of the agent gets.'),
    stageClass: text('active, parked or terminal.'),
    why: block(
      'Why it rests: who can move it, the reason as a word and as a sentence, what unblocks it.',
      { reason: text('The reason, as a word of the list of reasons.'), owner: text('Who can move it.') },
      // An object of `statewright why`, which may grow.
      { 'x-kubernetes-preserve-unknown-fields': true },
    ),
    stageEnteredAt: time('When the stage began.'),
    stageWorkStartedAt: time('When work of this stage began.'),
    podStartedAt: time('When the live pod began.'),
    planHash: text('Print of the plan that an approval must name.'),
    changeSignificance: text('How large the agent says its change is.'),
    lastTurnFinalText: text('The last words of the last turn.'),
  },
  QueuedEvent: {
    state: text('Queued, Admitted, Done or Dropped.'),
    position: count('How many of its class come before it, itself included.'),
    reason: text('Why it waits, or how it ended.'),
    admittedAt: time('When it got its slot.'),
  },
  Issue: {
    ...ofThread('observed, refined, approved, implementing, done, rejected or closed.'),
    title: text('Its title.'),
    author: text('Who opened it.'),
    url: text('Its page on the forge.'),
    selfProposed: flag('Whether the bot proposed it.'),
    labels: { type: 'array', items: { type: 'string' }, description: 'Its labels on the forge.' },
    comments: whole('Number of its comments.'),
    lastSyncTime: time('When it was last read from the forge.'),
    approval: block('The approval that stands.', {
      commentId: text('The comment that gave it.'),
      author: text('Who gave it.'),
      quote: text('Its words.'),
      bodyHash: text('Print of the whole comment.'),
      planHash: text('Print of the plan that it approves.'),
      at: time('When it was given.'),
      sort: text('comment: a maintainer gave it. self: within autoApproveMaxSignificance.'),
    }),
  },
  MergeRequest: {
    ...ofThread('open, verdictPosted, merging, merged or closed.'),
    headBranch: text('The branch that it wants to merge.'),
    headSha: text('Newest commit of that branch.'),
    baseBranch: text('The branch that it merges into.'),
    ci: text('What the checks of the forge say of its head.'),
    mergeable: flag('Whether the forge can merge it.'),
    url: text('Its page on the forge.'),
    verdict: block('The review that stands.', {
      value: text('approve or request_changes.'),
      sha: text('The commit that was reviewed.'),
      at: time('When it was posted.'),
    }),
    mergedSha: text('The head that was merged.'),
  },
}

const plain = (description: string, more: Schema = {}): Schema => ({ type: 'string', ...more, description })

/** As metav1.Condition has them, in the status of every kind. */
export const conditions: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status'],
    properties: {
      type: plain('What the condition is about.'),
      status: plain('Whether it is so.', { enum: ['True', 'False', 'Unknown'] }),
      reason: plain('Why, in one word.'),
      message: plain('Why, in sentences.'),
      observedGeneration: whole('The metadata.generation that was looked at.'),
      lastTransitionTime: plain('Since when the status is what it is.', { format: 'date-time' }),
    },
  },
  description: 'What is true of the resource, each type once.',
}
