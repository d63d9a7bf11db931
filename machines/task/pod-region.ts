/**
 * Slots and pods of the Task. It reads what the stage wants and nothing else; no row of the stage table speaks of pods,
 * slots or entries (POD-2). The pod's own final state alone releases its slot (POD-1).
 */
import type { EventOf } from '../decide.ts'
import { does, meta, when, type Action, type StateConfig } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { flushDeferred } from './comments.ts'
import { servesStage } from './queries.ts'
import { startsWithSlot } from './mint.ts'
import { writeNote, writeOperatorNote } from './notes.ts'
import { clearUpTo } from './pending.ts'
import {
  askToStop,
  enqueue,
  isOwnGrant,
  keepEntry,
  needsBackoff,
  podEnded,
  podWorks,
  settle,
  spawn,
  withdrawEntry,
} from './pods.ts'
import {
  endsItsPod,
  isOfPod,
  isWorkTurn,
  recordAccount,
  recordTurn,
  requestTurn,
  restBeforeRetry,
  wantsTurn,
} from './turns.ts'

/** Final of the current pod, and of no other [POD-4]. */
const ends = {
  'pod.final': { guard: when(isOfPod<EventOf<TaskEvent, 'pod.final'>>), target: '#pod.none', actions: does(podEnded) },
} as const

const unwanted = { guard: when((context) => !servesStage(context)), target: '#pod.stopping' } as const

/** No turn would be answered: the slot is free until the model is served again (MODEL-KEY-2). */
const withheld = { guard: when((context) => context.pod.withheld), target: '#pod.stopping' } as const

const record: Action<EventOf<TaskEvent, 'turn.ended'> | EventOf<TaskEvent, 'turn.failed'>> = does(recordTurn)

const working: StateConfig = {
  meta: meta('agent', 'the pod serves the stage', 'its turns and outcomes'),
  initial: 'busy',
  on: ends,
  always: unwanted,
  states: {
    busy: {
      meta: meta('agent', 'the agent works on a turn', 'the turn ends'),
      entry: does(requestTurn),
      on: {
        'turn.ended': [{ guard: when(isWorkTurn), target: 'idle', actions: record }, { actions: record }],
        'turn.failed': [
          { guard: when(endsItsPod), target: 'ending', actions: record },
          { guard: when(isWorkTurn), target: 'resting', actions: [record, does(restBeforeRetry)] },
          { actions: record },
        ],
      },
    },
    idle: {
      meta: meta(
        'human',
        'the agent waits for a comment or an approval',
        'a person comments or approves, or the time limit of the pod ends',
      ),
      always: [
        { guard: when((context) => wantsTurn(context) && context.pod.withheld), target: '#pod.stopping' },
        { guard: when(wantsTurn), target: 'busy' },
      ],
    },
    resting: {
      meta: meta(
        'platform',
        'the last turn failed; the platform retries it later',
        'the end of the delay, or the reset of a usage limit',
      ),
      always: withheld,
      after: { turnDelay: { target: 'busy' } },
    },
    ending: { meta: meta('platform', 'the last turn ended, and its pod with it', 'the pod has stopped') },
  },
}

export const podRegion: StateConfig = {
  id: 'pod',
  meta: meta('platform', 'runs at most one pod for the stage', 'its states name who'),
  initial: 'none',
  on: {
    'note.written': { actions: does(writeNote) },
    'pod.noteMissing': { actions: does(writeOperatorNote) },
    'turn.accepted': {
      actions: does((context, { eventsUpTo }: EventOf<TaskEvent, 'turn.accepted'>) => clearUpTo(context, eventsUpTo)),
    },
    'turn.ended': { actions: record },
    'turn.failed': { actions: record },
    'usage.reported': { actions: does(recordAccount) },
    'model.withheld': { actions: does(() => ({ context: { pod: { withheld: true } } })) },
    'model.served': { actions: does(() => ({ context: { pod: { withheld: false } } })) },
    'agent.asked': {
      guard: when(isOfPod<EventOf<TaskEvent, 'agent.asked'>>),
      actions: does(() => ({ context: { turn: { asked: true } } })),
    },
  },
  states: {
    none: {
      meta: meta('platform', 'no pod runs', 'the stage needs one'),
      entry: does(flushDeferred),
      on: {
        'task.minted': {
          guard: when((context, event) => context.stage.name === 'minted' && startsWithSlot(event)),
          target: 'starting',
          actions: does(keepEntry),
        },
      },
      always: [
        { guard: when((context) => context.stage.class === 'terminal'), target: 'settled' },
        {
          guard: when((context, event) => context.stage.wants !== null && needsBackoff(context, event)),
          target: 'backingOff',
        },
        { guard: when((context) => context.stage.wants !== null), target: 'awaitingSlot' },
      ],
    },
    backingOff: {
      meta: meta('platform', 'several pods were lost in a row', 'a delay of at most 10 minutes'),
      always: { guard: when((context) => context.stage.wants === null), target: 'none' },
      after: { respawnDelay: { target: 'awaitingSlot' } },
    },
    awaitingSlot: {
      meta: meta('queue', 'waits for a slot', 'a slot of the Project becomes free'),
      entry: does(enqueue),
      always: { guard: when((context) => context.stage.wants === null), target: 'none', actions: does(withdrawEntry) },
      on: { 'slot.granted': { guard: when(isOwnGrant), target: 'starting' } },
    },
    starting: {
      meta: meta('platform', 'its pod starts', 'the pod works, or stops'),
      entry: does(spawn),
      on: {
        ...ends,
        'pod.working': {
          guard: when(isOfPod<EventOf<TaskEvent, 'pod.working'>>),
          target: 'working',
          actions: does(podWorks),
        },
      },
      always: [unwanted, withheld],
    },
    working,
    stopping: {
      meta: meta('platform', 'its pod stops', 'the pod has stopped'),
      entry: does(askToStop),
      on: ends,
    },
    settled: {
      type: 'final',
      meta: meta('none', 'no slot, timer, volume or pod is left', 'nothing: it has ended'),
      entry: does(settle),
    },
  },
}
