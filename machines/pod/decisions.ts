/** What a pod does on events, as decisions; the table of `machine.ts` names them. */
import { alone, decideBy, type EventOf } from '../decide.ts'
import { effect, tellQueue, tellTask, tellTurn, type Decision, type EffectAction, type Sent } from '../emit.ts'
import type { TaskEvent } from '../task/events.ts'
import { newPod, turnId, type PodContext } from './context.ts'
import type { PodEvent } from './events.ts'

type Does = Decision<PodContext>

const { on, always } = decideBy<PodContext, PodEvent>(alone)

const address = ({ task, ordinal }: PodContext) => ({ task, ordinal })

function startTurn(context: PodContext, purpose: PodContext['turnPurpose']): Does {
  const ordinal = context.turns
  const eventsUpTo = context.asked ?? context.carried
  const { task, ordinal: podOrdinal, url, turnTimeoutSeconds, stallProbeGraceSeconds, stallProbeMaxAttempts } = context
  const metered = context.ledger === undefined ? {} : { ledger: context.ledger }
  return {
    context: { turns: ordinal + 1, turnOpen: true, turnPurpose: purpose, asked: null, carried: eventsUpTo },
    effects: [
      tellTurn(`${context.id}/${ordinal}`, {
        type: 'turn.start',
        pod: context.id,
        podOrdinal,
        task,
        ordinal,
        url,
        purpose,
        eventsUpTo,
        turnTimeoutSeconds,
        stallProbeGraceSeconds,
        stallProbeMaxAttempts,
        ...metered,
      }),
    ],
  }
}

function forward(
  event: EventOf<PodEvent, 'turn.ended' | 'turn.failed'>,
  { ordinal, turnPurpose, task }: PodContext,
): EffectAction {
  const { at: _at, ...rest } = event
  return tellTask(task, { ...rest, pod: ordinal, purpose: turnPurpose } as Sent<TaskEvent>)
}

type End = Pick<PodContext, 'reason' | 'detail'>

function because(reason: string, detail = ''): End {
  return { reason, detail }
}

function wordsOf({ detail }: End): { readonly detail?: string } {
  return detail ? { detail } : {}
}

function askForNote(context: PodContext): Does {
  return {
    context: { noteAsked: true },
    effects: [
      tellTask(context.task, {
        type: 'pod.noteMissing',
        pod: context.ordinal,
        reason: context.reason,
        ...wordsOf(context),
      }),
    ],
  }
}

/** The open turn ends with its pod (TURN-16), the slot is free, and the Task learns how it ended. */
function conclude(context: PodContext, cause: Cause, at: number | undefined): Does {
  const { task, ordinal, reason, startedAt, queue, entry } = context
  const residencyMs = startedAt === null || at === undefined ? 0 : Math.max(0, at - startedAt)
  return {
    context: { turnOpen: false },
    effects: [
      ...(context.turnOpen ? [tellTurn(turnId(context), { type: 'turn.podFinal' })] : []),
      tellQueue(queue, { type: 'queue.release', entry }),
      tellTask(task, {
        type: 'pod.final',
        pod: ordinal,
        cause,
        ...(reason ? { reason } : {}),
        ...wordsOf(context),
        residencyMs,
      }),
    ],
  }
}

type Cause = EventOf<TaskEvent, 'pod.final'>['cause']

function ends(cause: Cause) {
  return always((context, { at }) => conclude(context, cause, at))
}

