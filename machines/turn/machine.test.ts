import { describe, expect, test } from 'vitest'
import { drive, sent, types, type Drive } from '../drive.ts'
import { turnMachine } from './machine.ts'

const id = 'default/implement-lib-1-abcde/1/0'
const start = {
  type: 'turn.start',
  pod: 'default/implement-lib-1-abcde/1',
  podOrdinal: 1,
  task: 'default/implement-lib-1-abcde',
  ordinal: 0,
  url: 'http://pod',
  purpose: 'work',
  eventsUpTo: 5,
  turnTimeoutSeconds: 1800,
  stallProbeGraceSeconds: 300,
  stallProbeMaxAttempts: 2,
}
const second = 1000

function submitting(purpose = 'work'): Drive {
  const turn = drive(turnMachine, id)
  turn.send({ ...start, purpose })
  return turn
}
function inFlight(): Drive {
  const turn = submitting()
  turn.send({ type: 'submit.accepted', turnId: 'w1' })
  return turn
}
function probing(): Drive {
  const turn = inFlight()
  turn.fire('quiet')
  return turn
}
function interrupting(): Drive {
  const turn = probing()
  for (const timer of ['grace', 'lastLook', 'grace', 'lastLook']) turn.fire(timer)
  return turn
}
const watch = (turn: Drive): unknown => (turn.value as { open: { running: { watch: unknown } } }).open.running.watch
const report = { finalText: 'done', usage: { inputTokens: 1 }, pushed: ['lib'], failed: [] }
const result = (turnId: string, state = 'completed', stopReason = 'end_turn') => ({
  type: 'turn.result',
  turnId,
  state,
  stopReason,
  ...report,
})
const failedWith = (effects: ReturnType<Drive['send']>) =>
  sent(effects, 'pod').find(({ type }) => type === 'turn.failed')?.['stopReason']

describe('submitting', () => {
  test('the text is asked for by what it carries; the actor’s own id is the key (TURN-1)', () => {
    const turn = drive(turnMachine, id)
    expect(turn.send(start)).toEqual([
      {
        type: 'submitTurn',
        params: { task: start.task, podOrdinal: 1, url: 'http://pod', purpose: 'work', eventsUpTo: 5 },
      },
    ])
  })
  test('Turn submitting/accepted: 202: in flight, the pod hears what was taken (TURN-17)', () => {
    const turn = submitting()
    expect(sent(turn.send({ type: 'submit.accepted', turnId: 'w1' }), 'pod')).toEqual([
      { type: 'turn.accepted', turn: 0, eventsUpTo: 5 },
    ])
    expect(watch(turn)).toBe('inFlight')
  })
  test('Turn submitting/conflict-handoff: 409 for a hand-off fails it: it never waits (TURN-3)', () => {
    const turn = submitting('handoff')
    expect(failedWith(turn.send({ type: 'submit.conflict', liveTurnId: 'w0' }))).toBe('conflict')
    expect(turn.value).toBe('failed')
  })
  test('Turn submitting/conflict-other: 409 by another turn: waits for it, submits again once it is over (TURN-2)', () => {
    const turn = submitting()
    expect(turn.send({ type: 'submit.conflict', liveTurnId: 'w0' })).toContainEqual({
      type: 'pollTurn',
      params: { url: 'http://pod', turnId: 'w0' },
    })
    expect(turn.value).toEqual({ open: 'waiting' })
    const effects = turn.send(result('w0'))
    expect(types(effects)).toEqual(['submitTurn'])
    expect(turn.value).toEqual({ open: 'submitting' })
  })
  test('Turn waiting/over: 409 without a name: looked at again after a minute', () => {
    const turn = submitting()
    turn.send({ type: 'submit.conflict' })
    expect(turn.timers()).toEqual({ retry: 60 * second })
    expect(types(turn.fire('retry'))).toEqual(['submitTurn'])
  })
  test('Turn submitting/expired: TURN-6: 410: expired; the wrapper’s clock is believed', () => {
    const turn = submitting()
    expect(failedWith(turn.send({ type: 'submit.expired' }))).toBe('expired')
  })
  test('a submission that the wrapper refuses for good fails with its cause', () => {
    const turn = submitting()
    const [failed] = sent(turn.send({ type: 'effect.failed', effect: 'submitTurn', reason: '413', key: 'k' }), 'pod')
    expect(failed).toMatchObject({ type: 'turn.failed', stopReason: 'api_error', error: '413' })
  })
  test('Turn open/result: a result that overtook the 202 is believed: accepted, then ended (TURN-5)', () => {
    const turn = submitting()
    expect(turn.send({ type: 'turn.callback', turnId: 'w1' })).toEqual([
      { type: 'pollTurn', params: { url: 'http://pod', turnId: 'w1' } },
    ])
    expect(sent(turn.send(result('w1')), 'pod').map(({ type }) => type)).toEqual(['turn.accepted', 'turn.ended'])
    expect(turn.value).toBe('completed')
  })
})

