/** What the Task asks of its pod's turns and learns from them. */
import { tellPod } from '../emit.ts'
import { maxInRow, turnBackoff } from './budgets.ts'
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import type { TaskContext } from './context.ts'
import { isHeard, podId, servesStage } from './queries.ts'

type Ended = EventOf<TaskEvent, 'turn.ended'>
type Failed = EventOf<TaskEvent, 'turn.failed'>

export function isOfPod<E extends { readonly pod: number }>(context: TaskContext, event: E): boolean {
  return context.podAlive && event.pod === context.podOrdinal
}

export function isWorkTurn(context: TaskContext, event: Ended | Failed): boolean {
  return isOfPod(context, event) && event.purpose === 'work'
}

/** The pod would get another ordinary turn: it serves the stage, and there is something to say. */
export function wantsTurn(context: TaskContext): boolean {
  return servesStage(context) && (context.nudged || context.pending.length > 0)
}

export function requestTurn(context: TaskContext): Change {
  const prompt = context.nudged ? context.prompt : 'events'
  return {
    context: { prompt, nudged: false, asked: false, turnSpoke: false },
    effects: [tellPod(podId(context), { type: 'turn.requested', eventsUpTo: context.eventSequence })],
  }
}

function added(usage: TaskContext['usage'], more: { readonly [name: string]: unknown }): TaskContext['usage'] {
  const numbers = Object.entries(more).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  return { ...usage, ...Object.fromEntries(numbers.map(([name, value]) => [name, (usage[name] ?? 0) + value])) }
}

/** Every turn counts, the hand-off too; a late one of an older pod changes what was pushed and spent, nothing else. */
export function recordTurn(context: TaskContext, event: Ended | Failed): Change {
  const pushedRepositories = [...new Set([...context.pushedRepositories, ...event.pushed])]
  const spent = { pushedRepositories, usage: added(context.usage, event.usage), turns: context.turns + 1 }
  if (event.pod < context.lastTurnPod) return { context: spent }
  return {
    context: {
      ...spent,
      lastTurn: event.turn,
      lastTurnPod: event.pod,
      lastTurnFinalText: event.finalText,
      lastTurnPushedRepos: event.pushed,
      lastTurnFailedRepos: event.failed.map(({ repo }) => repo),
    },
  }
}

/** The newest word, in whatever order turns are read. */
export function recordAccount(context: TaskContext, event: EventOf<TaskEvent, 'usage.reported'>): Change {
  const { fiveHour, weekly, reportedAt } = event
  if (reportedAt < (context.accountUsage?.reportedAt ?? 0)) return {}
  return { context: { accountUsage: { fiveHour, weekly, reportedAt } } }
}

/** No outcome, no question that would be heard, no claim in flight: the agent just stopped. */
export function isSilent(context: TaskContext, event: Ended): boolean {
  const hasAsked = context.asked && isHeard(context)
  return isWorkTurn(context, event) && servesStage(context) && !hasAsked && !context.turnSpoke
}

export function isLastSilence(context: TaskContext, event: Ended): boolean {
  return isSilent(context, event) && context.silentTurns + 1 >= maxInRow
}

export function remindAgent(context: TaskContext): Change {
  return {
    context: { silentTurns: context.silentTurns + 1, failedTurns: 0, lostInRow: 0, prompt: 'continue', nudged: true },
  }
}

/** A turn that ended well clears what was counted in a row (TURN-13). */
export function calmDown(): Change {
  return { context: { silentTurns: 0, failedTurns: 0, lostInRow: 0 } }
}

/** The pod ends with the turn: what follows is its `pod.final`, and a lost pod is counted there. */
const endsPod: ReadonlySet<string> = new Set([
  'agent_exited',
  'expired',
  'abandoned',
  'conflict',
  'shutdown',
  'interrupted',
  'interrupt_unconfirmed',
])
/** Said by the pod's end, the account or the ledger, not by the agent. */
const uncounted: ReadonlySet<string> = new Set([
  'agent_exited',
  'expired',
  'abandoned',
  'conflict',
  'shutdown',
  'usage_limit',
  'budget',
])

export function endsItsPod(context: TaskContext, event: Failed): boolean {
  return isWorkTurn(context, event) && endsPod.has(event.stopReason)
}

export function isFailure(context: TaskContext, event: Failed): boolean {
  return isWorkTurn(context, event) && servesStage(context) && !uncounted.has(event.stopReason)
}

export function isLastFailure(context: TaskContext, event: Failed): boolean {
  return isFailure(context, event) && context.failedTurns + 1 >= maxInRow
}

export function countFailure(context: TaskContext): Change {
  return { context: { failedTurns: context.failedTurns + 1 } }
}

export function nameFailure(_context: TaskContext, { stopReason, error }: Failed): Change {
  return {
    context: { stageReason: 'turn-failed', stageDetail: error === undefined ? stopReason : `${stopReason}: ${error}` },
  }
}

/** A usage limit waits for its reset; every other failure for its backoff. */
export function restBeforeRetry(context: TaskContext, event: Failed): Change {
  const untilReset =
    event.stopReason === 'usage_limit' && event.resetsAt !== undefined ? Math.max(0, event.resetsAt - context.at) : 0
  return {
    context: { turnDelayMs: Math.max(untilReset, turnBackoff(context.failedTurns)), prompt: 'retry', nudged: true },
  }
}
