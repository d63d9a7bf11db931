import { describe, expect, test } from 'vitest'
import { drive, sent, types, type Drive } from '../drive.ts'
import { podDefinition, podMachine } from './machine.ts'

const id = 'default/implement-lib-1-abcde/1'
const start = {
  type: 'pod.start',
  task: 'default/implement-lib-1-abcde',
  project: 'default/demo',
  queue: 'default/demo',
  entry: 'default/implement-lib-1-abcde/1',
  ordinal: 1,
  agentKind: 'implement',
  model: 'm',
  effort: 'high',
  permissionMode: 'bypassPermissions',
  repositories: [{ name: 'lib', base: 'main', branch: 'platform/implement-lib-1-abcde' }],
  turnTimeoutSeconds: 1800,
  agentPodTTLSeconds: 3600,
  stallProbeGraceSeconds: 300,
  stallProbeMaxAttempts: 2,
}
const minute = 60_000

function inVolumes(): Drive {
  const pod = drive(podMachine, id)
  pod.send(start)
  return pod
}
function creating(): Drive {
  const pod = inVolumes()
  pod.send({ type: 'pod.volumesBound' })
  return pod
}
function inContract(): Drive {
  const pod = creating()
  pod.send({ type: 'pod.created', name: 'p' })
  pod.send({ type: 'pod.ready', url: 'http://pod' })
  return pod
}
function idle(): Drive {
  const pod = inContract()
  pod.send({ type: 'pod.session', contractVersion: 4 })
  return pod
}
function busy(): Drive {
  const pod = idle()
  pod.send({ type: 'turn.requested', eventsUpTo: 0 })
  return pod
}
const report = { finalText: 'done', usage: {}, pushed: ['lib'], failed: [] }
const ended = (turn: number) => ({ type: 'turn.ended', turn, ...report })
const failed = (turn: number, stopReason: string) => ({ type: 'turn.failed', turn, stopReason, ...report })
const note = { type: 'pod.noted', kind: 'handoff', source: 'agent' }
const operatorNote = { type: 'pod.noted', kind: 'handoff', source: 'operator' }
const vanished = { type: 'pod.vanished', reason: 'node lost' }
const stop = { type: 'pod.stop', reason: 'submitted' }
function draining(): Drive {
  const pod = busy()
  pod.fire('ttl')
  return pod
}
function handingOff(): Drive {
  const pod = idle()
  pod.fire('ttl')
  return pod
}
function synthesizing(): Drive {
  const pod = idle()
  pod.send(stop)
  return pod
}
function stopping(): Drive {
  const pod = synthesizing()
  pod.send(operatorNote)
  return pod
}
const finalOf = (effects: ReturnType<Drive['send']>) => sent(effects, 'task').find(({ type }) => type === 'pod.final')

describe('volumes', () => {
  test('pod.start binds the volumes and nothing else (PROJECT-WORKSPACE-11)', () => {
    const pod = drive(podMachine, id)
    expect(pod.send(start)).toEqual([{ type: 'bindVolumes', params: { task: start.task, ordinal: 1 } }])
    expect(pod.timers()).toEqual({ volumes: 10 * minute })
  })
  test('Pod volumes/bound: bound: the pod is created with what the Task asked for, and its absolute ends are armed (PROJECT-8, PROJECT-WORKSPACE-11, STOP-SEQUENCE-4, POD-14)', () => {
    const pod = inVolumes()
    const created = pod.send({ type: 'pod.volumesBound' }).find(({ type }) => type === 'createPod')
    expect(created?.params).toMatchObject({
      task: start.task,
      ordinal: 1,
      model: 'm',
      repositories: start.repositories,
    })
    expect(pod.timers()).toEqual({
      ttl: 3_600_000,
      hardCap: (3600 + 3600 + 60) * 1000,
      residency: 24 * 60 * minute,
      boot: 15 * minute,
    })
  })
  test.each([
    [
      '10 minutes',
      (pod: Drive) => pod.fire('volumes'),
      { reason: 'volumes-unbound', detail: expect.stringContaining('claims') },
    ],
    [
      'the platform says so',
      (pod: Drive) => pod.send({ type: 'pod.volumesUnbound', reason: 'quota', detail: 'no space' }),
      { reason: 'quota', detail: 'no space' },
    ],
    [
      'bindVolumes fails for good',
      (pod: Drive) => pod.send({ type: 'effect.failed', effect: 'bindVolumes', reason: 'forbidden', key: 'k' }),
      { reason: 'bindVolumes-failed', detail: 'forbidden' },
    ],
  ])(
    'Pod volumes/late: unbound after %s: final, nothing created, the slot released (PROJECT-WORKSPACE-12)',
    (_name, act, why) => {
      const pod = inVolumes()
      const effects = act(pod)
      expect(pod.value).toBe('unbound')
      expect(finalOf(effects)).toMatchObject({ cause: 'unbound', ...why, pod: 1, residencyMs: 0 })
      expect(sent(effects, 'queue')).toEqual([{ type: 'queue.release', entry: start.entry }])
      expect(types(effects)).not.toContain('createPod')
    },
  )
  test('Pod volumes/stop: pod.stop before anything was created is gone at once (POD-13)', () => {
    const pod = inVolumes()
    expect(finalOf(pod.send(stop))).toMatchObject({ cause: 'gone' })
    expect(pod.status).toBe('done')
  })
})

