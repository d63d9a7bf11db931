/**
 * One pod of a Task, from its volumes to its end (POD, docs/rules.md; STOP-SEQUENCE, docs/contract/orchestrator.md).
 * Upheld here: every pod that ran leaves a hand-off note before it ends [LAW-6, NOTE-1]; no ordinary turn after `pod.stop`
 * and an end within 2 x TURN_TIMEOUT + 60 s [LAW-19]; TTL, hard cap and residency are absolute, so `alive` spans
 * the life and carries them [POD-14]; the final state alone releases the slot [POD-1].
 */
import { setup, stateIn } from 'xstate'
import type { JsonObject, MachineDefinition, MachineInput } from '../definition.ts'
import { contractVersion } from '../turn/contract-version.ts'
import { newPod, type PodContext } from './context.ts'
import { podActions } from './decisions.ts'
import type { PodEvent } from './events.ts'

const second = 1000
const minute = 60 * second

/** Fixed waits; the others depend on the Project's settings. */
const podWaits = {
  volumes: 10 * minute,
  boot: 15 * minute,
  /** Grace of a graceful stop, and between two forced ones (POD-20). */
  grace: 120 * second,
  residency: 24 * 60 * minute,
  note: minute,
}

const podDelays = {
  ...podWaits,
  ttl: ({ context }: { context: PodContext }): number => context.agentPodTTLSeconds * second,
  turnTimeout: ({ context }: { context: PodContext }): number => context.turnTimeoutSeconds * second,
  hardCap: ({ context }: { context: PodContext }): number =>
    (context.agentPodTTLSeconds + 2 * context.turnTimeoutSeconds + 60) * second,
}

interface Guarded {
  readonly context: PodContext
  readonly event: PodEvent
}

function isCurrentTurn({ context, event }: Guarded): boolean {
  return context.turnOpen && 'turn' in event && event.turn === context.turns - 1
}

function failedBy(...reasons: readonly string[]): (args: Guarded) => boolean {
  return (args) => isCurrentTurn(args) && args.event.type === 'turn.failed' && reasons.includes(args.event.stopReason)
}

function isEffect(name: string): (args: Guarded) => boolean {
  return ({ event }) => event.type === 'effect.failed' && event.effect === name
}

