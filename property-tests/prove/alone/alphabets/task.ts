/** Everything that a Task may be told, whenever: its own pod's words and an older one's, of what it owns and of what it does not. */
import type { TaskContext } from '../../../../machines/task/context.ts'
import type { AgentKind, TaskConfig, TaskSeed } from '../../../../machines/task/events.ts'
import { headOf } from '../../../../machines/task/queries.ts'
import { aTaskConfig } from '../../../../machines/testing/a-project.ts'
import type { TimelessEvent } from '../walk.ts'

const config: TaskConfig = {
  ...aTaskConfig,
  stallProbeGraceSeconds: 60,
  stallProbeMaxAttempts: 3,
  autoApproveMaxSignificance: 'minor',
  model: { implement: 'large' },
  effort: { implement: 'high' },
  tokensPerTurn: 1000,
  repositories: [
    { name: 'lib', base: 'main' },
    { name: 'app', base: 'main' },
  ],
}

export const issue = { repository: 'lib', number: 1, issue: 'default/lib-1', selfProposed: true, humanCommented: false }
export const mr = {
  repository: 'lib',
  number: 7,
  mergeRequest: 'default/lib-mr-7',
  headSha: 's1',
  headBranch: 'fix',
  baseBranch: 'main',
  author: 'rita',
  url: 'https://forge.test/lib/7',
}

export function seedOf(kind: AgentKind, more: Partial<TaskSeed> = {}): TaskSeed {
  return {
    kind,
    goal: 'make it so',
    repositories: ['lib'],
    issues: [],
    mergeRequests: [],
    priority: 60,
    origin: { kind: 'webhook', ref: 'x' },
    config,
    ...more,
  }
}

const kinds: readonly AgentKind[] = ['brainstorm', 'incident', 'review', 'refine', 'documentation', 'upgrade']
export const off: TaskConfig = { ...config, autoApproveMaxSignificance: 'off' }

/** How a Task may come into being. */
export const mints: readonly TimelessEvent[] = [
  seedOf('implement', { issues: [issue] }),
  seedOf('implement', { issues: [issue], config: off }),
  seedOf('implement', { issues: [{ ...issue, humanCommented: true }], config: off }),
  seedOf('implement', { issues: [{ ...issue, selfProposed: false }], config: off }),
  seedOf('implement', {
    issues: [issue, { ...issue, repository: 'app', number: 2, issue: 'default/app-2' }],
    repositories: ['lib', 'app'],
  }),
  seedOf('implement', { mergeRequests: [{ ...mr, writable: true }], origin: { kind: 'alert', ref: 'x' } }),
  seedOf('implement', { config: off }),
  seedOf('review', { mergeRequests: [mr], priority: 10 }),
  seedOf('documentation', { issues: [issue], config: off }),
  ...kinds.map((kind) => seedOf(kind, { origin: { kind: 'cron', ref: 'x' } })),
].flatMap((seed) => [
  { type: 'task.minted', seed },
  { type: 'task.minted', seed, entry: 'mint/default/x' },
])

const half = { usedPercent: 50, resetsAt: 9_000_000 }