describe('creating, booting, contract', () => {
  test('the session is read once the wrapper is ready', () => {
    const pod = creating()
    pod.send({ type: 'pod.created', name: 'p' })
    expect(pod.send({ type: 'pod.ready', url: 'http://pod' })).toEqual([
      { type: 'readSession', params: { task: start.task, ordinal: 1, url: 'http://pod' } },
    ])
  })
  test('Pod contract/equal: an equal contract version is working', () => {
    const pod = inContract()
    expect(types(pod.send({ type: 'pod.session', contractVersion: 4 }))).toEqual(['task<pod.working'])
    expect(pod.value).toEqual({ alive: 'idle' })
  })
  test.each([[3], [5], [null]])(
    'Pod contract/differs: contract version %s: force delete first, final only once vanished, no turn ever (TOOL-VERSION-3)',
    (contractVersion) => {
      const pod = inContract()
      pod.send({ type: 'turn.requested', eventsUpTo: 0 })
      expect(types(pod.send({ type: 'pod.session', contractVersion }))).toEqual(['forceDeletePod'])
      expect(pod.value).toEqual({ alive: 'mismatching' })
      expect(finalOf(pod.send(vanished))).toMatchObject({ cause: 'mismatched' })
    },
  )
  test('Pod boot/progress: POD-11: the boot budget is shared: it is not armed anew by progress', () => {
    const pod = creating()
    pod.send({ type: 'pod.created', name: 'p' })
    expect(types(pod.fire('boot'))).toEqual(['forceDeletePod'])
    expect(types(pod.fire('grace'))).toEqual(['task<pod.notEnding', 'forceDeletePod'])
    expect(finalOf(pod.send(vanished))).toMatchObject({
      cause: 'lost',
      reason: 'boot-budget',
      detail: expect.stringContaining('its log'),
    })
  })
  test.each([
    ['creating', creating],
    ['contract', inContract],
  ])('vanished in %s is lost without a note: it never ran', (_name, make) => {
    const pod = make()
    const effects = pod.send(vanished)
    expect(finalOf(effects)).toMatchObject({ cause: 'lost', reason: 'node lost' })
    expect(types(effects)).not.toContain('task<pod.noteMissing')
  })
  test('Pod boot/lost: createPod that fails for good is lost with its reason (POD-12)', () => {
    const pod = creating()
    pod.send({ type: 'effect.failed', effect: 'createPod', reason: 'ErrImageNeverPull', key: 'k' })
    expect(finalOf(pod.send(vanished))).toMatchObject({
      cause: 'lost',
      reason: 'createPod-failed',
      detail: 'ErrImageNeverPull',
    })
  })
  test.each([
    ['pod.stop', (pod: Drive) => pod.send(stop)],
    ['TTL', (pod: Drive) => pod.fire('ttl')],
    ['hard cap', (pod: Drive) => pod.fire('hardCap')],
  ])('Pod boot/stop: %s while it boots stops it and takes the creation back', (_name, act) => {
    const pod = creating()
    expect(types(act(pod))).toEqual(['withdrawEffects', 'stopPod'])
    expect(types(pod.send({ type: 'pod.created', name: 'late' }))).toEqual(['forceDeletePod'])
    expect(finalOf(pod.send(vanished))).toMatchObject({ cause: 'gone' })
  })
  test('a turn asked for before it works is kept', () => {
    const pod = creating()
    pod.send({ type: 'turn.requested', eventsUpTo: 7 })
    pod.send({ type: 'pod.ready', url: 'http://pod' })
    const effects = pod.send({ type: 'pod.session', contractVersion: 4 })
    expect(types(effects)).toEqual(['task<pod.working', 'turn<turn.start'])
    expect(sent(effects, 'turn')[0]).toMatchObject({
      ordinal: 0,
      purpose: 'work',
      eventsUpTo: 7,
      url: 'http://pod',
      pod: id,
    })
  })
})