export const podMachine = setup({
  types: { context: {} as PodContext, events: {} as PodEvent, input: {} as MachineInput },
  actions: podActions,
  delays: podDelays,
  guards: {
    launching: stateIn({ alive: 'launching' }),
    idle: stateIn({ alive: 'idle' }),
    busy: stateIn({ alive: 'busy' }),
    draining: stateIn({ alive: 'draining' }),
    handingOff: stateIn({ alive: 'handingOff' }),
    stopping: stateIn({ alive: 'stopping' }),
    noted: ({ context }) => context.noted,
    ran: ({ context }) => context.turns > 0,
    asked: ({ context }) => context.asked !== null && !context.stopAsked,
    stopAsked: ({ context }) => context.stopAsked,
    agentLost: ({ context }) => context.agentLost && !context.stopAsked,
    contractHolds: ({ event }) => event.type === 'pod.session' && event.contractVersion === contractVersion,
    newerRequest: ({ context, event }) => event.type === 'turn.requested' && event.eventsUpTo > context.carried,
    currentTurn: isCurrentTurn,
    currentTurnStopping: (args) => isCurrentTurn(args) && args.context.stopAsked,
    turnCut: failedBy('expired', 'interrupted'),
    turnUnconfirmed: failedBy('interrupt_unconfirmed'),
    agentGone: failedBy('agent_exited', 'shutdown'),
    handoffNote: ({ event }) => event.type === 'pod.noted' && (event.kind === 'handoff' || event.source === 'operator'),
    bindFailed: isEffect('bindVolumes'),
    launchFailed: (args) => isEffect('createPod')(args) || isEffect('readSession')(args),
    stopFailed: isEffect('stopPod'),
  },
}).createMachine({
  id: 'pod',
  context: ({ input }) => newPod(input.id),
  initial: 'new',
  states: {
    new: {
      meta: { owner: 'task', reason: 'requested, not begun', unblocks: 'pod.start, in the step that creates it' },
      on: { 'pod.start': { target: 'volumes', actions: 'begin' } },
    },
    volumes: {
      meta: { owner: 'platform', reason: 'waits for its volumes to be bound', unblocks: 'storage; 10 minutes end it' },
      entry: 'askVolumes',
      exit: 'withdrawBind',
      after: { volumes: { target: 'unbound', actions: 'noteVolumesLate' } },
      on: {
        'pod.volumesBound': { target: 'alive', actions: 'startClock' },
        'pod.volumesUnbound': { target: 'unbound', actions: 'keepUnbound' },
        'effect.failed': { guard: 'bindFailed', target: 'unbound', actions: 'keepFailure' },
        'pod.stop': { target: 'gone', actions: 'keepStop' },
        'turn.requested': { actions: 'keepAsked' },
      },
    },
    alive: {
      meta: { owner: 'platform', reason: 'lives', unblocks: 'TTL, hard cap or residency end it' },
      initial: 'launching',
      after: {
        ttl: [
          { guard: 'launching', target: '.stopping', actions: 'noteTtl' },
          { guard: 'idle', target: '.handingOff', actions: 'noteTtl' },
          { guard: 'busy', target: '.draining', actions: 'noteTtl' },
        ],
        hardCap: [
          { guard: 'launching', target: '.stopping', actions: 'noteHardCap' },
          { guard: 'idle', target: '.synthesizing', actions: 'noteHardCap' },
          { guard: 'busy', target: '.synthesizing', actions: ['noteHardCap', 'abandonTurn'] },
          { guard: 'draining', target: '.synthesizing', actions: ['noteHardCap', 'abandonTurn'] },
          { guard: 'handingOff', target: '.synthesizing', actions: ['noteHardCap', 'abandonTurn'] },
          { guard: 'stopping', target: '.stopping.forced' },
        ],
        residency: [
          { guard: 'launching', target: '.stopping', actions: 'noteResidency' },
          { guard: 'idle', target: '.retiring', actions: 'noteResidency' },
          { guard: 'busy', target: '.draining', actions: 'noteResidency' },
          { guard: 'draining', actions: 'noteResidency' },
        ],
      },
      on: {
        'turn.accepted': { guard: 'currentTurn', actions: 'sayAccepted' },
        'turn.ended': { guard: 'currentTurn', actions: 'sayEnded' },
        'turn.failed': { guard: 'currentTurn', actions: 'sayFailed' },
        'pod.noted': { guard: 'handoffNote', actions: 'keepNote' },
        'pod.vanished': [
          { guard: 'ran', target: '.losing', actions: ['keepVanished', 'loseTurn'] },
          { target: 'lost', actions: 'keepVanished' },
        ],
      },
      states: {
        launching: {
          meta: { owner: 'platform', reason: 'boots', unblocks: 'the pod; the boot budget of 15 minutes ends it' },
          initial: 'creating',
          after: { boot: { target: 'failing', actions: 'noteBootBudget' } },
          on: {
            'turn.requested': { actions: 'keepAsked' },
            'pod.stop': { target: 'stopping', actions: 'keepStop' },
            'pod.vanished': { target: '#pod.lost', actions: 'keepVanished' },
            'effect.failed': { guard: 'launchFailed', target: 'failing', actions: 'keepFailure' },
          },
          states: {
            creating: {
              meta: { owner: 'platform', reason: 'is being created', unblocks: 'the platform starts it' },
              entry: 'askPod',
              exit: 'withdrawCreate',
              on: {
                'pod.created': { target: 'booting', actions: 'keepName' },
                'pod.ready': { target: 'contract', actions: 'keepUrl' },
              },
            },
            booting: {
              meta: { owner: 'wrapper', reason: 'clones and boots the agent', unblocks: 'the wrapper answers /readyz' },
              on: { 'pod.ready': { target: 'contract', actions: 'keepUrl' } },
            },
            contract: {
              meta: { owner: 'wrapper', reason: 'its contract version is being read', unblocks: 'GET /v1/session' },
              entry: 'askSession',
              on: {
                'pod.ready': { actions: ['keepUrl', 'askSession'] },
                'pod.session': [
                  { guard: 'contractHolds', target: '#pod.alive.idle', actions: 'sayWorking' },
                  { target: '#pod.alive.mismatching', actions: 'noteContract' },
                ],
              },
            },
          },
        },
        failing: {
          meta: {
            owner: 'platform',
            reason: 'did not boot and is being deleted',
            unblocks: 'it disappears; the platform retries every 2 minutes',
          },
          entry: 'forceDelete',
          after: { grace: { target: 'failing', reenter: true, actions: 'reportNotEnding' } },
          on: { 'pod.vanished': { target: '#pod.lost' } },
        },
        mismatching: {
          meta: {
            owner: 'platform',
            reason: 'has another contract version and is being deleted',
            unblocks: 'it disappears; the platform retries every 2 minutes',
          },
          entry: 'forceDelete',
          after: { grace: { target: 'mismatching', reenter: true, actions: 'reportNotEnding' } },
          on: { 'pod.vanished': { target: '#pod.mismatched' } },
        },
        idle: {
          meta: {
            owner: 'task',
            reason: 'waits for a turn',
            unblocks: 'the Task requests one, or stops it; at the TTL it hands off',
          },
          always: { guard: 'asked', target: 'busy' },
          on: {
            'turn.requested': { actions: 'keepAsked' },
            'pod.stop': { target: 'retiring', actions: 'keepStop' },
          },
        },
        busy: {
          meta: { owner: 'turn', reason: 'works on a turn', unblocks: 'the turn ends; TTL drains' },
          entry: 'startWork',
          on: {
            'turn.requested': { guard: 'newerRequest', actions: 'keepAsked' },
            'turn.ended': { guard: 'currentTurn', target: 'idle', actions: 'sayEnded' },
            'turn.failed': [
              { guard: 'turnCut', target: 'handingOff', actions: 'sayFailed' },
              { guard: 'turnUnconfirmed', target: 'synthesizing', actions: 'sayFailed' },
              { guard: 'agentGone', target: 'retiring', actions: ['noteAgentGone', 'sayFailed'] },
              { guard: 'currentTurn', target: 'idle', actions: 'sayFailed' },
            ],
            'pod.stop': { target: 'draining', actions: 'keepStop' },
          },
        },
        draining: {
          meta: { owner: 'turn', reason: 'ends its last turn', unblocks: 'the turn ends; TURN_TIMEOUT abandons it' },
          after: {
            turnTimeout: [
              { guard: 'stopAsked', target: 'retiring', actions: 'abandonTurn' },
              { target: 'handingOff', actions: 'abandonTurn' },
            ],
          },
          on: {
            'turn.ended': [
              { guard: 'currentTurnStopping', target: 'retiring', actions: 'sayEnded' },
              { guard: 'currentTurn', target: 'handingOff', actions: 'sayEnded' },
            ],
            'turn.failed': [
              { guard: 'turnUnconfirmed', target: 'synthesizing', actions: 'sayFailed' },
              { guard: 'agentGone', target: 'retiring', actions: 'sayFailed' },
              { guard: 'currentTurnStopping', target: 'retiring', actions: 'sayFailed' },
              { guard: 'currentTurn', target: 'handingOff', actions: 'sayFailed' },
            ],
            'pod.stop': { actions: 'keepStop' },
          },
        },
        handingOff: {
          meta: {
            owner: 'turn',
            reason: 'writes its hand-off note',
            unblocks: 'the hand-off turn ends; TURN_TIMEOUT ends it',
          },
          entry: 'startHandoff',
          after: { turnTimeout: { target: 'synthesizing', actions: 'abandonTurn' } },
          on: {
            'turn.ended': { guard: 'currentTurn', target: 'retiring', actions: 'sayEnded' },
            'turn.failed': { guard: 'currentTurn', target: 'synthesizing', actions: 'sayFailed' },
          },
        },
        retiring: {
          meta: { owner: 'pod', reason: 'looks whether its hand-off note is there', unblocks: 'left in the same step' },
          always: [{ guard: 'noted', target: 'stopping' }, { target: 'synthesizing' }],
        },
        synthesizing: {
          meta: {
            owner: 'task',
            reason: 'waits for the Task to write its hand-off note',
            unblocks: 'the Task writes it; the pod asks again every minute',
          },
          entry: 'askForNoteOnce',
          after: { note: { target: 'synthesizing', reenter: true, actions: 'askForNote' } },
          on: { 'pod.noted': { guard: 'handoffNote', target: 'stopping', actions: 'keepNote' } },
        },
        stopping: {
          meta: {
            owner: 'platform',
            reason: 'is being stopped',
            unblocks: 'it disappears; after 2 minutes the platform forces it',
          },
          initial: 'graceful',
          on: {
            'pod.vanished': [{ guard: 'agentLost', target: '#pod.lost' }, { target: '#pod.gone' }],
            'effect.failed': { guard: 'stopFailed', target: '.forced' },
            // Asked to stop while it was being created: the creation won the race.
            'pod.created': { target: '.forced', actions: 'keepName' },
          },
          states: {
            graceful: {
              meta: { owner: 'platform', reason: 'stops gracefully', unblocks: 'it disappears; 2 minutes' },
              entry: 'askStop',
              after: { grace: 'forced' },
            },
            forced: {
              meta: {
                owner: 'platform',
                reason: 'is being deleted by force',
                unblocks: 'it disappears; the platform retries every 2 minutes',
              },
              entry: 'forceDelete',
              after: { grace: { target: 'forced', reenter: true, actions: 'reportNotEnding' } },
            },
          },
        },
        losing: {
          meta: {
            owner: 'task',
            reason: 'is lost and waits for its note',
            unblocks: 'the Task writes it; the pod asks again every minute',
          },
          entry: 'askForNoteIfMissing',
          always: { guard: 'noted', target: '#pod.lost' },
          after: { note: { target: 'losing', reenter: true, actions: 'askForNote' } },
          on: {
            'pod.noted': { guard: 'handoffNote', target: '#pod.lost', actions: 'keepNote' },
            'pod.vanished': {},
          },
        },
      },
    },
    gone: { type: 'final', meta: { owner: 'none', reason: 'stopped', unblocks: '' }, entry: 'concludeGone' },
    lost: { type: 'final', meta: { owner: 'none', reason: 'lost', unblocks: '' }, entry: 'concludeLost' },
    unbound: {
      type: 'final',
      meta: { owner: 'none', reason: 'its volumes were never bound', unblocks: '' },
      entry: 'concludeUnbound',
    },
    mismatched: {
      type: 'final',
      meta: { owner: 'none', reason: 'another contract version', unblocks: '' },
      entry: 'concludeMismatched',
    },
  },
})

/** Until version 2 one field held either a constant or words. */
const constant = /^[\w-]*$/

function withDetail(snapshot: JsonObject): JsonObject {
  const context = snapshot['context'] as JsonObject
  const reason = String(context['reason'])
  const end = constant.test(reason) ? { reason, detail: '' } : { reason: 'lost', detail: reason }
  return { ...snapshot, context: { ...context, ...end } }
}

export const podDefinition: MachineDefinition = {
  kind: 'pod',
  version: 2,
  machine: podMachine,
  createdBy: ['pod.start'],
  upgrades: { 1: withDetail },
}