describe('inFlight', () => {
  test('polled every minute, and on every hint (TURN-4) (CALLBACK-11)', () => {
    const turn = inFlight()
    expect(turn.fire('poll')).toEqual([{ type: 'pollTurn', params: { url: 'http://pod', turnId: 'w1' } }])
    expect(types(turn.fire('poll'))).toEqual(['pollTurn'])
    expect(types(turn.send({ type: 'turn.callback', turnId: 'w1' }))).toEqual(['pollTurn'])
    expect(turn.status).toBe('active')
  })
  test('refused calls in a result decide nothing: it ends the turn as one without them does', () => {
    const refusedCalls = [{ tool: 'submit_outcome', reason: 'no-block', count: 3 }]
    const [without, withThem] = [{}, { refusedCalls }].map((more) => {
      const turn = inFlight()
      return { effects: turn.send({ ...result('w1'), ...more }), value: turn.value, context: turn.context }
    })
    expect(withThem).toEqual(without)
  })
  test('a poll does not start the quiet clock anew', () => {
    const turn = inFlight()
    turn.fire('poll')
    expect(turn.timers()).toMatchObject({ quiet: 1800 * second })
    turn.send({ type: 'turn.activity', lastActivityAt: 1_000_000 })
    expect(watch(turn)).toBe('inFlight')
    expect(types(turn.fire('quiet'))).toEqual(['probeTurn'])
  })
  test('a turn that produces output is never probed: activity moves the window (STALL-4, TURN-8)', () => {
    const turn = inFlight()
    turn.pass(1700 * second)
    turn.send({ type: 'turn.activity', lastActivityAt: 1_000_000 + 1600 * second })
    expect(turn.timers()).toMatchObject({ quiet: 1700 * second })
  })
  test.each([
    ['completed', 'end_turn', 'turn.ended'],
    ['completed', 'max_tokens', 'turn.failed'],
    ['completed', 'refusal', 'turn.failed'],
    ['failed', 'api_error', 'turn.failed'],
    ['failed', 'usage_limit', 'turn.failed'],
    ['failed', 'no_credit', 'turn.failed'],
  ])('result %s by %s: %s to the pod, once (TURN-11)', (state, stopReason, type) => {
    const turn = inFlight()
    const told = sent(turn.send(result('w1', state, stopReason)), 'pod')
    expect(told).toEqual([
      type === 'turn.ended' ? { type, turn: 0, ...report } : { type, turn: 0, stopReason, ...report },
    ])
    expect(turn.value).toBe(state)
    expect(turn.timers()).toEqual({})
  })
  test('cause and reset time of a failure reach the pod', () => {
    const turn = inFlight()
    const [failed] = sent(turn.send({ ...result('w1', 'failed', 'usage_limit'), error: 'limit', resetsAt: 99 }), 'pod')
    expect(failed).toMatchObject({ error: 'limit', resetsAt: 99 })
  })
  test('a result of another turn changes nothing', () => {
    const turn = inFlight()
    expect(turn.send(result('w0'))).toEqual([])
    expect(watch(turn)).toBe('inFlight')
  })
})