describe('idle and busy', () => {
  test('Pod idle/turn: a turn starts under the pod’s id and its own ordinal (ACTOR-1)', () => {
    const pod = idle()
    const [effect] = pod.send({ type: 'turn.requested', eventsUpTo: 3 })
    expect(effect?.params.to).toBe(`turn:${id}/0`)
    expect(pod.value).toEqual({ alive: 'busy' })
  })
  test('Pod busy/ended: accepted and ended are told to the Task with ordinal and purpose; the next turn has the next ordinal', () => {
    const pod = busy()
    expect(sent(pod.send({ type: 'turn.accepted', turn: 0, eventsUpTo: 0 }))).toEqual([
      { type: 'turn.accepted', pod: 1, turn: 0, eventsUpTo: 0 },
    ])
    expect(sent(pod.send(ended(0)))).toEqual([{ ...ended(0), pod: 1, purpose: 'work' }])
    expect(sent(pod.send({ type: 'turn.requested', eventsUpTo: 4 }))[0]).toMatchObject({ ordinal: 1, eventsUpTo: 4 })
  })
  test('one turn in flight: a request with newer events is remembered, one it already carries is not (LAW-7)', () => {
    const pod = busy()
    expect(pod.send({ type: 'turn.requested', eventsUpTo: 0 })).toEqual([])
    expect(pod.send({ type: 'turn.requested', eventsUpTo: 2 })).toEqual([])
    expect(types(pod.send(ended(0)))).toEqual(['task<turn.ended', 'turn<turn.start'])
    expect(types(pod.send(ended(1)))).toEqual(['task<turn.ended'])
    expect(pod.value).toEqual({ alive: 'idle' })
  })
  test('the end of an older turn changes nothing', () => {
    const pod = busy()
    pod.send(ended(0))
    pod.send({ type: 'turn.requested', eventsUpTo: 1 })
    expect(pod.send(ended(0))).toEqual([])
    expect(pod.value).toEqual({ alive: 'busy' })
  })
  test.each([
    ['api_error', 'idle'],
    ['usage_limit', 'idle'],
    ['expired', 'handingOff'],
    ['interrupted', 'handingOff'],
    ['interrupt_unconfirmed', 'synthesizing'],
    ['agent_exited', 'synthesizing'],
  ])('Pod busy/cut: busy, turn failed %s: %s (POD-18) (STALL-3)', (stopReason, state) => {
    const pod = busy()
    expect(sent(pod.send(failed(0, stopReason)), 'task')[0]).toMatchObject({
      type: 'turn.failed',
      stopReason,
      pod: 1,
      purpose: 'work',
    })
    expect(pod.value).toEqual({ alive: state })
  })
  test('Pod busy/agent-gone: an agent that exited is a lost pod: note, stop in order, lost (POD-16)', () => {
    const pod = busy()
    expect(types(pod.send(failed(0, 'agent_exited')))).toEqual(['task<turn.failed', 'task<pod.noteMissing'])
    expect(types(pod.send(operatorNote))).toEqual(['stopPod'])
    expect(finalOf(pod.send(vanished))).toMatchObject({ cause: 'lost', reason: 'agent_exited' })
  })
  test('Pod idle/stop: idle, pod.stop: synthesizing without a note, stopping with one', () => {
    const pod = idle()
    expect(types(pod.send(stop))).toEqual(['task<pod.noteMissing'])
    const noted = idle()
    noted.send(note)
    expect(types(noted.send(stop))).toEqual(['stopPod'])
  })
  test('a plan is no hand-off: it does not spare the note', () => {
    const pod = idle()
    pod.send({ type: 'pod.noted', kind: 'plan', source: 'agent' })
    expect(types(pod.send(stop))).toEqual(['task<pod.noteMissing'])
  })
  test('Pod idle/ttl: idle, TTL: one hand-off turn (STOP-SEQUENCE-2)', () => {
    const pod = idle()
    expect(sent(pod.fire('ttl'), 'turn')[0]).toMatchObject({ purpose: 'handoff', ordinal: 0 })
    expect(pod.value).toEqual({ alive: 'handingOff' })
  })
  test('Pod idle/hard-cap: idle, hard cap: synthesizing (STOP-SEQUENCE-4)', () => {
    const pod = idle()
    pod.fire('hardCap')
    expect(pod.value).toEqual({ alive: 'synthesizing' })
  })
  test('Pod busy/hard-cap: busy, hard cap: the turn is abandoned (STOP-SEQUENCE-4)', () => {
    const pod = busy()
    expect(types(pod.fire('hardCap'))).toEqual(['turn<turn.abandon', 'task<pod.noteMissing'])
  })
  test('residency of 24 hours ends it as a stop does (POD-15)', () => {
    const pod = busy()
    pod.fire('residency')
    pod.send(ended(0))
    expect(pod.value).toEqual({ alive: 'synthesizing' })
  })
})

