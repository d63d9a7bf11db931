/**
 * One turn as the orchestrator sees it (TURN, docs/rules.md; STALL, docs/contract/orchestrator.md).
 * Upheld here: the actor's id is the prompt's idempotency key, so a prompt runs once [LAW-20, TURN-2, TURN-1];
 * a callback is a hint and only a read at the pod is believed [TURN-4]; a turn that produces output is never
 * probed; every state is left by a timer of this machine or of its pod [LAW-14].
 */
import { setup } from 'xstate'
import type { MachineDefinition, MachineInput } from '../definition.ts'
import { newTurn, type TurnContext } from './context.ts'
import { turnActions } from './decisions.ts'
import type { TurnEvent } from './events.ts'

const second = 1000

/** A turn that is quiet this many windows in all is interrupted even when it answers every probe (TURN-8). */
const maxQuietWindows = 4

/** An answer may have come since the last poll: the wrapper is read once more this long before a verdict on its silence. */
const lastLook = 10 * second

interface Timed {
  readonly context: TurnContext
}

/** The k-th window after the last genuine activity ends k timeouts after it, whatever was probed since (TURN-7). */
function untilQuiet({ context }: Timed): number {
  const timeout = context.turnTimeoutSeconds * second
  const due = context.lastActivityAt + (context.quietWindows + 1) * timeout
  return Math.min(timeout, Math.max(0, due - context.seenAt))
}

const turnDelays = {
  poll: 60 * second,
  retry: 60 * second,
  quiet: untilQuiet,
  grace: ({ context }: Timed): number => context.stallProbeGraceSeconds * second - lastLook,
  interruption: 60 * second - lastLook,
  lastLook,
}

interface Guarded {
  readonly context: TurnContext
  readonly event: TurnEvent
}

function isGenuine({ context, event }: Guarded): boolean {
  return event.type === 'turn.activity' && event.lastActivityAt > context.lastActivityAt
}

/** The callback is addressed to this actor, so what was read after it is ours even before the 202 (TURN-5). */
function isOurs({ context, event }: Guarded): boolean {
  if (event.type !== 'turn.result' || event.turnId === context.liveTurnId) return false
  return context.turnId === '' || event.turnId === context.turnId
}

function isEffect(name: string): (args: Guarded) => boolean {
  return ({ event }) => event.type === 'effect.failed' && event.effect === name
}