describe('probing and interrupting', () => {
  test('Turn inFlight/quiet: no activity for turnTimeoutSeconds: probing 1, then 2, then interrupting (PROJECT-AGENT-6, PROJECT-AGENT-8, STALL-1, STALL-2, STALL-3)', () => {
    const turn = inFlight()
    expect(turn.fire('quiet')).toEqual([{ type: 'probeTurn', params: { url: 'http://pod', probe: 1 } }])
    expect(types(turn.fire('grace'))).toEqual(['pollTurn'])
    expect(turn.fire('lastLook')).toEqual([{ type: 'probeTurn', params: { url: 'http://pod', probe: 2 } }])
    turn.fire('grace')
    expect(types(turn.fire('lastLook'))).toEqual(['interruptTurn'])
    expect(watch(turn)).toEqual({ interrupting: 'asked' })
  })
  test('the grace is stallProbeGraceSeconds in all, the last look included (PROJECT-AGENT-7, STALL-2)', () => {
    const turn = probing()
    const before = turn.timers()['grace'] ?? 0
    turn.fire('grace')
    expect(before + (turn.timers()['lastLook'] ?? 0)).toBe(300 * second)
  })
  test('Turn probing/activity: activity clears it, attempts and windows with it', () => {
    const turn = probing()
    turn.send({ type: 'turn.activity', lastActivityAt: 1_000_000 + 1800 * second })
    expect(watch(turn)).toBe('inFlight')
    expect(turn.context).toMatchObject({ attempts: 0, quietWindows: 0 })
  })
  test('Turn probing/answered: an answer resets the attempts; the next window still counts from the last genuine activity (TURN-7) (STALL-5)', () => {
    const turn = probing()
    turn.pass(100 * second)
    turn.send({ type: 'turn.activity', lastActivityAt: 1_000_000, probeAnswered: 1 })
    expect(watch(turn)).toBe('inFlight')
    expect(turn.timers()).toMatchObject({ quiet: 1700 * second })
  })
  test('an answer to an older probe is none', () => {
    const turn = probing()
    turn.fire('grace')
    turn.fire('lastLook')
    turn.send({ type: 'turn.activity', lastActivityAt: 1_000_000, probeAnswered: 1 })
    expect(watch(turn)).toEqual({ probing: 'asked' })
  })
  test('Turn probing/windows: four quiet windows in all end in an interrupt, however well it answers (TURN-8)', () => {
    const turn = inFlight()
    for (const probe of [1, 2, 3]) {
      expect(types(turn.fire('quiet'))).toEqual(['probeTurn'])
      turn.send({ type: 'turn.activity', lastActivityAt: 1_000_000, probeAnswered: probe })
    }
    expect(types(turn.fire('quiet'))).toEqual(['interruptTurn'])
  })
  test('Turn interrupting/result: interrupting, result: as it says', () => {
    const turn = interrupting()
    expect(failedWith(turn.send(result('w1', 'failed', 'interrupted')))).toBe('interrupted')
  })
  test('Turn interrupting/unconfirmed: interrupting, 60 s: interrupt_unconfirmed, after one last look (TURN-9)', () => {
    const turn = interrupting()
    expect(turn.timers()).toMatchObject({ interruption: 50 * second })
    expect(types(turn.fire('interruption'))).toEqual(['pollTurn'])
    expect(failedWith(turn.fire('lastLook'))).toBe('interrupt_unconfirmed')
  })
  test('Turn interrupting/unconfirmed: interrupting, 503: interrupt_unconfirmed at once', () => {
    expect(failedWith(interrupting().send({ type: 'turn.interruptRefused' }))).toBe('interrupt_unconfirmed')
  })
})

