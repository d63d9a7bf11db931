import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import { state, withTable, type Part } from '../../property-tests/machines/rewrite.ts'
import { drive, sent, type Drive, type DrivenEffect } from '../drive.ts'
import { podMachine } from './machine.ts'

const start = {
  type: 'pod.start',
  task: 'd/t',
  project: 'd/p',
  queue: 'd/p',
  entry: 'd/t/1',
  ordinal: 1,
  agentKind: 'implement',
  model: '',
  effort: '',
  permissionMode: '',
  repositories: [],
  turnTimeoutSeconds: 1800,
  agentPodTTLSeconds: 3600,
  stallProbeGraceSeconds: 300,
  stallProbeMaxAttempts: 2,
}
const report = { finalText: '', usage: {}, pushed: [], failed: [] }
const stopReasons = ['expired', 'interrupted', 'interrupt_unconfirmed', 'agent_exited', 'api_error', 'conflict']

type Move = (pod: Drive) => readonly DrivenEffect[]
const send =
  (event: { type: string; [field: string]: unknown }): Move =>
  (pod) =>
    pod.send(event)
const ofTurn =
  (type: string, more: object): Move =>
  (pod) =>
    pod.send({ type, turn: pod.context.turns - 1, ...report, ...more })
const anyTimer =
  (index: number): Move =>
  (pod) => {
    const names = Object.keys(pod.timers())
    return names.length === 0 ? [] : pod.fire(names[index % names.length] ?? '')
  }

/** What ends a life is rare, or every history would die young. */
const move = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      send({ type: 'pod.volumesBound' }),
      send({ type: 'pod.created', name: 'p' }),
      send({ type: 'pod.ready', url: 'u' }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(4, 4, 4, 3).map((contractVersion) => send({ type: 'pod.session', contractVersion })),
  },
  { weight: 6, arbitrary: fc.nat(5).map((eventsUpTo) => send({ type: 'turn.requested', eventsUpTo })) },
  { weight: 5, arbitrary: fc.constant(ofTurn('turn.ended', {})) },
  { weight: 3, arbitrary: fc.constantFrom(...stopReasons).map((stopReason) => ofTurn('turn.failed', { stopReason })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('handoff', 'plan').map((kind) => send({ type: 'pod.noted', kind, source: 'agent' })),
  },
  { weight: 2, arbitrary: fc.constant(send({ type: 'pod.noted', kind: 'handoff', source: 'operator' })) },
  { weight: 3, arbitrary: fc.nat(7).map(anyTimer) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(send({ type: 'pod.stop', reason: 's' }), send({ type: 'pod.vanished', reason: 'v' })),
  },
)

const boot: readonly Move[] = [
  send({ type: 'pod.volumesBound' }),
  send({ type: 'pod.created', name: 'p' }),
  send({ type: 'pod.ready', url: 'u' }),
  send({ type: 'pod.session', contractVersion: 4 }),
]

/** Most histories begin with a pod that works: what matters happens there. */
const history = fc.oneof(
  { weight: 1, arbitrary: fc.array(move, { maxLength: 40 }) },
  {
    weight: 6,
    arbitrary: fc
      .array(move, { minLength: 1, maxLength: 30 })
      .map((moves) => [...boot, send({ type: 'turn.requested', eventsUpTo: 0 }), ...moves]),
  },
)

/** The same histories each time. Among them is the longest stop, to the second, and some that break each changed table. */
const runs = { numRuns: 500, seed: 20261121 }

test('in every history: one turn in flight (7), no ordinary turn after a stop (19), a note of every pod that ran (6), one release of the slot and one pod.final (STOP-SEQUENCE-8)', () => {
  fc.assert(
    fc.property(history, (moves) => {
      const pod = drive(podMachine, 'd/t/1')
      pod.send(start)
      let open = false
      let stopped = false
      const told: string[] = []
      for (const one of moves) {
        const effects = one(pod)
        stopped ||= pod.context.stopAsked
        for (const { type, ...event } of sent(effects)) {
          told.push(type)
          if (type === 'turn.ended' || type === 'turn.failed' || type === 'turn.abandon' || type === 'turn.podFinal')
            open = false
          if (type !== 'turn.start') continue
          expect(open).toBe(false)
          if (stopped) expect(event['purpose']).toBe('handoff')
          open = true
        }
      }
      const ended = pod.status === 'done' ? 1 : 0
      expect(told.filter((type) => type === 'pod.final')).toHaveLength(ended)
      expect(told.filter((type) => type === 'queue.release')).toHaveLength(ended)
      if (ended && pod.context.turns > 0) expect(pod.context.noted).toBe(true)
      if (ended) expect(pod.timers()).toEqual({})
    }),
    runs,
  )
})

