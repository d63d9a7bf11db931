/** Sorts of states, of which a life alone keeps a few each: by leaf states, and by each thing that guards ask about. */
import type { ActorKind } from '../../../machines/definition.ts'
import type { IngestJobContext } from '../../../machines/ingest-job/context.ts'
import type { IssueContext } from '../../../machines/issue/context.ts'
import type { LedgerContext } from '../../../machines/ledger/context.ts'
import type { MemoryContext } from '../../../machines/memory/context.ts'
import type { MemoryStackContext } from '../../../machines/memory-stack/context.ts'
import type { MergeRequestContext } from '../../../machines/merge-request/context.ts'
import type { ModelKeyContext } from '../../../machines/model-key/context.ts'
import type { PodContext } from '../../../machines/pod/context.ts'
import type { ProjectContext } from '../../../machines/project/context.ts'
import type { QueueContext } from '../../../machines/queue/context.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { TurnContext } from '../../../machines/turn/context.ts'
import type { Snapshot } from '../../machines/world/trace.ts'
import { leavesOf } from '../rows/draft.ts'

/** Many of machines of few states. */
const most: Partial<Readonly<Record<ActorKind, number>>> = {
  ledger: 2,
  project: 4,
}

export function mostOf(kind: ActorKind): number {
  return most[kind] ?? 1
}

function ofTask({ context }: Snapshot): readonly unknown[] {
  const c = context as TaskContext
  const grants = c.forge.issues.map(({ state, grant }) => (grant ? `${state} granted ${grant.self}` : state)).join(',')
  const merges = c.forge.mergeRequests.map(({ state }) => state).join(',')
  return [
    ['kind', c.kind],
    ['reason', c.stage.reason],
    ['from', c.stage.parkedFrom],
    ['asked', c.turn.asked],
    ['spoke', c.turn.spoke],
    ['pushed', c.turn.pushedRepositories.length],
    ['unpushed', c.turn.lastFailedRepos.length],
    ['grants', grants],
    ['merge requests', merges],
    ['pending', c.journal.pending.length > 0],
    ['claims', c.forge.claims.length],
    ['laps', c.stage.reviewLaps],
    ['silent', c.turn.silentInRow],
    ['failed', c.turn.failedInRow],
    ['lost', Math.min(4, c.pod.lostInRow)],
    [
      'submits',
      c.kind,
      c.turn.pushedRepositories.length > 0,
      c.turn.lastFailedRepos.length === 0,
      c.forge.submission === null,
    ],
    ['starts', c.pod.startFailures],
    ['openings', c.forge.failedOpenings],
    ['optional', Object.values(c.forge.optionalLaps).map((laps) => Math.min(2, laps))],
    ['question', c.forge.checkQuestion?.isAllowed, c.forge.checkQuestion?.sha === c.forge.merging?.sha],
    ['awaited', c.forge.awaitingOpen.length],
    ['deadlines', c.stage.deadlines],
    ['closed', c.forge.foldsClosed === null, c.stage.name],
    ['folds', c.forge.folds.map(({ answer }) => answer?.accepted)],
    ['plan', c.journal.planNoteId !== null, c.journal.notes.length > 1],
    ['worked', c.pod.worked],
    ['withheld', c.pod.withheld, c.stage.spentMs > 0],
    ['visit', c.pod.alive, c.pod.visit === c.stage.visit],
    ['significance', c.forge.significance, c.forge.submission?.mergeOrder],
    ['went ahead', c.forge.goAheads.length, c.forge.reviewed === null],
    ['verdict', c.forge.verdict === null],
    ['recorded', c.pod.recordedOutcome === null, c.pod.recordedApproval === null],
    ['resident', c.pod.visitResidencyMs > 3_600_000],
  ]
}

function ofPod({ context }: Snapshot): readonly unknown[] {
  const { noted, stopAsked, asked, turnOpen, agentLost, noteAsked, turns, ledger } = context as PodContext
  return [
    ['noted', noted, noteAsked],
    ['stop', stopAsked, agentLost],
    ['asked', asked === null, turnOpen],
    ['turns', turns > 0, turns > 1, ledger],
  ]
}

function ofTurn({ context }: Snapshot): readonly unknown[] {
  const { quietWindows, attempts, accepted, liveTurnId, turnId, ledger, purpose } = context as TurnContext
  return [
    ['quiet', quietWindows, attempts],
    ['known', accepted, liveTurnId, turnId],
    ['sort', ledger, purpose],
  ]
}

/** What an Issue or a merge request knows decides together. */
function ofIssue({ context }: Snapshot): readonly unknown[] {
  const { owner, mint, held, urged, grant, implementRan, plans, accepted, rejected, retired, offered, facts, ...more } =
    context as IssueContext
  const waits = [mint === null, held, urged, offered]
  return [
    [owner !== '', grant?.self, implementRan, plans.length > 0, accepted === null],
    [owner !== '', ...waits, facts?.wanted, facts?.swept],
    [owner !== '', implementRan, plans.length > 0, grant === null, selfGrantable(facts)],
    [owner !== '', facts?.unwantedByMaintainer, grant?.commentId, facts?.approvals.length],
    [rejected !== '', retired, facts?.state, facts?.closedBy, owner !== ''],
    [retired, facts?.state, facts?.closedBy, owner !== '', facts?.mergedFor === owner, grant === null, plans.length],
    [facts?.approvals.length, plans.length > 0, grant === null, facts?.bodyHash, facts?.withdrawnBy],
    [facts?.revision, facts?.approvals.length],
    [
      more.withdrawals.map(({ commentId, at }) => [commentId, at]),
      facts?.approvals.length,
      owner !== '',
      plans.length > 0,
    ],
  ]
}