describe('a metered turn', () => {
  const reserving = (): Drive => {
    const turn = drive(turnMachine, id)
    turn.send({ ...start, ledger: 'default/demo' })
    return turn
  }
  const begun = (): Drive => {
    const turn = reserving()
    turn.send({ type: 'reservation.granted' })
    return turn
  }
  const settled = (effects: ReturnType<Drive['send']>) => sent(effects, 'ledger')

  test('Turn reserving/granted: it asks the ledger under its own id, and is submitted once there is room (PROJECT-SPENDING-1)', () => {
    const turn = drive(turnMachine, id)
    const asked = turn.send({ ...start, ledger: 'default/demo' })
    expect(asked).toEqual([
      {
        type: 'deliver',
        params: { to: 'ledger:default/demo', event: { type: 'reservation.asked', turn: id, task: start.task } },
      },
    ])
    expect(types(turn.send({ type: 'reservation.granted' }))).toEqual(['submitTurn'])
  })

  test('Turn reserving/refused: it fails by budget, and nothing was submitted', () => {
    const effects = reserving().send({ type: 'reservation.refused', reason: 'day: 9 of 15 tokens' })
    expect(types(effects)).toEqual(['pod<turn.failed'])
    expect(sent(effects, 'pod')[0]).toMatchObject({ stopReason: 'budget', error: 'day: 9 of 15 tokens' })
  })

  test('Turn any/settled: with its result, what it used is told', () => {
    const turn = begun()
    turn.send({ type: 'submit.accepted', turnId: 'w1' })
    const usage = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 }
    expect(settled(turn.send({ ...result('w1'), usage }))).toEqual([
      { type: 'reservation.settled', turn: id, tokens: 4321 },
    ])
  })

  test.each(['turn.podFinal', 'turn.abandon'])(
    '%s: free where it never began, all of it where nobody knows',
    (type) => {
      expect(settled(reserving().send({ type }))).toEqual([{ type: 'reservation.settled', turn: id, tokens: 0 }])
      expect(settled(begun().send({ type }))).toEqual([{ type: 'reservation.settled', turn: id, tokens: null }])
    },
  )

  test.each(['submit.expired'])('%s: the wrapper never ran it, so nothing was spent', (type) => {
    expect(settled(begun().send({ type }))).toEqual([{ type: 'reservation.settled', turn: id, tokens: 0 }])
  })

  test('one without a ledger tells nobody', () => {
    expect(settled(submitting().send({ type: 'turn.abandon' }))).toEqual([])
  })
})

describe('any non-final state', () => {
  const states: [string, () => Drive][] = [
    ['submitting', submitting],
    [
      'waiting',
      () => {
        const turn = submitting()
        turn.send({ type: 'submit.conflict', liveTurnId: 'w0' })
        return turn
      },
    ],
    ['inFlight', inFlight],
    ['probing', probing],
    ['interrupting', interrupting],
  ]
  test.each(states)('Turn open/pod-final: %s: the pod’s end fails it as agent_exited (TURN-16)', (_name, make) => {
    expect(failedWith(make().send({ type: 'turn.podFinal' }))).toBe('agent_exited')
  })
  test.each(states)(
    'Turn open/abandoned: %s: turn.abandon fails it as abandoned, and no timer stays (TURN-15)',
    (_name, make) => {
      const turn = make()
      expect(failedWith(turn.send({ type: 'turn.abandon' }))).toBe('abandoned')
      expect(turn.timers()).toEqual({})
    },
  )
  test('a submission under way is taken back when the turn is abandoned', () => {
    expect(types(submitting().send({ type: 'turn.abandon' }))).toContain('withdrawEffects')
  })
  test('Turn any/older: a second result changes nothing', () => {
    const turn = inFlight()
    turn.send(result('w1'))
    expect(turn.send(result('w1'))).toEqual([])
    expect(turn.status).toBe('done')
  })
})
