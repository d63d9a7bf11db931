/** What the Task asks of its pod's turns and learns from them. */
import { tellPod } from '../emit.ts'
import { maxInRow, turnBackoff } from './budgets.ts'
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { withChanges, type TaskContext } from './context.ts'
import { Withholding } from '../turn/schema.ts'
import { isHeard, podId, servesStage } from './queries.ts'

type Ended = EventOf<TaskEvent, 'turn.ended'>
type Failed = EventOf<TaskEvent, 'turn.failed'>

export function isOfPod<E extends { readonly pod: number }>(context: TaskContext, event: E): boolean {
  return context.pod.alive && event.pod === context.pod.ordinal
}

export function isWorkTurn(context: TaskContext, event: Ended | Failed): boolean {
  return isOfPod(context, event) && event.purpose === 'work'
}

/** The pod would get another ordinary turn: it serves the stage, and there is something to say. */
export function wantsTurn(context: TaskContext): boolean {
  return servesStage(context) && (context.turn.nudged || context.journal.pending.length > 0)
}

export function requestTurn(context: TaskContext): Change {
  const prompt = context.turn.nudged ? context.turn.prompt : 'events'
  return {
    context: { turn: { prompt, nudged: false, asked: false, spoke: false } },
    effects: [tellPod(podId(context), { type: 'turn.requested', eventsUpTo: context.journal.eventSequence })],
  }
}

function added(
  usage: TaskContext['turn']['usage'],
  more: { readonly [name: string]: unknown },
): TaskContext['turn']['usage'] {
  const numbers = Object.entries(more).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  return { ...usage, ...Object.fromEntries(numbers.map(([name, value]) => [name, (usage[name] ?? 0) + value])) }
}

/** Every turn counts, the hand-off too; a late one of an older pod changes what was pushed and spent, nothing else. */
export function recordTurn(context: TaskContext, event: Ended | Failed): Change {
  const pushedRepositories = [...new Set([...context.turn.pushedRepositories, ...event.pushed])]
  const spent = {
    turn: { pushedRepositories, usage: added(context.turn.usage, event.usage), count: context.turn.count + 1 },
  }
  if (event.pod < context.turn.lastPod) return { context: spent }
  return {
    context: withChanges(spent, {
      turn: {
        last: event.turn,
        lastPod: event.pod,
        lastFinalText: event.finalText,
        lastPushedRepos: event.pushed,
        lastFailedRepos: event.failed.map(({ repo }) => repo),
      },
    }),
  }
}

/** The newest word, in whatever order turns are read. */
export function recordAccount(context: TaskContext, event: EventOf<TaskEvent, 'usage.reported'>): Change {
  const { fiveHour, weekly, reportedAt } = event
  if (reportedAt < (context.turn.accountUsage?.reportedAt ?? 0)) return {}
  return { context: { turn: { accountUsage: { fiveHour, weekly, reportedAt } } } }
}

/** No outcome, no question that would be heard, no claim in flight: the agent just stopped. */
export function isSilent(context: TaskContext, event: Ended): boolean {
  const hasAsked = context.turn.asked && isHeard(context)
  return isWorkTurn(context, event) && servesStage(context) && !hasAsked && !context.turn.spoke
}

export function isLastSilence(context: TaskContext, event: Ended): boolean {
  return isSilent(context, event) && context.turn.silentInRow + 1 >= maxInRow
}

export function remindAgent(context: TaskContext): Change {
  return {
    context: {
      turn: { silentInRow: context.turn.silentInRow + 1, failedInRow: 0, prompt: 'continue', nudged: true },
      pod: { lostInRow: 0 },
    },
  }
}

/** A turn that ended well clears what was counted in a row (TURN-13). */
export function calmDown(): Change {
  return { context: { turn: { silentInRow: 0, failedInRow: 0 }, pod: { lostInRow: 0 } } }
}

const withholdings: ReadonlySet<string> = new Set(Withholding.anyOf.map(({ const: cause }) => cause))

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
  'budget',
  ...withholdings,
])

export function endsItsPod(context: TaskContext, event: Failed): boolean {
  return isWorkTurn(context, event) && endsPod.has(event.stopReason)
}

export function isFailure(context: TaskContext, event: Failed): boolean {
  return isWorkTurn(context, event) && servesStage(context) && !uncounted.has(event.stopReason)
}

export function isLastFailure(context: TaskContext, event: Failed): boolean {
  return isFailure(context, event) && context.turn.failedInRow + 1 >= maxInRow
}

export function countFailure(context: TaskContext): Change {
  return { context: { turn: { failedInRow: context.turn.failedInRow + 1 } } }
}

export function nameFailure(_context: TaskContext, { stopReason, error }: Failed): Change {
  return {
    context: { stage: { reason: 'turn-failed', detail: error === undefined ? stopReason : `${stopReason}: ${error}` } },
  }
}

/** A withheld model waits for its reset; every other failure for its backoff. */
export function restBeforeRetry(context: TaskContext, event: Failed): Change {
  const untilReset =
    withholdings.has(event.stopReason) && event.resetsAt !== undefined ? Math.max(0, event.resetsAt - context.at) : 0
  return {
    context: {
      turn: { delayMs: Math.max(untilReset, turnBackoff(context.turn.failedInRow)), prompt: 'retry', nudged: true },
    },
  }
}
