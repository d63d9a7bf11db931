/** A context of version 3 was flat: these are the parts that its fields went to, each with its name before (R10). */
import type { JsonObject } from '../definition.ts'

const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stage: {
    name: 'stage',
    class: 'stageClass',
    reason: 'stageReason',
    detail: 'stageDetail',
    enteredAt: 'stageEnteredAt',
    workStartedAt: 'stageWorkStartedAt',
    history: 'stages',
    visit: 'visit',
    wants: 'wants',
    parkedFrom: 'parkedFrom',
    deadlines: 'deadlines',
    reviewLaps: 'reviewLaps',
    reviewRounds: 'reviewRounds',
  },
  forge: {
    issues: 'issues',
    everOwnedIssue: 'everOwnedIssue',
    mergeRequests: 'mergeRequests',
    claims: 'claims',
    claimedMaintainer: 'claimedMaintainer',
    significance: 'significance',
    submission: 'submission',
    verdict: 'verdict',
    reviewed: 'reviewed',
    goAheads: 'goAheads',
    openAttempt: 'openAttempt',
    failedOpenings: 'failedOpenings',
    awaitingOpen: 'awaitingOpen',
    mergeAttempt: 'mergeAttempt',
    mergeAsks: 'mergeAsks',
    merging: 'merging',
    folds: 'folds',
    budgetRaised: 'budgetRaised',
  },
  pod: {
    entry: 'entry',
    entries: 'entries',
    released: 'released',
    ordinal: 'podOrdinal',
    alive: 'podAlive',
    visit: 'podVisit',
    worked: 'podWorked',
    startedAt: 'podStartedAt',
    agentKind: 'agentKind',
    recordedOutcome: 'recordedOutcome',
    deferred: 'deferred',
    lostInRow: 'lostInRow',
    startFailures: 'startFailures',
    recreations: 'recreations',
    visitResidencyMs: 'visitResidencyMs',
    respawnDelayMs: 'respawnDelayMs',
  },
  turn: {
    prompt: 'prompt',
    nudged: 'nudged',
    asked: 'asked',
    spoke: 'turnSpoke',
    silentInRow: 'silentTurns',
    failedInRow: 'failedTurns',
    delayMs: 'turnDelayMs',
    last: 'lastTurn',
    lastPod: 'lastTurnPod',
    lastFinalText: 'lastTurnFinalText',
    lastPushedRepos: 'lastTurnPushedRepos',
    lastFailedRepos: 'lastTurnFailedRepos',
    pushedRepositories: 'pushedRepositories',
    usage: 'usage',
    accountUsage: 'accountUsage',
    count: 'turns',
  },
  journal: {
    pending: 'pending',
    eventSequence: 'eventSequence',
    notes: 'notes',
    planHash: 'planHash',
    planNoteId: 'planNoteId',
  },
}

const moved: ReadonlySet<string> = new Set(Object.values(parts).flatMap((names) => Object.values(names)))

function partOf(flat: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const known = Object.entries(names).filter(([, before]) => before in flat)
  return Object.fromEntries(known.map(([now, before]) => [now, flat[before]]))
}

export function inParts(snapshot: JsonObject): JsonObject {
  const flat = snapshot['context'] as JsonObject
  const identity = Object.entries(flat).filter(([name]) => !moved.has(name))
  const nested = Object.entries(parts).map(([name, names]) => [name, partOf(flat, names)] as const)
  return { ...snapshot, context: Object.fromEntries([...identity, ...nested]) }
}

const stateNews: ReadonlySet<unknown> = new Set(['mr_closed', 'mr_reopened'])

/** Version 5 told agents of states of merge requests, which the bundle shows (EVENTS-7), recorded no `approved` (OUTCOME-10), and counted no laps of optional checks (MERGE-15). */
export function withPeopleHeard(snapshot: JsonObject): JsonObject {
  const context = snapshot['context'] as JsonObject
  const journal = context['journal'] as JsonObject
  const pending = (journal['pending'] as readonly JsonObject[]).filter(({ kind }) => !stateNews.has(kind))
  const pod = { ...(context['pod'] as JsonObject), recordedApproval: null }
  const forge = { ...(context['forge'] as JsonObject), optionalLaps: {} }
  return { ...snapshot, context: { ...context, pod, forge, journal: { ...journal, pending } } }
}

/** Version 6 let the model's outages count as work, asked about checks without keeping which, and closed no Task that waits for members. A clock that runs began with the first work of its visit. */
export function withClock(snapshot: JsonObject): JsonObject {
  const context = snapshot['context'] as JsonObject
  const stage = context['stage'] as JsonObject
  const clockedAt = stage['workStartedAt'] ?? stage['enteredAt']
  const pod = { ...(context['pod'] as JsonObject), withheld: false }
  const forge = { ...(context['forge'] as JsonObject), checkQuestion: null, foldsClosed: null }
  return { ...snapshot, context: { ...context, pod, forge, stage: { ...stage, clockedAt, spentMs: 0 } } }
}

/** Version 4 gave a maintainer's review no lap of work at the merge. */
export function withReviewsAnswered(snapshot: JsonObject): JsonObject {
  const context = snapshot['context'] as JsonObject
  const forge = { ...(context['forge'] as JsonObject), reviewsAnswered: [] }
  return { ...snapshot, context: { ...context, forge } }
}