describe('draining', () => {
  test('Pod busy/ttl: TTL drains: requests are refused, then it hands off (STOP-SEQUENCE-1)', () => {
    const pod = draining()
    expect(pod.send({ type: 'turn.requested', eventsUpTo: 9 })).toEqual([])
    expect(types(pod.send(ended(0)))).toEqual(['task<turn.ended', 'turn<turn.start'])
    expect(pod.value).toEqual({ alive: 'handingOff' })
  })
  test.each([
    [false, 'synthesizing'],
    [true, { stopping: 'graceful' }],
  ])('Pod draining/ended: with stop, note %s: no further turn (LAW-19)', (noted, state) => {
    const pod = busy()
    pod.send(stop)
    expect(pod.send({ type: 'turn.requested', eventsUpTo: 9 })).toEqual([])
    if (noted) pod.send(note)
    expect(types(pod.send(ended(0)))).not.toContain('turn<turn.start')
    expect(pod.value).toEqual({ alive: state })
  })
  test('pod.stop while it drains by TTL is remembered', () => {
    const pod = draining()
    pod.send(stop)
    pod.send(ended(0))
    expect(pod.value).toEqual({ alive: 'synthesizing' })
  })
  test('Pod draining/timeout: TURN_TIMEOUT abandons the open turn before the hand-off: never two turn actors (TURN-15) (STOP-SEQUENCE-1)', () => {
    const pod = draining()
    expect(types(pod.fire('turnTimeout'))).toEqual(['turn<turn.abandon', 'turn<turn.start'])
    expect(pod.send(failed(0, 'abandoned'))).toEqual([])
    expect(pod.value).toEqual({ alive: 'handingOff' })
  })
  test('Pod draining/timeout: TURN_TIMEOUT with stop: no hand-off turn', () => {
    const pod = busy()
    pod.send(stop)
    expect(types(pod.fire('turnTimeout'))).toEqual(['turn<turn.abandon', 'task<pod.noteMissing'])
  })
})

describe('handingOff', () => {
  test('Pod handingOff/ended: ended with its note: stopping', () => {
    const pod = handingOff()
    pod.send(note)
    expect(types(pod.send(ended(0)))).toEqual(['task<turn.ended', 'stopPod'])
  })
  test('Pod handingOff/ended: ended without a note: synthesizing (NOTE-1)', () => {
    const pod = handingOff()
    expect(types(pod.send(ended(0)))).toEqual(['task<turn.ended', 'task<pod.noteMissing'])
  })
  test.each([['conflict'], ['expired'], ['api_error'], ['interrupted']])(
    'Pod handingOff/failed: failed %s: synthesizing (STOP-SEQUENCE-3)',
    (stopReason) => {
      const pod = handingOff()
      pod.send(failed(0, stopReason))
      expect(pod.value).toEqual({ alive: 'synthesizing' })
    },
  )
  test.each([['turnTimeout'], ['hardCap']])('Pod handingOff/failed: %s: abandoned, synthesizing', (timer) => {
    const pod = handingOff()
    expect(types(pod.fire(timer))).toEqual(['turn<turn.abandon', 'task<pod.noteMissing'])
  })
  test('pod.stop changes nothing: it already ends', () => {
    const pod = handingOff()
    expect(pod.send(stop)).toEqual([])
    expect(pod.value).toEqual({ alive: 'handingOff' })
  })
})