export const podActions = {
  begin: on('pod.start', (context, { type: _type, at: _at, ...given }) => ({
    context: { ...newPod(context.id), ...given },
  })),
  askVolumes: always((context) => ({ effects: [effect('bindVolumes', address(context))] })),
  startClock: on('pod.volumesBound', (_context, { at }) => ({ context: { startedAt: at } })),
  askPod: always((context) => {
    const { project, agentKind, model, effort, permissionMode, turnTimeoutSeconds, agentPodTTLSeconds, repositories } =
      context
    const spec = { project, agentKind, model, effort, permissionMode, turnTimeoutSeconds, agentPodTTLSeconds }
    return { effects: [effect('createPod', { ...address(context), ...spec, repositories: [...repositories] })] }
  }),
  keepName: on('pod.created', (_context, { name }) => ({ context: { name } })),
  keepUrl: on('pod.ready', (_context, { url }) => ({ context: { url } })),
  askSession: always((context) => ({ effects: [effect('readSession', { ...address(context), url: context.url })] })),
  sayWorking: always(({ task, ordinal }) => ({ effects: [tellTask(task, { type: 'pod.working', pod: ordinal })] })),

  /** A request that the running turn already carries asks for nothing new. */
  keepAsked: on('turn.requested', ({ asked }, { eventsUpTo }) => ({
    context: { asked: Math.max(asked ?? 0, eventsUpTo) },
  })),
  startWork: always((context) => startTurn(context, 'work')),
  startHandoff: always((context) => startTurn({ ...context, asked: null }, 'handoff')),
  sayAccepted: on('turn.accepted', ({ task, ordinal }, { turn, eventsUpTo }) => ({
    effects: [tellTask(task, { type: 'turn.accepted', pod: ordinal, turn, eventsUpTo })],
  })),
  sayEnded: on('turn.ended', (context, event) => ({
    context: { turnOpen: false },
    effects: [forward(event, context)],
  })),
  sayFailed: on('turn.failed', (context, event) => ({
    context: { turnOpen: false },
    effects: [forward(event, context)],
  })),
  abandonTurn: always((context) => ({
    effects: context.turnOpen ? [tellTurn(turnId(context), { type: 'turn.abandon' })] : [],
  })),
  loseTurn: always((context) => ({
    effects: context.turnOpen ? [tellTurn(turnId(context), { type: 'turn.podFinal' })] : [],
  })),

  keepNote: always(() => ({ context: { noted: true } })),
  askForNote: always(askForNote),
  askForNoteOnce: always((context) => (context.noteAsked ? {} : askForNote(context))),
  askForNoteIfMissing: always((context) => (context.noteAsked || context.noted ? {} : askForNote(context))),

  keepStop: on('pod.stop', (_context, { reason }) => ({ context: { stopAsked: true, ...because(reason) } })),
  keepVanished: on('pod.vanished', (_context, { reason, detail }) => ({ context: because(reason, detail) })),
  keepUnbound: on('pod.volumesUnbound', (_context, { reason, detail }) => ({ context: because(reason, detail) })),
  keepFailure: on('effect.failed', (_context, { effect: type, reason }) => ({
    context: because(`${type}-failed`, reason),
  })),
  noteVolumesLate: always(() => ({
    context: because('volumes-unbound', 'not in time; in a cluster the Events of the claims name what is missing'),
  })),
  noteBootBudget: always(() => ({
    context: because(
      'boot-budget',
      'it was not ready in time; its log, or in a cluster its Events, show what it waited for',
    ),
  })),
  noteContract: always(() => ({ context: because('agent-contract-mismatch') })),
  noteAgentGone: always(() => ({ context: { agentLost: true, ...because('agent_exited') } })),
  noteTtl: always(() => ({ context: because('ttl') })),
  noteHardCap: always(() => ({ context: because('hard-cap') })),
  noteResidency: always(() => ({ context: { stopAsked: true, ...because('residency') } })),

  withdrawBind: always(() => ({ effects: [effect('withdrawEffects', { types: ['bindVolumes'] })] })),
  withdrawCreate: always(() => ({ effects: [effect('withdrawEffects', { types: ['createPod'] })] })),
  reportNotEnding: always(({ task, ordinal, name }) => ({
    effects: [tellTask(task, { type: 'pod.notEnding', pod: ordinal, name })],
  })),
  askStop: always((context) => ({
    effects: [effect('stopPod', { ...address(context), ...(context.url ? { url: context.url } : {}) })],
  })),
  forceDelete: always((context) => ({ effects: [effect('forceDeletePod', address(context))] })),
  concludeGone: ends('gone'),
  concludeLost: ends('lost'),
  concludeUnbound: ends('unbound'),
  concludeMismatched: ends('mismatched'),
}