function podWords(c: TaskContext): readonly TimelessEvent[] {
  const report = { finalText: 'done', usage: { inputTokens: 3 }, pushed: ['lib'], failed: [] }
  const pods = [c.pod.ordinal, c.pod.ordinal - 1]
  const failures = [
    'api_error',
    'agent_exited',
    'expired',
    'usage_limit',
    'no_credit',
    'interrupted',
    'budget',
    'max_tokens',
  ]
  const residencies = [1000, 25 * 3_600_000]
  return pods.flatMap((pod): readonly TimelessEvent[] => [
    { type: 'pod.working', pod },
    ...['gone', 'lost', 'unbound', 'mismatched'].flatMap((cause) =>
      residencies.map((residencyMs) => ({
        type: 'pod.final',
        pod,
        cause,
        residencyMs,
        ...(cause === 'lost' ? { reason: 'Evicted', detail: 'the node was low on memory' } : {}),
      })),
    ),
    { type: 'pod.noteMissing', pod, reason: 'ttl' },
    { type: 'pod.noteMissing', pod, reason: 'OOMKilled', detail: 'its last words' },
    ...['pod-1', ''].map((name) => ({ type: 'pod.notEnding', pod, name })),
    { type: 'model.withheld' },
    { type: 'model.served' },
    { type: 'turn.accepted', pod, turn: 0, eventsUpTo: c.journal.eventSequence },
    { type: 'turn.ended', pod, turn: 0, purpose: 'work', ...report },
    { type: 'turn.ended', pod, turn: 0, purpose: 'work', ...report, pushed: ['lib', 'app'] },
    { type: 'turn.ended', pod, turn: 0, purpose: 'handoff', ...report, failed: [{ repo: 'lib', error: 'no' }] },
    ...failures.map((stopReason) => ({ type: 'turn.failed', pod, turn: 0, purpose: 'work', stopReason, ...report })),
    ...['usage_limit', 'key_refused', 'api_error'].map((stopReason) => ({
      type: 'turn.failed',
      pod,
      turn: 0,
      purpose: 'work',
      stopReason,
      resetsAt: c.at + 300_000,
      ...report,
    })),
    { type: 'turn.failed', pod, turn: 0, purpose: 'handoff', stopReason: 'api_error', ...report },
    ...(['plan', 'handoff'] as const).map((kind) => ({
      type: 'note.written',
      pod,
      id: `n${c.journal.notes.length}`,
      kind,
      body: 'b',
      bodyHash: `h${c.journal.notes.length}`,
    })),
    { type: 'note.written', pod, id: 'n', kind: 'note', body: 'b', bodyHash: 'h', spilled: 1 },
    ...[9000, 8000].map((reportedAt) => ({ type: 'usage.reported', fiveHour: half, weekly: half, reportedAt })),
    { type: 'agent.asked', pod, repository: 'lib', number: 1 },
  ])
}

type Payloads = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

function payloadsOf(c: TaskContext): Payloads {
  const read = c.forge.mergeRequests.map(({ repository, number, headSha }) => ({
    repo: repository,
    number,
    sha: headSha,
  }))
  const stale = read.map((head) => ({ ...head, sha: 'older' }))
  const misplaced = read.map((head) => ({ ...head, number: head.number + 1 }))
  const elsewhere = read.map((head) => ({ ...head, repo: 'other' }))
  const several = read.length > 1
  const mixed = read.map((head, index) => (index === 0 ? head : { ...head, sha: 'older' }))
  const finding = { repo: 'lib', number: 7, body: 'off by one', severity: 'high' }
  const wish = { body: 'b', kind: 'bug' }
  const proposals = ['One', 'Two', 'one'].map((title) => ({ repo: 'lib', title, ...wish }))
  const elsewhereToo = ['lib', 'app'].map((repo) => ({ repo, title: 'Two', ...wish }))
  const incident = { alert_rules: ['b', 'a'], reason: 'because', issue: { repo: 'lib', title: 'T', body: 'b' } }
  const links = [
    { repo: 'lib', number: 1 },
    { repo: 'lib', number: 7, isPR: true },
  ]
  const closes = [{ repo: 'lib', number: 3, reason: 'done' }]
  const fold = { folds: [{ task: 'one' }, { task: 'default/two' }] }
  const change = (change_significance: string, more: object = {}) => ({
    title: 'T',
    body: 'b',
    change_significance,
    ...more,
  })
  return {
    approved: [
      { plan_note_id: c.journal.planNoteId ?? 'none', approving_maintainer: 'maya' },
      { plan_note_id: c.journal.notes[0]?.id ?? 'none' },
      { plan_note_id: 'none' },
    ],
    submitted: [
      change('patch'),
      change('major', { merge_order: ['lib', 'app'] }),
      change('minor', { merge_order: ['app', 'app'] }),
    ],
    rejected: [{ reason: 'r' }],
    declined: [{ decline_reason: 'r' }],
    discuss: [{ reason: 'r' }],
    approve: [
      { reviewed_shas: read },
      { reviewed_shas: stale },
      { reviewed_shas: [] },
      { reviewed_shas: misplaced },
      { reviewed_shas: elsewhere },
      { reviewed_shas: read, change_significance: 'major' },
      { reviewed_shas: read, change_significance: 'patch' },
      ...(several
        ? [{ reviewed_shas: read.slice(1) }, { reviewed_shas: read.slice(0, 1) }, { reviewed_shas: mixed }]
        : []),
    ],
    request_changes: [
      { reviewed_shas: read, findings: [finding] },
      { reviewed_shas: stale, findings: [] },
      { reviewed_shas: read, change_significance: 'patch', findings: [] },
      ...(several
        ? [
            {
              reviewed_shas: read.slice(1),
              findings: [finding, { ...finding, repo: 'app' }, { ...finding, number: 9 }],
            },
            { reviewed_shas: mixed, findings: [] },
          ]
        : []),
    ],
    propose: [{ proposals }, { proposals: proposals.slice(0, 1) }, { proposals: elsewhereToo }, {}],
    skip: [{ reason: 'r' }],
    file_issue: [incident],
    false_positive: [incident],
    refine: [{ links, closes }, { links: links.slice(1), ...fold }, { folds: [{ task: c.id }] }],
  }
}