function selfGrantable(facts: IssueContext['facts']): boolean {
  return facts?.selfProposed === true && !facts.humanCommented && facts.config.autoApproveMaxSignificance !== 'off'
}

function ofMergeRequest({ context }: Snapshot): readonly unknown[] {
  const { owner, mint, held, urged, offered, cancelled, verdict, facts } = context as MergeRequestContext
  return [
    [owner !== '', mint === null, held, urged, facts?.wanted, facts?.state],
    [owner !== '', held, offered, cancelled, facts?.headBranch, facts?.draft, facts?.wanted],
    [verdict === null, owner !== '', facts?.headSha, facts?.ci, facts?.mergeable],
    [facts?.revision, verdict === null, facts?.state],
  ]
}

function ofQueue({ context }: Snapshot): readonly unknown[] {
  const { entries, finished, capacity, maxConcurrentAgents, key, hold, probe, incidents = [] } = context as QueueContext
  const admitted = entries.filter(({ admittedAt }) => admittedAt !== null)
  return [
    ['entries', Math.min(3, entries.length), Math.min(2, admitted.length), finished.length > 0],
    ['slots', capacity, maxConcurrentAgents],
    ['key', key, hold === null, probe !== ''],
    ...incidents.slice(0, 2).map(({ firings, isNoted, issue, task }) => {
      const entry = entries.find((one) => one.task === task)
      return ['incident', firings > 1, isNoted, issue !== undefined, entry?.sort, entry?.admittedAt === null]
    }),
  ]
}

function ofLedger({ context }: Snapshot): readonly unknown[] {
  const { reservations, waiting, held, today, tasks, limits } = context as LedgerContext
  return [
    ['now', Math.min(3, reservations.length), Math.min(2, waiting.length), held.length],
    ['spent', today.spent > 0, today.raised > 0, Object.keys(tasks).length],
    ['limits', limits, reservations.length > 0, today.spent > 0],
  ]
}

function ofModelKey({ context }: Snapshot): readonly unknown[] {
  const { projects, hold, refusals, toAsk, probe } = context as ModelKeyContext
  return [
    ['projects', projects.length, toAsk.length],
    ['hold', hold?.cause, Math.min(4, refusals), probe !== ''],
  ]
}

function ofMemory({ context }: Snapshot): readonly unknown[] {
  const { steps, repositories, isOutdated, behindSince, failures, trouble, holds, nextAt, at } =
    context as MemoryContext
  const inMs = nextAt === null ? null : nextAt - at
  return [
    ['steps', Math.min(3, steps), isOutdated, behindSince !== null],
    ['known', ...Object.values(repositories).map((one) => `${one.due} ${one.trouble} ${one.since < at}`), isOutdated],
    ['again', Math.min(8, failures), Math.min(8, holds), trouble],
    ['rest', inMs, behindSince !== null, isOutdated],
  ]
}

function ofMemoryStack({ context }: Snapshot): readonly unknown[] {
  const { wanted, looks, nextAt, phase, part, since, isLate, endpoint, failures, at } = context as MemoryStackContext
  return [
    ['wanted', wanted?.profile, wanted?.fills, Math.min(3, looks)],
    ['seen', phase, part, isLate, since < at, endpoint !== ''],
    ['again', Math.min(8, failures), nextAt === null ? null : nextAt - at],
  ]
}

function ofIngestJob({ context }: Snapshot): readonly unknown[] {
  const { groups, group, item, attempt, isPurged, failed, errors, purged, skipped } = context as IngestJobContext
  const { purges = false, items = 0 } = groups[group] ?? {}
  return [
    ['group', purges, isPurged, Math.min(2, items), groups.length - group],
    ['item', items - item === 1, attempt, groups.length - group, failed > 0],
    ['results', failed > 0, purged > 0, skipped > 0],
    ['faults', Math.min(3, errors.length), errors.length >= 100],
  ]
}

const things: Partial<Readonly<Record<ActorKind, (snapshot: Snapshot) => readonly unknown[]>>> = {
  pod: ofPod,
  queue: ofQueue,
  ledger: ofLedger,
  'model-key': ofModelKey,
  memory: ofMemory,
  'memory-stack': ofMemoryStack,
  turn: ofTurn,
  issue: ofIssue,
  'merge-request': ofMergeRequest,
  'ingest-job': ofIngestJob,
}

/** A Project is seven regions that know nothing of each other: each leaf counts for itself, and what its own guards ask. */
function sortsOfProject({ value, context }: Snapshot): readonly string[] {
  const leaves = leavesOf(value)
  const { scheduled } = context as ProjectContext
  if (scheduled === null) return leaves
  const { blocks, spending, settings } = scheduled
  const budget = leaves.find((leaf) => leaf.startsWith('scheduled.budget.'))
  return [
    ...leaves,
    ...Object.entries(blocks).map(([name, { mintedAt, task }]) => {
      const leaf = leaves.find((one) => one.startsWith(`scheduled.${name}.`))
      return `${leaf} minted ${mintedAt !== null} task ${task !== ''}`
    }),
    `${budget} ${spending.hold} ${spending.account === null} ${settings.budget?.tokenLimit} ${settings.budget?.windowMs}`,
  ]
}

export function sortsOf(kind: ActorKind, snapshot: Snapshot): readonly string[] {
  if (kind === 'project') return sortsOfProject(snapshot)
  const leaves = leavesOf(snapshot.value)
  const all = leaves.join(' ')
  if (kind === 'task') {
    const stage = leaves.find((leaf) => leaf.startsWith('stage'))
    return [all, ...ofTask(snapshot).map((one) => `${stage} ${JSON.stringify(one)}`)]
  }
  return [all, ...(things[kind]?.(snapshot) ?? []).map((one) => `${all} ${JSON.stringify(one)}`)]
}
