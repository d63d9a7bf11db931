/**
 * The most turns that one visit of a stage can take, found in the running table: the longest way through it if the agent
 * does the least useful thing each time (ends its turn without a word, fails, asks and waits, claims what is refused),
 * and each pod lives to its TTL and hands off. Nobody speaks to it, and no pod is lost: either adds turns of its own.
 */
import type { TaskContext } from '../../task/context.ts'
import { residencyCap, stageBudgets } from '../../task/budgets.ts'
import { searchKey } from './search-key.ts'
import { taskTransition, type TaskSnapshot } from './task-transition.ts'

interface Deed {
  readonly events: readonly { readonly type: string; readonly [field: string]: unknown }[]
  /** Turns that the Task does not ask for itself. */
  readonly turns?: number
  readonly passes?: number
}

interface Here {
  readonly snapshot: TaskSnapshot
  readonly elapsedMs: number
}

/** Undefined: there is no most, because some round costs no time and ends nowhere. */
export function mostTurns(snapshot: TaskSnapshot): number | undefined {
  const { name: stage, visit } = snapshot.context.stage
  const known = new Map<string, number>()
  const open = new Set<string>()
  const longest = (here: Here): number => {
    const key = `${JSON.stringify(here.snapshot.value)} ${here.elapsedMs} ${searchKey(contextOf(here))}`
    if (open.has(key)) return Infinity
    const before = known.get(key)
    if (before !== undefined) return before
    open.add(key)
    const most = deedsIn(here).reduce((sum, deed) => {
      const { next, turns } = after(here, deed)
      if (isSame(next, here)) return sum
      return Math.max(sum, turns + (isVisit(next) ? longest(next) : 0))
    }, 0)
    open.delete(key)
    known.set(key, most)
    return most
  }
  const isVisit = (next: Here): boolean =>
    contextOf(next).stage.name === stage && contextOf(next).stage.visit === visit && next.elapsedMs < budgetOf(stage)
  const most = longest({ snapshot, elapsedMs: 0 })
  return Number.isFinite(most) ? most : undefined
}

function contextOf({ snapshot }: Here): TaskContext {
  return snapshot.context
}

/** What ends a visit by time: the stage's own budget, or what its pods may live in all. */
function budgetOf(stage: string): number {
  return Math.min(residencyCap, (stageBudgets as Readonly<Record<string, number>>)[stage] ?? residencyCap)
}

function isSame(one: Here, other: Here): boolean {
  return one.snapshot === other.snapshot && one.elapsedMs === other.elapsedMs
}

function podPath({ snapshot }: Here): string {
  const { pod }: { readonly pod: string | { readonly working?: string } } = snapshot.value
  return typeof pod === 'string' ? pod : (pod.working ?? '')
}

function deedsIn(here: Here): readonly Deed[] {
  const context = contextOf(here)
  const pod = context.pod.ordinal
  const { agentPodTTLSeconds } = context.config
  const ttlMs = agentPodTTLSeconds * 1000
  const turn = { pod, turn: 0, purpose: 'work', finalText: '', usage: {}, pushed: [], failed: [] }
  const ended = { type: 'turn.ended', ...turn }
  const claim = {
    ...ended,
    type: 'outcome',
    outcomeId: 'x',
    digest: 'x',
    kind: context.pod.agentKind,
    action: 'approved',
  }
  const claimed = { ...claim, payload: { plan_note_id: 'none' }, claims: [], heads: [], workspaceClean: true }
  const accepted = { type: 'turn.accepted', pod, turn: 0, eventsUpTo: context.journal.eventSequence }
  const deeds: Readonly<Record<string, readonly Deed[]>> = {
    awaitingSlot: [{ events: [{ type: 'slot.granted', entry: context.pod.entry }] }],
    starting: [{ events: [{ type: 'pod.working', pod }] }],
    busy: [
      { events: [accepted, ended] },
      { events: [accepted, { type: 'agent.asked', pod, repository: '', number: 0 }, ended] },
      { events: [accepted, claimed, ended] },
      { events: [accepted, { ...turn, type: 'turn.failed', stopReason: 'api_error' }] },
    ],
    resting: [{ events: [{ type: 'xstate.after.turnDelay.task.pod.working.resting' }] }],
    idle: [{ events: [{ type: 'pod.final', pod, cause: 'gone', residencyMs: ttlMs }], turns: 1, passes: ttlMs }],
  }
  return deeds[podPath(here)] ?? []
}

function after({ snapshot, elapsedMs }: Here, { events, turns = 0, passes = 0 }: Deed): { next: Here; turns: number } {
  let now = snapshot
  let asked = turns
  for (const event of events) {
    const at = now.context.at
    const [next, actions] = taskTransition(now, { at, ...event })
    now = next
    asked += actions.filter(({ params }) => isRequest(params)).length
  }
  return { next: { snapshot: now, elapsedMs: elapsedMs + passes }, turns: asked }
}

function isRequest(params: unknown): boolean {
  return (params as { readonly event?: { readonly type: string } } | undefined)?.event?.type === 'turn.requested'
}