describe('synthesizing, stopping, losing', () => {
  test('Pod synthesizing/noted: the note is asked for once, and again every minute, until it is there (LAW-6)', () => {
    const pod = synthesizing()
    expect(types(pod.fire('note'))).toEqual(['task<pod.noteMissing'])
    expect(pod.send({ type: 'pod.noted', kind: 'finding', source: 'agent' })).toEqual([])
    expect(types(pod.send(operatorNote))).toEqual(['stopPod'])
  })
  test('vanished while the note is written: losing, lost once it is (POD-17)', () => {
    const pod = busy()
    pod.send(stop)
    pod.send(ended(0))
    expect(pod.send(vanished)).toEqual([])
    expect(pod.value).toEqual({ alive: 'losing' })
    expect(finalOf(pod.send(operatorNote))).toMatchObject({ cause: 'lost' })
  })
  test('Pod stopping/forced: graceful, then by force, and by force again (STOP-SEQUENCE-7)', () => {
    const pod = stopping()
    expect(types(pod.fire('grace'))).toEqual(['forceDeletePod'])
    expect(types(pod.fire('grace'))).toContain('forceDeletePod')
    expect(pod.value).toEqual({ alive: { stopping: 'forced' } })
  })
  test('Pod stopping/not-ending: a forced end that nobody confirms is told to the Task, and the slot stays its own (POD-21)', () => {
    const pod = stopping()
    pod.fire('grace')
    for (let asked = 0; asked < 2; asked += 1) {
      const effects = pod.fire('grace')
      expect(types(effects)).toEqual(['task<pod.notEnding', 'forceDeletePod'])
      expect(sent(effects, 'task')).toEqual([{ type: 'pod.notEnding', pod: 1, name: 'p' }])
    }
    expect(types(pod.send(vanished))).toEqual(['queue<queue.release', 'task<pod.final'])
  })
  test('a stop that the wrapper refuses for good is forced', () => {
    const pod = stopping()
    expect(types(pod.send({ type: 'effect.failed', effect: 'stopPod', reason: '404', key: 'k' }))).toEqual([
      'forceDeletePod',
    ])
  })
  test('the words of an end stand beside its reason, which is a constant; another reason has words of its own (POD-22)', () => {
    const words = { reason: 'OOMKilled', detail: 'the last line of its log' }
    const lost = busy()
    const [, asked] = lost.send({ type: 'pod.vanished', ...words })
    expect(asked?.params).toMatchObject({ event: { type: 'pod.noteMissing', ...words } })
    expect(finalOf(lost.send(operatorNote))).toMatchObject({ cause: 'lost', ...words })
    const failing = creating()
    failing.send({ type: 'effect.failed', effect: 'createPod', reason: 'two words', key: 'k' })
    expect(finalOf(failing.send({ type: 'pod.vanished', ...words }))).toMatchObject({ detail: 'two words' })
    const stopped = inContract()
    stopped.fire('ttl')
    expect(finalOf(stopped.send({ type: 'pod.vanished', ...words }))).not.toHaveProperty('detail')
  })
  test.each([
    ['boot-budget', { reason: 'boot-budget', detail: '' }],
    ['', { reason: '', detail: '' }],
    ['createPod: two words', { reason: 'lost', detail: 'createPod: two words' }],
  ])('a pod of version 1 keeps the reason %j, or has it as words', (reason, end) => {
    const upgrade = podDefinition.upgrades[1]!
    expect(upgrade({ value: 'volumes', context: { id, reason } })).toEqual({
      value: 'volumes',
      context: { id, ...end },
    })
  })
  test('Pod stopping/vanished: vanished in stopping is gone; residency counts from the volumes', () => {
    const pod = stopping()
    pod.pass(90_000)
    const effects = pod.send(vanished)
    expect(finalOf(effects)).toMatchObject({ cause: 'gone', residencyMs: 90_000, reason: 'submitted' })
    expect(sent(effects, 'queue')).toEqual([{ type: 'queue.release', entry: start.entry }])
  })
  test('Pod ran/vanished: vanished after its first turn: the open turn ends, a note is written, then lost (NOTE-1, TURN-16)', () => {
    const pod = busy()
    expect(types(pod.send(vanished))).toEqual(['turn<turn.podFinal', 'task<pod.noteMissing'])
    expect(types(pod.send(failed(0, 'agent_exited')))).toEqual(['task<turn.failed'])
    const effects = pod.send(operatorNote)
    expect(types(effects)).toEqual(['queue<queue.release', 'task<pod.final'])
    expect(pod.value).toBe('lost')
  })
  test('vanished with its note already there is lost at once', () => {
    const pod = busy()
    pod.send(ended(0))
    pod.send(note)
    expect(types(pod.send(vanished))).toEqual(['queue<queue.release', 'task<pod.final'])
  })
  test('Pod final/quiet: a final pod has no timer', () => {
    const pod = stopping()
    pod.send(vanished)
    expect(pod.timers()).toEqual({})
    expect(pod.status).toBe('done')
  })
})