const actionsOf: Readonly<Record<AgentKind, readonly string[]>> = {
  brainstorm: ['propose', 'skip'],
  incident: ['file_issue', 'false_positive'],
  implement: ['approved', 'submitted', 'rejected', 'declined', 'discuss'],
  review: ['approve', 'request_changes'],
  refine: ['refine'],
  documentation: ['submitted', 'declined', 'discuss'],
  upgrade: ['submitted', 'declined', 'discuss'],
}

function headsOf(c: TaskContext) {
  const forge = { draft: false, author: 'maya', authorMayMerge: true }
  return c.forge.mergeRequests.map((mr) => ({ ...headOf(mr), ...forge }))
}

const members = ['default/one', 'default/two'].map((task) => ({ task, state: 'free' }))

/** An outcome of the agent that runs, with the forge as it was last seen. */
export function outcomeOf(c: TaskContext, action: string, payload: object, more: object = {}): TimelessEvent {
  const kind = c.pod.agentKind
  return {
    type: 'outcome',
    pod: c.pod.ordinal,
    outcomeId: `o${c.at % 97}`,
    ...{ digest: JSON.stringify([kind, action, payload]), kind, action, payload },
    ...{ claims: c.forge.issues.map(({ issue: one }) => ({ issue: one })), heads: headsOf(c), members },
    ...{ proposals: { left: 2, filed: [] }, workspaceClean: true },
    ...more,
  }
}

