import type { RefusedCalls, TurnComplete, TurnResult, TurnState, TurnSummary } from '../../machines/turn/schema.ts'

/** What is known once a turn ended; the members of the wire's result. */
export type TurnOutcome = Pick<
  TurnComplete,
  | 'state'
  | 'stopReason'
  | 'finalText'
  | 'usage'
  | 'error'
  | 'accountUsage'
  | 'pushed'
  | 'failed'
  | 'refusedCalls'
  | 'lastTool'
>

/**
 * One turn: `accepted` -> `running` -> `completed` | `failed` (WRAPPER-RULE-9). On the wire the first two
 * are both `running`.
 */
export interface Turn {
  readonly turnId: string
  readonly phase: 'accepted' | 'running' | 'completed' | 'failed'
  readonly textHash: string
  readonly handoff: boolean
  readonly idempotencyKey?: string
  readonly callbackUrl?: string
  readonly startedAt: string
  readonly completedAt?: string
  readonly outcome?: TurnOutcome
  /** The callback was answered 2xx, or there is none to send. */
  readonly acknowledged: boolean
}

export type LedgerEvent =
  | {
      readonly type: 'turn.accepted'
      readonly at: string
      readonly turnId: string
      readonly textHash: string
      readonly handoff: boolean
      readonly idempotencyKey?: string
      readonly callbackUrl?: string
    }
  | { readonly type: 'turn.started'; readonly at: string; readonly turnId: string }
  | { readonly type: 'turn.ended'; readonly at: string; readonly turnId: string; readonly outcome: TurnOutcome }
  | { readonly type: 'turn.acknowledged'; readonly at: string; readonly turnId: string }
  /** All that were refused since the result before. */
  | { readonly type: 'calls.refused'; readonly at: string; readonly calls: RefusedCalls }

/** All turns of this pod, oldest first. */
export type Ledger = readonly Turn[]

/** List answers hold this many (WRAPPER-RULE-5). */
const listedTurns = 1000

export function applyLedgerEvent(ledger: Ledger, event: LedgerEvent): Ledger {
  if (event.type === 'turn.accepted') return [...ledger, accepted(event)]
  if (event.type === 'calls.refused') return ledger
  return ledger.map((turn) => (turn.turnId === event.turnId ? advance(turn, event) : turn))
}

function accepted(event: Extract<LedgerEvent, { type: 'turn.accepted' }>): Turn {
  const { at, turnId, textHash, handoff, idempotencyKey, callbackUrl } = event
  return {
    turnId,
    phase: 'accepted',
    textHash,
    handoff,
    startedAt: at,
    acknowledged: false,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
  }
}

/** A result is recorded once: what comes later for an ended turn changes nothing but the acknowledgement. */
function advance(turn: Turn, event: Exclude<LedgerEvent, { type: 'turn.accepted' | 'calls.refused' }>): Turn {
  if (event.type === 'turn.acknowledged') return { ...turn, acknowledged: true }
  if (isEnded(turn)) return turn
  if (event.type === 'turn.started') return { ...turn, phase: 'running' }
  return { ...turn, phase: event.outcome.state, outcome: event.outcome, completedAt: event.at }
}

export function isEnded(turn: Turn): boolean {
  return turn.phase === 'completed' || turn.phase === 'failed'
}

/** Newest first. */
export function newestTurns(ledger: Ledger): Ledger {
  return ledger.slice(-listedTurns).toReversed()
}

export function liveTurn(ledger: Ledger): Turn | undefined {
  const last = ledger.at(-1)
  return last && !isEnded(last) ? last : undefined
}

function wireState(turn: Turn): TurnState {
  return turn.phase === 'accepted' ? 'running' : turn.phase
}

export function summaryOf(turn: Turn): TurnSummary {
  return {
    turnId: turn.turnId,
    state: wireState(turn),
    startedAt: turn.startedAt,
    ...(turn.completedAt ? { completedAt: turn.completedAt } : {}),
    ...(turn.idempotencyKey ? { idempotencyKey: turn.idempotencyKey } : {}),
    ...(turn.handoff ? { handoff: true } : {}),
  }
}

export function resultOf(turn: Turn): TurnResult {
  return { ...summaryOf(turn), ...turn.outcome, state: wireState(turn) }
}

/** Body of the callback; only for an ended turn. */
export function completionOf(turn: Turn, identity: { readonly task: string; readonly pod: number }): TurnComplete {
  if (!turn.outcome || !turn.completedAt) throw new Error(`turn ${turn.turnId} has not ended`)
  return {
    turnId: turn.turnId,
    task: identity.task,
    pod: identity.pod,
    ...(turn.idempotencyKey ? { idempotencyKey: turn.idempotencyKey } : {}),
    ...turn.outcome,
    startedAt: turn.startedAt,
    completedAt: turn.completedAt,
  }
}

type Admission =
  | { readonly kind: 'accept' }
  | { readonly kind: 'repeat'; readonly turn: Turn }
  | { readonly kind: 'in-flight'; readonly turn: Turn }
  | { readonly kind: 'key-reused'; readonly turn: Turn }
  | { readonly kind: 'expired' }

interface Asked {
  readonly textHash: string
  readonly handoff: boolean
  readonly idempotencyKey?: string
}

/**
 * May this message become a turn? A known key gives the same turn again, whatever its state (WRAPPER-RULE-4); past the TTL
 * exactly one hand-off turn is taken (MESSAGES-4).
 */
export function admit(ledger: Ledger, asked: Asked, pastTtl: boolean): Admission {
  const same =
    asked.idempotencyKey === undefined ? undefined : ledger.find((turn) => turn.idempotencyKey === asked.idempotencyKey)
  if (same) return { kind: same.textHash === asked.textHash ? 'repeat' : 'key-reused', turn: same }
  if (pastTtl && (!asked.handoff || ledger.some((turn) => turn.handoff))) return { kind: 'expired' }
  const live = liveTurn(ledger)
  return live ? { kind: 'in-flight', turn: live } : { kind: 'accept' }
}