test('from every state an end is reached by timers and own effects alone: the note is written, the deleted process vanishes (14)', () => {
  fc.assert(
    fc.property(history, (moves) => {
      const pod = drive(podMachine, 'd/t/1')
      pod.send(start)
      for (const one of moves) one(pod)
      for (let tries = 0; tries < 20 && pod.status !== 'done'; tries += 1) {
        const effects = pod.fire(Object.entries(pod.timers()).toSorted((a, b) => a[1] - b[1])[0]?.[0] ?? '')
        if (sent(effects, 'task').some(({ type }) => type === 'pod.noteMissing'))
          pod.send({ type: 'pod.noted', kind: 'handoff', source: 'operator' })
        if (effects.some(({ type }) => type === 'forceDeletePod')) pod.send({ type: 'pod.vanished', reason: 'deleted' })
      }
      expect(pod.status).toBe('done')
    }),
    runs,
  )
})

/** Of LAW-19, in milliseconds. */
const mostAfterStop = (2 * start.turnTimeoutSeconds + 60) * 1000

/**
 * Milliseconds from `pod.stop` to the end by the pod's own clock; Infinity: not within the bound. The wrapper and its agent say
 * nothing any more, and what the platform does by itself comes as late as the table allows: the note when it is asked for
 * again, the deletion when it is forced.
 */
function endsAfter(machine: AnyStateMachine, moves: readonly Move[]): number {
  const pod = drive(machine, 'd/t/1')
  pod.send(start)
  for (const one of moves) one(pod)
  if (pod.status !== 'done') pod.send({ type: 'pod.stop', reason: 's' })
  let now = 0
  let due = dueFrom(pod, new Map(), now)
  while (pod.status !== 'done') {
    const [name, at] = [...due].toSorted((a, b) => a[1] - b[1])[0] ?? ['', Infinity]
    if (at > mostAfterStop) return Infinity
    now = at
    due.delete(name)
    const effects = pod.fire(name)
    if (name === 'note') pod.send({ type: 'pod.noted', kind: 'handoff', source: 'operator' })
    if (effects.some(({ type }) => type === 'forceDeletePod')) pod.send({ type: 'pod.vanished', reason: 'deleted' })
    due = dueFrom(pod, due, now)
  }
  return now
}

/** When each armed timer fires; those from before the stop have their whole time before them. */
function dueFrom(pod: Drive, before: ReadonlyMap<string, number>, now: number): Map<string, number> {
  return new Map(Object.entries(pod.timers()).map(([name, delay]) => [name, before.get(name) ?? now + delay]))
}

const histories = (): (readonly Move[])[] => fc.sample(history, runs)

function changedPod(change: (draining: Part) => void): AnyStateMachine {
  const definitions = withTable('pod', (table) => change(state(table, 'alive.draining')))
  return definitions.find(({ kind }) => kind === 'pod')!.machine
}

test('a stopped pod is final within 2 x TURN_TIMEOUT + 60 s (19): a last turn of 1800 s, a note asked for again after 60 s, a deletion forced after 120 s (WRAPPER-STOP-2, WRAPPER-STOP-4, POD-20)', () => {
  const longest = Math.max(...histories().map((moves) => endsAfter(podMachine, moves)))
  expect(longest / 1000).toBe(1800 + 60 + 120)
})

test('LAW-19 notices a stopped pod that waits for its last turn for ever, and one that begins a hand-off turn after it', () => {
  const breaks = (machine: AnyStateMachine): boolean =>
    histories().some((moves) => endsAfter(machine, moves) === Infinity)
  expect(breaks(changedPod((draining) => delete draining['after']))).toBe(true)
  const handsOff = changedPod((draining) => {
    draining['after'] = { turnTimeout: { target: 'handingOff', actions: 'abandonTurn' } }
  })
  expect(breaks(handsOff)).toBe(true)
})