function outcomes(c: TaskContext): readonly TimelessEvent[] {
  const payloads = payloadsOf(c)
  const heads = headsOf(c)
  const claims = c.forge.issues.map(({ issue: one }) => ({ issue: one }))
  const said = (kind: AgentKind, action: string, payload: object, more: object = {}): TimelessEvent =>
    outcomeOf(c, action, payload, { kind, digest: JSON.stringify([kind, action, payload]), ...more })
  const kind = c.pod.agentKind === '' ? c.kind : c.pod.agentKind
  const [first = 'discuss'] = actionsOf[kind]
  const [payload = {}] = payloads[first] ?? []
  const ceilinged = actionsOf[kind].filter((action) => action === 'submitted' || action === 'approve')
  const moved = heads.map((head) => ({ ...head, sha: 'newer' }))
  const theirs = heads.map((head) => ({ ...head, authorMayMerge: false }))
  const drafts = heads.map((head) => ({ ...head, draft: true }))
  const pushed = heads.map((head) => ({ ...head, foreign: [{ sha: 'f1', by: 'rita' }] }))
  return [
    ...actionsOf[kind].flatMap((action) => (payloads[action] ?? []).map((one) => said(kind, action, one))),
    said(kind, first, payload, { pod: c.pod.ordinal - 1 }),
    said(kind === 'review' ? 'implement' : 'review', first, payload),
    said(kind, 'unheard', {}),
    said(kind, first, payload, { heads: moved, workspaceClean: false }),
    said(kind, first, payload, { workspaceClean: false }),
    said(kind, first, payload, { heads: theirs }),
    said(kind, first, payload, { heads: pushed }),
    said(kind, first, payload, { pushed: ['lib', 'app'] }),
    said(kind, first, payload, { heads: drafts }),
    said(kind, first, payload, { heads: [] }),
    said(kind, first, payload, { claims: claims.map((one) => ({ ...one, refusedBy: 'quote-matches' })) }),
    said(kind, first, payload, { claims: [] }),
    ...['off', 'patch', 'major'].flatMap((ceiling) =>
      ceilinged.map((action) => said(kind, action, payloads[action]?.[0] ?? {}, { ceiling })),
    ),
    said(kind, first, payload, {
      proposals: { left: 0, filed: [{ title: 'two', repository: 'lib', number: 9 }] },
      members: members.map((one) => ({ ...one, state: 'running' })),
    }),
    said(kind, first, payload, {
      proposals: { left: 9, filed: ['one', 'two'].map((title) => ({ title, repository: 'lib', number: 9 })) },
      members: members.slice(1),
    }),
    ...actionsOf[kind]
      .slice(0, 2)
      .flatMap((action) => partly(action, heads).map((more) => said(kind, action, payloads[action]?.[0] ?? {}, more))),
    ...(payloads['propose'] ?? [])
      .filter(() => kind === 'brainstorm')
      .map((one) =>
        said(kind, 'propose', one, { proposals: { left: 9, filed: [{ title: 'two', repository: 'app', number: 9 }] } }),
      ),
    ...(kind === 'refine'
      ? [
          said(
            kind,
            'refine',
            { folds: [{ task: 'one' }] },
            { members: members.map((one) => ({ ...one, state: 'running' })) },
          ),
          said(kind, 'refine', { folds: [{ task: 'one' }] }, { members: [] }),
        ]
      : []),
  ]
}

/** Of several merge requests some are as they should be. */
function partly(action: string, heads: ReturnType<typeof headsOf>): readonly object[] {
  if (heads.length < 2 || !/approve$|request_changes/.test(action)) return []
  const [first, ...others] = heads
  return [
    { heads: others },
    { heads: heads.slice(0, -1) },
    { heads: [{ ...first, authorMayMerge: false }, ...others] },
    { heads: [first, ...others.map((head) => ({ ...head, draft: true }))] },
    { heads: [{ ...first, sha: 'newer' }, ...others] },
    { heads: [first, ...others.map((head) => ({ ...head, sha: 'newer' }))] },
  ]
}

