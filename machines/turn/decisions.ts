/** What a turn does on events, as decisions; the table of `machine.ts` names them. */
import { alone, decideBy, type EventOf } from '../decide.ts'
import { effect, tellLedger, tellPod, type Decision, type EffectAction } from '../emit.ts'
import { tokensOf } from '../rules/spending.ts'
import { newTurn, type TurnContext } from './context.ts'
import type { TurnEvent } from './events.ts'

type Does = Decision<TurnContext>
type Result = EventOf<TurnEvent, 'turn.result'>

const { on, always } = decideBy<TurnContext, TurnEvent>(alone)

function sayAccepted({ pod, ordinal, eventsUpTo, accepted }: TurnContext): readonly EffectAction[] {
  return accepted ? [] : [tellPod(pod, { type: 'turn.accepted', turn: ordinal, eventsUpTo })]
}

/** A result that overtook its 202 proves that the wrapper took the turn: the pod hears both, in order (TURN-5, TURN-17). */
function conclude(context: TurnContext, event: Result): Does {
  const { finalText, usage, pushed, failed } = event
  const report = { turn: context.ordinal, finalText, usage, pushed, failed }
  return {
    context: { accepted: true, turnId: event.turnId },
    effects: [
      ...sayAccepted(context),
      tellPod(
        context.pod,
        endedWell(event) ? { type: 'turn.ended', ...report } : { type: 'turn.failed', ...report, ...cause(event) },
      ),
      ...settleReservation(context, tokensOf(usage)),
    ],
  }
}

/** `completed` also carries `max_tokens` and `refusal`, which the Task counts as failures (TURN-11). */
function endedWell({ state, stopReason }: Result): boolean {
  return state === 'completed' && stopReason === 'end_turn'
}

function cause({ stopReason, error, resetsAt }: Result): { stopReason: string; error?: string; resetsAt?: number } {
  return { stopReason, ...(error === undefined ? {} : { error }), ...(resetsAt === undefined ? {} : { resetsAt }) }
}

/** Null: it may have run, and nobody can tell how far. */
function settleReservation({ ledger, id }: TurnContext, tokens: number | null): readonly EffectAction[] {
  return ledger === undefined ? [] : [tellLedger(ledger, { type: 'reservation.settled', turn: id, tokens })]
}

/** It never began: what was reserved is free, or will not be asked for. */
function failUnbegun(context: TurnContext, stopReason: string): Does {
  return { effects: [...(fail(context, stopReason).effects ?? []), ...settleReservation(context, 0)] }
}

/** It may have run: whatever it was allowed counts as spent. */
function failUnknown(context: TurnContext, stopReason: string, error?: string): Does {
  return { effects: [...(fail(context, stopReason, error).effects ?? []), ...settleReservation(context, null)] }
}

/** A turn that ends without a result of the wrapper has nothing to report. */
function fail({ pod, ordinal }: TurnContext, stopReason: string, error?: string): Does {
  const nothing = { finalText: '', usage: {}, pushed: [], failed: [] }
  return {
    effects: [
      tellPod(pod, {
        type: 'turn.failed',
        turn: ordinal,
        stopReason,
        ...(error === undefined ? {} : { error }),
        ...nothing,
      }),
    ],
  }
}

function poll(url: string, turnId: string): Does {
  return { effects: turnId === '' ? [] : [effect('pollTurn', { url, turnId })] }
}

export const turnActions = {
  begin: on('turn.start', (context, { type: _type, at, ...given }) => ({
    context: { ...newTurn(context.id), ...given, seenAt: at },
  })),
  reserve: always(({ ledger, id, task }) => ({
    effects: ledger === undefined ? [] : [tellLedger(ledger, { type: 'reservation.asked', turn: id, task })],
  })),
  submit: always(({ task, podOrdinal, url, purpose, eventsUpTo }) => ({
    effects: [effect('submitTurn', { task, podOrdinal, url, purpose, eventsUpTo })],
  })),
  withdrawSubmit: always(() => ({ effects: [effect('withdrawEffects', { types: ['submitTurn'] })] })),
  accept: on('submit.accepted', (context, { turnId, at }) => ({
    context: { turnId, accepted: true, lastActivityAt: at, seenAt: at },
    effects: sayAccepted(context),
  })),
  keepLiveTurn: on('submit.conflict', (_context, { liveTurnId }) => ({ context: { liveTurnId: liveTurnId ?? '' } })),
  pollLiveTurn: always(({ url, liveTurnId }) => poll(url, liveTurnId)),
  poll: always(({ url, turnId }) => poll(url, turnId)),
  pollHinted: on('turn.callback', ({ url }, { turnId }) => poll(url, turnId)),

  /** Genuine activity starts the quiet clock anew, with all its windows. */
  keepActivity: on('turn.activity', (_context, { lastActivityAt, at }) => ({
    context: { lastActivityAt, seenAt: at, quietWindows: 0, attempts: 0 },
  })),
  /** A probe answer takes back the attempts and leaves the quiet clock alone (TURN-7). */
  keepAnswer: on('turn.activity', (_context, { at }) => ({ context: { attempts: 0, seenAt: at } })),
  countQuietWindow: always(({ quietWindows }) => ({ context: { quietWindows: quietWindows + 1 } })),
  probe: always(({ probes, attempts, url }) => ({
    context: { probes: probes + 1, attempts: attempts + 1 },
    effects: [effect('probeTurn', { url, probe: probes + 1 })],
  })),
  interrupt: always(({ url }) => ({ effects: [effect('interruptTurn', { url })] })),

  conclude: on('turn.result', conclude),
  failConflict: always((context) => failUnbegun(context, 'conflict')),
  failExpired: always((context) => failUnbegun(context, 'expired')),
  failUnconfirmed: always((context) => failUnknown(context, 'interrupt_unconfirmed')),
  failPodFinal: always((context) => failUnknown(context, 'agent_exited')),
  failAbandoned: always((context) => failUnknown(context, 'abandoned')),
  failRefused: on('effect.failed', (context, { reason }) => failUnknown(context, 'api_error', reason)),
  /** The ledger keeps no reservation of a turn that it refused. */
  failUnfunded: on('reservation.refused', (context, { reason }) => fail(context, 'budget', reason)),
  failPodFinalUnbegun: always((context) => failUnbegun(context, 'agent_exited')),
  failAbandonedUnbegun: always((context) => failUnbegun(context, 'abandoned')),
}
