/**
 * What a Task can cost at most while nobody speaks to it and no pod is lost, from the running table and its settings: the most turns of each stage on its way, what a
 * turn may use, and what each lap through work and review adds. The table bounds a pass, the ledger bounds the laps.
 */
import { initialTransition, transition } from 'xstate'
import type { SpendingLimits } from '../../ledger/events.ts'
import { defaultTokensPerTurn } from '../../rules/spending.ts'
import type { TaskContext } from '../../task/context.ts'
import type { AgentKind, TaskSeed } from '../../task/events.ts'
import { taskMachine } from '../../task/machine.ts'
import { mostTurns } from './most-turns.ts'
import { pathToDelivered } from './path.ts'
import type { TaskSnapshot } from './task-transition.ts'

interface Prices {
  readonly agentPodTTLSeconds: number
  readonly tokensPerTurn: number
  /** 0: no limit. */
  readonly tokensPerTask: number
}

export interface WorstCase {
  /** Each stage that runs pods, and the most turns of one visit; null: the table names no most. */
  readonly stages: readonly { readonly stage: string; readonly turns: number | null }[]
  /** Once through all of them; null as above. */
  readonly tokensPerPass: number | null
  /** A review sends the work back as often as it wants: each time costs as much as a pass again, at most. */
  readonly laps: boolean
  /** What the ledger lets a Task spend unless a maintainer adds to it; null: nothing holds it. */
  readonly tokensAtMost: number | null
}

const known = new Map<string, WorstCase['stages']>()

export function worstCase(kind: AgentKind, { agentPodTTLSeconds, tokensPerTurn, tokensPerTask }: Prices): WorstCase {
  const key = `${kind} ${agentPodTTLSeconds}`
  const stages = known.get(key) ?? stagesOf(kind, agentPodTTLSeconds)
  known.set(key, stages)
  const turns = stages.map((one) => one.turns)
  const isBounded = turns.every((count) => count !== null)
  const tokensPerPass = isBounded ? turns.reduce((sum: number, count) => sum + (count ?? 0), 0) * tokensPerTurn : null
  return { stages, tokensPerPass, laps: stages.length > 1, tokensAtMost: tokensPerTask === 0 ? null : tokensPerTask }
}

/** Of a Task, or of one to be minted; `limits`: its Project's ledger's, which holds only who was minted metered. */
export function worstCaseOf(
  { kind, config }: Pick<TaskContext, 'kind' | 'config'>,
  limits: SpendingLimits | undefined,
): WorstCase {
  const { agentPodTTLSeconds, tokensPerTurn } = config
  return worstCase(kind, {
    agentPodTTLSeconds,
    tokensPerTurn: tokensPerTurn ?? limits?.tokensPerTurn ?? defaultTokensPerTurn,
    tokensPerTask: tokensPerTurn === undefined ? 0 : (limits?.tokensPerTask ?? 0),
  })
}

/** The stages of the shortest way, each as it is when it is entered. */
function stagesOf(kind: AgentKind, agentPodTTLSeconds: number): WorstCase['stages'] {
  const visits = new Map<number, { readonly stage: string; readonly turns: number | null }>()
  for (const snapshot of wayOf(begun(kind, agentPodTTLSeconds))) {
    const { visit, name: stage, wants } = snapshot.context.stage
    // An admitted `refined` becomes `implementing` in the same visit, and that is the one that runs pods.
    if (wants !== null && visits.get(visit)?.stage !== stage)
      visits.set(visit, { stage, turns: mostTurns(snapshot) ?? null })
  }
  return [...visits.values()]
}

function begun(kind: AgentKind, agentPodTTLSeconds: number): TaskSnapshot {
  const [blank] = initialTransition(taskMachine, { id: 'default/any' })
  const [snapshot] = transition(taskMachine, blank, {
    type: 'task.minted',
    at: 0,
    seed: seedOf(kind, agentPodTTLSeconds),
  })
  return snapshot
}

function* wayOf(start: TaskSnapshot): Generator<TaskSnapshot> {
  let now = start
  yield now
  for (const { event, timer } of pathToDelivered({ value: now.value, context: now.context }) ?? []) {
    const at = now.context.at
    const [next] = transition(taskMachine, now, { at, ...(event ?? { type: timer ?? '' }) } as never)
    now = next
    yield now
  }
}

/** One repository, one issue where the kind has any: more of them add no turns of their own. */
function seedOf(kind: AgentKind, agentPodTTLSeconds: number): TaskSeed {
  const issue = { repository: 'r', number: 1, issue: 'default/r-1', selfProposed: false, humanCommented: true }
  const mr = { repository: 'r', number: 1, mergeRequest: 'default/r-mr-1', headSha: 'h', headBranch: 'b' }
  return {
    kind,
    goal: '',
    repositories: ['r'],
    issues: kind === 'implement' ? [issue] : [],
    mergeRequests: kind === 'review' ? [{ ...mr, author: '', url: '' }] : [],
    priority: 60,
    origin: { kind: '', ref: '' },
    config: {
      project: 'default/any',
      agentPodTTLSeconds,
      turnTimeoutSeconds: 1,
      stallProbeGraceSeconds: 1,
      stallProbeMaxAttempts: 1,
      autoApproveMaxSignificance: 'off',
      model: {},
      effort: {},
      permissionMode: '',
      repositories: [{ name: 'r', base: '' }],
    },
  }
}