function forgeWords(c: TaskContext): readonly TimelessEvent[] {
  const others = [
    { ...mr, repository: 'app', mergeRequest: 'default/app-mr-7' },
    { ...mr, number: 9, mergeRequest: 'default/lib-mr-9' },
  ]
  const known = c.forge.mergeRequests.map(({ state: _state, mergeCommit: _commit, ...owned }) => owned)
  const { merging } = c.forge
  const place = merging ?? { repository: 'lib', number: 7, sha: 's1' }
  const attempts = [c.forge.mergeAttempt, c.forge.mergeAttempt - 1]
  const answers = ['mr.conflict', 'mr.ciRed', 'mr.ciPending', 'mr.notMergeableYet', 'mr.mergeRefused']
  const reviewed = c.forge.reviewed ?? []
  const { checkQuestion } = c.forge
  const asked =
    checkQuestion === null ? [] : [(({ checks: _checks, isAllowed: _isAllowed, ...head }) => head)(checkQuestion)]
  const refusals = [
    { cause: 'withheld' },
    { cause: 'withheld', review: 'lib!7/review-1' },
    { cause: 'protected-paths' },
    { cause: 'changes', review: 'lib!7/review-1' },
    { cause: 'changes' },
  ]
  return [
    ...[...known.slice(0, 2), ...others].flatMap((one): readonly TimelessEvent[] => {
      const { repository, number } = one
      const place = { repository, number, base: 'main' }
      const moved = { type: 'mr.headMoved', ...place, author: 'rita', sha: `x${c.journal.eventSequence}` }
      return [
        { type: 'mr.ready', ...one, attempt: c.forge.openAttempt },
        { type: 'mr.ready', ...one, headSha: 's2', attempt: c.forge.openAttempt - 1 },
        { type: 'mr.merged', repository, number, sha: one.headSha, mergeCommit: 'm' },
        { type: 'mr.closed', repository, number },
        { type: 'mr.reopened', ...place, sha: 's3' },
        { ...moved, byOwnPod: false, gated: true },
        { ...moved, byOwnPod: true, gated: true },
        { ...moved, byOwnPod: false, gated: false },
        { ...moved, sha: one.headSha, byOwnPod: false, gated: true },
        { ...moved, sha: one.headSha, base: 'next', byOwnPod: true, gated: false },
        {
          type: 'human.commented',
          repository,
          number,
          author: 'rita',
          kind: 'mr_comment',
          maintainer: false,
          on: 'mr',
          text: 'hm',
        },
        {
          type: 'human.commented',
          repository,
          number,
          author: 'rita',
          kind: 'issue_comment',
          maintainer: false,
          on: 'issue',
        },
        { type: 'takeover.accepted', repository, number, by: 'rita', commentId: 'c9' },
      ]
    }),
    ...answers.flatMap((type) => attempts.map((attempt) => ({ type, ...place, attempt }))),
    ...refusals.flatMap((refusal) =>
      attempts.map((attempt) => ({ type: 'mr.mergeRefused', ...place, attempt, ...refusal })),
    ),
    ...[['codecov'], ['codecov', 'vercel'], []].map((optional) => ({
      type: 'mr.ciRed',
      ...place,
      attempt: c.forge.mergeAttempt,
      optional,
    })),
    // One alone is of another attempt: what changes nothing is one sort of step, of which few are kept for the mutants.
    { type: 'mr.ciRed', ...place, attempt: c.forge.mergeAttempt - 1, optional: ['codecov'] },
    { type: 'mr.conflict', ...place, sha: 'older', attempt: c.forge.mergeAttempt },
    { type: 'mr.conflict', ...place, number: 99, attempt: c.forge.mergeAttempt },
    { type: 'mr.conflict', ...place, repository: 'other', attempt: c.forge.mergeAttempt },
    ...[c.forge.openAttempt, c.forge.openAttempt - 1].map((attempt) => ({
      type: 'mr.openFailed',
      repository: 'lib',
      reason: 'no',
      attempt,
    })),
    { type: 'mr.goAhead', by: 'maya', shas: [], kind: 'mr_review', text: 'B please' },
    ...[...known.slice(0, 1), ...others].map(({ repository, number, headSha: sha, baseBranch: base = 'main' }) => ({
      type: 'mr.goAhead',
      by: 'maya',
      shas: [{ repository, number, sha, base }],
      kind: 'mr_review',
      text: 'B please',
    })),
    { type: 'mr.goAhead', by: 'maya', shas: reviewed },
    { type: 'mr.goAhead', by: 'maya', shas: reviewed.slice(0, 1) },
    { type: 'mr.ciRed', ...place, attempt: c.forge.mergeAttempt, unclear: ['codecov'] },
    ...attempts.map((attempt) => ({ type: 'mr.ciPending', ...place, attempt, optional: ['codecov'] })),
    { type: 'mr.goAhead', by: 'maya', shas: reviewed.map((head) => ({ ...head, base: 'next' })) },
    { type: 'mr.goAhead', by: 'maya', shas: asked, kind: 'mr_comment', text: '/approve' },
    { type: 'mr.goAhead', by: 'maya', shas: asked.map((head) => ({ ...head, sha: 'older' })) },
    { type: 'mr.goAhead', by: 'maya', shas: reviewed.map((head) => ({ ...head, sha: 'older' })) },
  ]
}