export const turnMachine = setup({
  types: { context: {} as TurnContext, events: {} as TurnEvent, input: {} as MachineInput },
  actions: turnActions,
  delays: turnDelays,
  guards: {
    ours: isOurs,
    oursCompleted: (args) => isOurs(args) && args.event.type === 'turn.result' && args.event.state === 'completed',
    liveTurnOver: ({ context, event }) => event.type === 'turn.result' && event.turnId === context.liveTurnId,
    metered: ({ event }) => event.type === 'turn.start' && event.ledger !== undefined,
    handoff: ({ context }) => context.purpose === 'handoff',
    genuine: isGenuine,
    answered: ({ context, event }) => event.type === 'turn.activity' && event.probeAnswered === context.probes,
    windowsSpent: ({ context }) => context.quietWindows + 1 >= maxQuietWindows,
    attemptsLeft: ({ context }) => context.attempts < context.stallProbeMaxAttempts,
    submitFailed: isEffect('submitTurn'),
    interruptFailed: isEffect('interruptTurn'),
  },
}).createMachine({
  id: 'turn',
  context: ({ input }) => newTurn(input.id),
  initial: 'new',
  states: {
    new: {
      meta: { owner: 'pod', reason: 'requested, not begun', unblocks: 'turn.start, in the step that creates it' },
      on: {
        'turn.start': [
          { guard: 'metered', target: 'reserving', actions: 'begin' },
          { target: 'open', actions: 'begin' },
        ],
      },
    },
    reserving: {
      meta: {
        owner: 'platform',
        reason: 'waits for room in the spending budget',
        unblocks: 'another turn settles, or the ledger refuses; the pod abandons it in time',
      },
      entry: 'reserve',
      on: {
        'reservation.granted': 'open',
        'reservation.refused': { target: 'failed', actions: 'failUnfunded' },
        'turn.podFinal': { target: 'failed', actions: 'failPodFinalUnbegun' },
        'turn.abandon': { target: 'failed', actions: 'failAbandonedUnbegun' },
      },
    },
    open: {
      meta: { owner: 'wrapper', reason: 'is under way', unblocks: 'its result, its pod, or turn.abandon' },
      initial: 'submitting',
      on: {
        'turn.result': [
          { guard: 'oursCompleted', target: 'completed', actions: 'conclude' },
          { guard: 'ours', target: 'failed', actions: 'conclude' },
        ],
        'turn.callback': { actions: 'pollHinted' },
        'turn.podFinal': { target: 'failed', actions: 'failPodFinal' },
        'turn.abandon': { target: 'failed', actions: 'failAbandoned' },
      },
      states: {
        submitting: {
          meta: {
            owner: 'wrapper',
            reason: 'is being submitted',
            unblocks: 'the wrapper answers; the pod abandons it in time',
          },
          entry: 'submit',
          exit: 'withdrawSubmit',
          on: {
            'submit.accepted': { target: 'running', actions: 'accept' },
            'submit.conflict': [
              { guard: 'handoff', target: '#turn.failed', actions: 'failConflict' },
              { target: 'waiting', actions: 'keepLiveTurn' },
            ],
            'submit.expired': { target: '#turn.failed', actions: 'failExpired' },
            'effect.failed': { guard: 'submitFailed', target: '#turn.failed', actions: 'failRefused' },
          },
        },
        waiting: {
          meta: {
            owner: 'wrapper',
            reason: 'another turn is live there',
            unblocks: 'that turn ends; the platform checks every minute',
          },
          entry: 'pollLiveTurn',
          after: { retry: 'submitting' },
          on: { 'turn.result': [{ guard: 'liveTurnOver', target: 'submitting' }] },
        },
        running: {
          meta: { owner: 'agent', reason: 'works', unblocks: 'its result; polled every minute' },
          type: 'parallel',
          states: {
            poll: {
              initial: 'beat',
              states: {
                beat: {
                  meta: { owner: 'turn', reason: 'reads the wrapper every minute', unblocks: 'the result' },
                  after: { poll: { target: 'beat', reenter: true, actions: 'poll' } },
                },
              },
            },
            watch: {
              initial: 'inFlight',
              states: {
                inFlight: {
                  meta: {
                    owner: 'agent',
                    reason: 'works',
                    unblocks: 'its result; after TURN_TIMEOUT without activity the platform probes it',
                  },
                  after: {
                    quiet: [
                      { guard: 'windowsSpent', target: 'interrupting', actions: 'countQuietWindow' },
                      { target: 'probing', actions: 'countQuietWindow' },
                    ],
                  },
                  on: {
                    'turn.activity': { guard: 'genuine', target: 'inFlight', reenter: true, actions: 'keepActivity' },
                  },
                },
                probing: {
                  meta: {
                    owner: 'agent',
                    reason: 'was asked whether it still works',
                    unblocks: 'activity or an answer within the grace',
                  },
                  initial: 'asked',
                  entry: 'probe',
                  on: {
                    'turn.activity': [
                      { guard: 'genuine', target: 'inFlight', actions: 'keepActivity' },
                      { guard: 'answered', target: 'inFlight', actions: 'keepAnswer' },
                    ],
                  },
                  states: {
                    asked: {
                      meta: { owner: 'agent', reason: 'was probed', unblocks: 'activity or an answer' },
                      after: { grace: 'lastLook' },
                    },
                    lastLook: {
                      meta: { owner: 'turn', reason: 'looks once more for an answer', unblocks: '10 seconds' },
                      entry: 'poll',
                      after: {
                        lastLook: [
                          { guard: 'attemptsLeft', target: '#turn.open.running.watch.probing', reenter: true },
                          { target: '#turn.open.running.watch.interrupting' },
                        ],
                      },
                    },
                  },
                },
                interrupting: {
                  meta: { owner: 'wrapper', reason: 'is being interrupted', unblocks: 'its result; 60 seconds end it' },
                  initial: 'asked',
                  entry: 'interrupt',
                  on: {
                    'turn.interruptRefused': { target: '#turn.failed', actions: 'failUnconfirmed' },
                    'effect.failed': { guard: 'interruptFailed', target: '#turn.failed', actions: 'failUnconfirmed' },
                  },
                  states: {
                    asked: {
                      meta: {
                        owner: 'wrapper',
                        reason: 'the wrapper has the order to interrupt',
                        unblocks: 'the result',
                      },
                      after: { interruption: 'lastLook' },
                    },
                    lastLook: {
                      meta: { owner: 'turn', reason: 'looks once more for the result', unblocks: '10 seconds' },
                      entry: 'poll',
                      after: { lastLook: { target: '#turn.failed', actions: 'failUnconfirmed' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    completed: { type: 'final', meta: { owner: 'none', reason: 'completed', unblocks: '' } },
    failed: { type: 'final', meta: { owner: 'none', reason: 'failed', unblocks: '' } },
  },
})

export const turnDefinition: MachineDefinition = {
  kind: 'turn',
  version: 1,
  machine: turnMachine,
  createdBy: ['turn.start'],
  upgrades: {},
}