function issueWords(c: TaskContext): readonly TimelessEvent[] {
  const names = [...c.forge.issues.slice(0, 2).map(({ issue: name }) => name), 'default/lib-99']
  return names.flatMap((name): readonly TimelessEvent[] => [
    { type: 'approval.granted', issue: name, planHash: c.journal.planHash ?? 'h', self: false },
    { type: 'approval.granted', issue: name, planHash: c.journal.planHash ?? 'h', self: true },
    { type: 'approval.granted', issue: name, planHash: 'other', self: false },
    { type: 'approval.refused', issue: name, reason: 'quote-matches' },
    { type: 'approval.revoked', issue: name, reason: 'withdrawn' },
    { type: 'approval.commented', issue: name, by: 'maya', commentId: 'c1' },
    { type: 'approval.lapsed', issue: name },
    { type: 'issue.closed', issue: name },
    { type: 'issue.reopened', issue: name },
  ])
}

function others(c: TaskContext): readonly TimelessEvent[] {
  const place = { repository: 'lib', number: 1, author: 'rita', kind: 'issue_comment' }
  const answer = {
    goal: 'g',
    priority: 30,
    repositories: ['lib'],
    issues: [issue],
    mergeRequests: [mr, { ...mr, number: 6, mergeRequest: 'default/lib-mr-6' }],
  }
  const asked = c.forge.folds.map(({ task }) => task)
  return [
    ...mints.slice(0, 2),
    { type: 'task.close', by: 'maya', reason: 'cancelled' },
    { type: 'task.retry', by: 'maya' },
    { type: 'task.hold', by: 'ada', reason: 'a look' },
    { type: 'slot.granted', entry: c.pod.entry ?? 'none' },
    { type: 'slot.granted', entry: 'other' },
    { type: 'human.commented', ...place, maintainer: false, on: 'issue', text: 'hm' },
    { type: 'human.commented', ...place, maintainer: true, on: 'issue' },
    { type: 'forge.event', ...place },
    { type: 'alert.joined' },
    {
      type: 'fold.requested',
      by: 'default/refine',
      project: c.config.project,
      to: 'default/heir',
      entry: 'mint/default/heir',
    },
    {
      type: 'fold.requested',
      by: 'default/refine',
      project: 'default/other',
      to: 'default/heir',
      entry: 'mint/default/heir',
    },
    { type: 'fold.requested', by: c.id, project: c.config.project, to: 'default/heir', entry: 'mint/default/heir' },
    ...[...asked, 'default/three'].flatMap((task) => [
      { type: 'fold.accepted', task, ...answer },
      { type: 'fold.refused', task, reason: 'member-running' },
    ]),
    { type: 'budget.exhausted', detail: 'task: 3 of 3 tokens' },
    { type: 'budget.exhausted' },
    { type: 'budget.raised', by: 'maya', amount: 10 },
    { type: 'budget.refused', by: 'maya', amount: 10, left: 0 },
    { type: 'budget.renewed' },
    { type: 'effect.failed', effect: 'mergeMergeRequest', reason: 'no', key: 'k' },
    { type: 'effect.failed', effect: 'postComment', reason: 'no', key: 'k' },
    { type: 'effect.failed', effect: 'writeLabels', reason: 'no', key: 'k' },
  ]
}

export function taskWords(context: object): readonly TimelessEvent[] {
  const c = context as TaskContext
  return [...podWords(c), ...outcomes(c), ...forgeWords(c), ...issueWords(c), ...others(c)]
}
