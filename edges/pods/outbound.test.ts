import { describe, expect } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { EffectNotHeldError, RetryableError, TerminalError } from '../../runtime/errors.ts'
import type { ActorView, EffectContext } from '../../runtime/runtime.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import type { PodPort, PodSpec } from '../ports/pods.ts'
import { probeText, wrapperHandlers } from './outbound.ts'
import { anEndedTurn, aTurn, startedAt, withWrapper, type ScriptedWrapper } from './testing/scripted-wrapper.ts'
import { testInside } from '../../testing/inside.ts'

const turn: ActorAddress = 'turn:default/task/1/3'
const pod: ActorAddress = 'pod:default/task/1'

function asked(actor: ActorAddress, attempt = 1): EffectContext {
  return {
    key: `${actor}/7/0`,
    actor,
    attempt,
    at: 0,
    signal: new AbortController().signal,
    assertHeld: () => undefined,
  }
}

interface Fixture {
  readonly wrapper: ScriptedWrapper
  readonly handlers: ReturnType<typeof wrapperHandlers>
  /** What the platform under the pods was asked for. */
  readonly platform: string[]
  readonly specs: PodSpec[]
  readonly rendered: number[]
  readonly hindered: string[]
  /** Actors that have ended. */
  readonly over: Set<ActorAddress>
  readonly log: ReturnType<typeof captureLog>
  /** Thrown by the next binding of volumes, and by the next creation of a pod. */
  refusal: Error | undefined
  /** Nothing of the pod runs. */
  isPodGone: boolean
}

async function withFixture(use: (fixture: Fixture) => Promise<void>): Promise<void> {
  await withWrapper(async (wrapper) => {
    const fixture: Omit<Fixture, 'handlers'> = {
      wrapper,
      platform: [],
      specs: [],
      rendered: [],
      hindered: [],
      over: new Set(),
      log: captureLog(),
      refusal: undefined,
      isPodGone: false,
    }
    const pods: PodPort = {
      bindVolumes: async ({ task, project }) => {
        if (fixture.refusal !== undefined) throw fixture.refusal
        fixture.platform.push(`bind ${task} of ${project}`)
      },
      create: async (spec) => {
        if (fixture.refusal !== undefined) throw fixture.refusal
        fixture.platform.push(`create ${spec.pod}`)
        fixture.specs.push(spec)
        return { name: 'pod-name' }
      },
      remove: async (name, { force }) => {
        fixture.platform.push(`remove ${name}${force ? ' by force' : ''}`)
        return fixture.isPodGone ? 'gone' : 'ending'
      },
      deleteWorkspace: async (task) => void fixture.platform.push(`delete ${task}`),
      look: async () => undefined,
      logOf: async () => ({ state: 'gone' }),
      watch: () => () => undefined,
    }
    const handlers = wrapperHandlers({
      clock: { now: () => 5_000, setTimer: () => ({ cancel: () => undefined }) },
      logger: fixture.log.logger,
      pods,
      client: wrapper.client,
      alsoDeliver: async (name, { usage, accountUsage }) => {
        if (accountUsage === undefined) return []
        const event = { type: 'usage.reported', at: 5_000, turn: name, tokens: usage?.outputTokens ?? 0 }
        return [{ to: 'project:default/demo', key: `reported/${name}`, event }]
      },
      readActor: async (address) =>
        ({
          status: fixture.over.has(address) ? 'done' : 'active',
          context: { project: 'default/demo' } as object,
        }) as ActorView,
      hindered: (kind) => void fixture.hindered.push(kind),
      renderTurn: async (_turn, ordinal) => {
        fixture.rendered.push(ordinal)
        return `turn ${ordinal}`
      },
    })
    await use(Object.assign(fixture, { handlers }))
  })
}

function submitOf(
  { handlers, wrapper }: Fixture,
  attempt = 1,
  purpose: 'work' | 'handoff' = 'work',
): ReturnType<(typeof handlers)['submitTurn']['perform']> {
  const params = { task: 'default/task', podOrdinal: 1, url: wrapper.url, purpose, eventsUpTo: 0 }
  return handlers.submitTurn.perform(params, asked(turn, attempt))
}

function accepted(turnId: string): object[] {
  return [{ to: turn, key: `${turn}/7/0/accepted`, event: { type: 'submit.accepted', at: 5_000, turnId } }]
}

const it = testInside(withFixture)

describe('submitting a turn', () => {
  it('posts the text of the pod’s n-th turn under the turn’s own key', async (fixture) => {
    expect(await submitOf(fixture)).toEqual(accepted('turn-1'))
    expect(fixture.wrapper.requests).toEqual([
      { route: 'POST /v1/messages', body: { text: 'turn 3', handoff: false }, key: 'default/task/1/3' },
    ])
  })

  it('whose answer was lost is adopted at the repeat, not sent twice [TURN-2]', async (fixture) => {
    fixture.wrapper.faults.push('lost')
    await expect(submitOf(fixture)).rejects.toThrow(RetryableError)
    expect(await submitOf(fixture, 2)).toEqual(accepted('turn-1'))
    expect(fixture.wrapper.turns).toHaveLength(1)
    expect(fixture.wrapper.requests.map(({ route }) => route)).toEqual(['POST /v1/messages', 'GET /v1/messages'])
  })

  it('that was never received is sent at the repeat', async (fixture) => {
    fixture.wrapper.faults.push('not-ready')
    await expect(submitOf(fixture)).rejects.toThrow(RetryableError)
    expect(await submitOf(fixture, 2)).toEqual(accepted('turn-1'))
    expect(fixture.wrapper.turns.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['default/task/1/3'])
  })

  it('that meets its own turn in flight (409) adopts it', async (fixture) => {
    fixture.wrapper.turns.push(aTurn('mine', { idempotencyKey: 'default/task/1/3' }))
    fixture.wrapper.faults.push('turn-in-flight')
    expect(await submitOf(fixture)).toEqual(accepted('mine'))
  })

  it('that meets another turn in flight (409) tells which one', async (fixture) => {
    fixture.wrapper.turns.push(aTurn('other', { idempotencyKey: 'default/task/1/2' }), anEndedTurn('earlier'))
    expect(await submitOf(fixture)).toEqual([
      { to: turn, key: `${turn}/7/0/conflict`, event: { type: 'submit.conflict', at: 5_000, liveTurnId: 'other' } },
    ])
  })

  it('that meets a turn which ended meanwhile is a conflict with nobody', async (fixture) => {
    fixture.wrapper.turns.push(anEndedTurn('earlier'))
    fixture.wrapper.faults.push('turn-in-flight')
    expect((await submitOf(fixture)).map(({ event }) => event)).toEqual([{ type: 'submit.conflict', at: 5_000 }])
  })

  it('past the TTL (410) tells so, and the hand-off is still taken', async (fixture) => {
    fixture.wrapper.expired = true
    expect((await submitOf(fixture)).map(({ event }) => event)).toEqual([{ type: 'submit.expired', at: 5_000 }])
    expect(await submitOf(fixture, 1, 'handoff')).toEqual(accepted('turn-1'))
  })

  it('of a hand-off that the wrapper fails (5xx) is given up at once, unless it began all the same (STOP-SEQUENCE-3)', async (fixture) => {
    fixture.wrapper.faults.push('internal')
    expect((await submitOf(fixture, 1, 'handoff')).map(({ event }) => event)).toEqual([
      { type: 'submit.expired', at: 5_000 },
    ])
    fixture.wrapper.faults.push('internal', 'internal')
    expect((await submitOf(fixture, 1, 'handoff')).map(({ event }) => event.type)).toEqual(['submit.expired'])
    fixture.wrapper.turns.push(aTurn('mine', { idempotencyKey: 'default/task/1/3' }))
    fixture.wrapper.faults.push('internal')
    expect(await submitOf(fixture, 1, 'handoff')).toEqual(accepted('mine'))
  })

  it('of a turn that is over asks nobody', async (fixture) => {
    fixture.over.add(turn)
    expect(await submitOf(fixture)).toEqual([])
    expect(fixture.wrapper.requests).toEqual([])
  })
})

describe('asking after a turn', () => {
  const poll = ({ handlers, wrapper }: Fixture): ReturnType<(typeof handlers)['pollTurn']['perform']> =>
    handlers.pollTurn.perform({ url: wrapper.url, turnId: 'turn-1' }, asked(turn))

  it('brings its result once, under a key that every poll of it has (CALLBACK-3)', async (fixture) => {
    fixture.wrapper.turns.push(anEndedTurn('turn-1', { failed: [{ repo: 'b', error: 'rejected' }] }))
    const read = await poll(fixture)
    expect(read).toMatchObject([
      {
        to: turn,
        key: 'result/turn-1',
        event: {
          type: 'turn.result',
          at: 5_000,
          turnId: 'turn-1',
          state: 'completed',
          stopReason: 'end_turn',
          finalText: 'Done.',
          usage: { outputTokens: 20 },
          pushed: ['a'],
          failed: [{ repo: 'b', error: 'rejected' }],
        },
      },
    ])
    expect(
      await fixture.handlers.pollTurn.perform(
        { url: fixture.wrapper.url, turnId: 'turn-1' },
        { ...asked(turn), key: 'another' },
      ),
    ).toEqual(read)
  })

  it('brings the calls that the wrapper refused, and says nothing of any where the wrapper does not', async (fixture) => {
    const refusedCalls = [{ tool: 'submit_outcome', reason: 'no-block' as const, count: 3 }]
    fixture.wrapper.turns.push(anEndedTurn('turn-1', { refusedCalls }))
    expect((await poll(fixture))[0]?.event).toMatchObject({ type: 'turn.result', refusedCalls })
    fixture.wrapper.turns.splice(0, 1, anEndedTurn('turn-1'))
    expect((await poll(fixture))[0]?.event).not.toHaveProperty('refusedCalls')
  })

  it('believes no refused calls that break their form, and asks again', async (fixture) => {
    const call = { tool: 'task_note', reason: 'no-block', count: 1 }
    const wrong = [
      { ...call, arguments: {} },
      { ...call, tool: '\u001b[2J' },
      { ...call, reason: 'x' },
      { ...call, count: 0 },
    ]
    for (const one of [...wrong.map((each) => [each]), Array.from({ length: 22 }, () => call)]) {
      fixture.wrapper.turns.splice(0, 1, anEndedTurn('turn-1', { refusedCalls: one as never }))
      expect(await poll(fixture)).toEqual([])
    }
  })

  it('brings its usage to whoever meters it, together with the result', async (fixture) => {
    const window = { usedPercent: 1, resetsAt: startedAt }
    const accountUsage = { fiveHour: window, sevenDay: window, reportedAt: startedAt }
    fixture.wrapper.turns.push(anEndedTurn('turn-1', { accountUsage }))
    const name = turn.slice('turn:'.length)
    expect(await poll(fixture)).toMatchObject([
      { to: turn, key: 'result/turn-1' },
      { to: 'project:default/demo', key: `reported/${name}`, event: { turn: name, tokens: 20 } },
    ])
  })

  it('that failed brings what failed and when it may be tried again', async (fixture) => {
    const error = { code: 'rate_limit', message: 'the limit is reached', resetsAt: startedAt }
    fixture.wrapper.turns.push(anEndedTurn('turn-1', { state: 'failed', stopReason: 'usage_limit', error }))
    expect((await poll(fixture))[0]?.event).toMatchObject({
      state: 'failed',
      stopReason: 'usage_limit',
      error: 'rate_limit: the limit is reached',
      resetsAt: Date.parse(startedAt),
    })
  })

  it('that runs brings the agent’s last activity, and the probe of this turn that was answered (PROBE-6)', async (fixture) => {
    fixture.wrapper.turns.push(aTurn('turn-1'))
    const activity = { type: 'turn.activity', at: 5_000, lastActivityAt: Date.parse(startedAt) }
    expect(await poll(fixture)).toEqual([{ to: turn, key: `${turn}/7/0/activity`, event: activity }])
    fixture.wrapper.session = { ...fixture.wrapper.session, lastProbe: { probeId: '3/2', deliveredAt: startedAt } }
    expect((await poll(fixture))[0]?.event).toEqual(activity)
    const answered = async (probeId: string): Promise<unknown> => {
      const lastProbe = { probeId, deliveredAt: startedAt, answeredAt: startedAt }
      fixture.wrapper.session = { ...fixture.wrapper.session, lastProbe }
      return (await poll(fixture))[0]?.event
    }
    expect(await answered('3/2')).toEqual({ ...activity, probeAnswered: 2 })
    for (const earlier of ['2/2', '33/2', '2']) expect(await answered(earlier)).toEqual(activity)
  })

  it('that runs and is hindered is counted by what hinders it, once a poll (ORCHESTRATOR-METRICS-15)', async (fixture) => {
    fixture.wrapper.turns.push(aTurn('turn-1'))
    const hindrance = { kind: 'model-silent', since: startedAt, pings: 3 } as const
    fixture.wrapper.session = { ...fixture.wrapper.session, hindrance }
    await poll(fixture)
    await poll(fixture)
    expect(fixture.hindered).toEqual(['model-silent', 'model-silent'])
  })

  it('at a pod that does not answer changes nothing: the next poll asks again', async (fixture) => {
    fixture.wrapper.faults.push('internal')
    expect(await poll(fixture)).toEqual([])
    expect(fixture.log.lines().map(({ msg }) => msg)).toContain('the platform could not read a turn from the wrapper')
  })
})

describe('probe and interrupt', () => {
  it('a probe is sent under the numbers of its turn and its own, for each turn begins with 1 (PROBE-6), and one that finds no turn is no failure', async (fixture) => {
    const { handlers, wrapper } = fixture
    expect(await handlers.probeTurn.perform({ url: wrapper.url, probe: 2 }, asked(turn))).toEqual([])
    expect(wrapper.requests).toEqual([{ route: 'POST /v1/probe', body: { probeId: '3/2', text: probeText } }])
  })

  it('an interrupt that finds no terminal is told to the turn', async ({ handlers, wrapper }) => {
    expect(await handlers.interruptTurn.perform({ url: wrapper.url }, asked(turn))).toEqual([])
    wrapper.hasTerminal = false
    expect(await handlers.interruptTurn.perform({ url: wrapper.url }, asked(turn))).toEqual([
      { to: turn, key: `${turn}/7/0/refused`, event: { type: 'turn.interruptRefused', at: 5_000 } },
    ])
  })

  it('neither is sent for a turn that is over', async ({ handlers, wrapper, over }) => {
    over.add(turn)
    await handlers.probeTurn.perform({ url: wrapper.url, probe: 1 }, asked(turn))
    await handlers.interruptTurn.perform({ url: wrapper.url }, asked(turn))
    expect(wrapper.requests).toEqual([])
  })
})

describe('the life of a pod', () => {
  const address = { task: 'default/task', ordinal: 1 }
  const params = {
    ...address,
    project: 'default/demo',
    agentKind: 'implement',
    model: '',
    effort: 'high',
    permissionMode: 'plan',
    turnTimeoutSeconds: 60,
    agentPodTTLSeconds: 600,
    repositories: [],
  }

  it('R5: an effect that another process may perform by now creates no pod and sends nothing into one', async (fixture) => {
    const { handlers, platform, wrapper, rendered } = fixture
    const lost = (actor: ActorAddress, looks: number): EffectContext => {
      let left = looks
      return {
        ...asked(actor),
        assertHeld: () => {
          if (left-- === 0) throw new EffectNotHeldError(actor)
        },
      }
    }
    const at = { task: 'default/task', podOrdinal: 1, url: wrapper.url, purpose: 'work', eventsUpTo: 0 } as const
    const tries = [
      () => handlers.createPod.perform(params, lost(pod, 0)),
      () => handlers.readSession.perform({ ...address, url: wrapper.url }, lost(pod, 0)),
      () => handlers.probeTurn.perform({ url: wrapper.url, probe: 1 }, lost(turn, 0)),
      () => handlers.interruptTurn.perform({ url: wrapper.url }, lost(turn, 0)),
      () => handlers.submitTurn.perform(at, lost(turn, 0)),
      // Between the first look and the request the text is made.
      () => handlers.submitTurn.perform(at, lost(turn, 1)),
    ]
    for (const attempt of tries) await expect(attempt()).rejects.toBeInstanceOf(EffectNotHeldError)
    expect([platform, wrapper.requests, rendered]).toEqual([[], [], [3]])
  })

  it('begins with its volume and its creation, each told to the pod', async ({ handlers, platform, specs }) => {
    expect(await handlers.bindVolumes.perform(address, asked(pod))).toEqual([
      { to: pod, key: `${pod}/7/0/bound`, event: { type: 'pod.volumesBound', at: 5_000 } },
    ])
    expect(await handlers.createPod.perform(params, asked(pod))).toEqual([
      { to: pod, key: `${pod}/7/0/created`, event: { type: 'pod.created', at: 5_000, name: 'pod-name' } },
    ])
    expect(platform).toEqual(['bind default/task of default/demo', 'create default/task/1'])
    expect(specs).toEqual([{ ...params, pod: 'default/task/1' }])
  })

  it('is not begun for a pod that is over', async ({ handlers, platform, over }) => {
    over.add(pod)
    expect(await handlers.createPod.perform(params, asked(pod))).toEqual([])
    expect(platform).toEqual([])
  })

  it('is not begun where the platform refuses its volume for good; any other failure is tried again', async (fixture) => {
    fixture.refusal = new TerminalError('ClaimRefused', 'too much storage')
    expect((await fixture.handlers.bindVolumes.perform(address, asked(pod))).map(({ event }) => event)).toEqual([
      { type: 'pod.volumesUnbound', at: 5_000, reason: 'ClaimRefused', detail: 'too much storage' },
    ])
    fixture.refusal = new Error('not Bound')
    await expect(fixture.handlers.bindVolumes.perform(address, asked(pod))).rejects.toThrow('not Bound')
  })

  it('ends before it began where the platform refuses for good; any other failure is tried again', async (fixture) => {
    fixture.refusal = new TerminalError('quota', 'no pod fits the quota')
    expect((await fixture.handlers.createPod.perform(params, asked(pod))).map(({ event }) => event)).toEqual([
      { type: 'pod.vanished', at: 5_000, reason: 'quota', detail: 'no pod fits the quota' },
    ])
    fixture.refusal = new Error('the API server does not answer')
    await expect(fixture.handlers.createPod.perform(params, asked(pod))).rejects.toThrow('does not answer')
  })

  it('is checked by the contract version that its wrapper speaks, also another one or none (VERSIONING-5)', async (fixture) => {
    const { handlers, wrapper, over } = fixture
    const session = { ...address, url: wrapper.url }
    expect(await handlers.readSession.perform(session, asked(pod))).toEqual([
      { to: pod, key: `${pod}/7/0/session`, event: { type: 'pod.session', at: 5_000, contractVersion } },
    ])
    for (const said of [5, null] as const) {
      wrapper.nonsense.push({ contractVersion: said })
      expect(await handlers.readSession.perform(session, asked(pod))).toMatchObject([
        { to: pod, event: { type: 'pod.session', contractVersion: said } },
      ])
    }
    over.add(pod)
    expect(await handlers.readSession.perform(session, asked(pod))).toEqual([])
    wrapper.faults.push('internal')
    over.clear()
    await expect(handlers.readSession.perform(session, asked(pod))).rejects.toThrow(RetryableError)
  })

  it('ends with its wrapper’s own stop, and with the platform’s where that one does not answer', async (fixture) => {
    const { handlers, wrapper, platform, log } = fixture
    expect(await handlers.stopPod.perform({ ...address, url: wrapper.url }, asked(pod))).toEqual([])
    expect(wrapper.stopped).toBe(true)
    await handlers.stopPod.perform({ ...address, url: 'http://127.0.0.1:1' }, asked(pod))
    await handlers.stopPod.perform(address, asked(pod))
    expect(platform).toEqual(Array.from({ length: 3 }, () => 'remove default/task/1'))
    expect(log.lines().map(({ msg }) => msg)).toEqual(['the wrapper did not answer the request to stop'])
  })

  it('of which nothing runs is delivered as vanished when it is to end, gracefully or by force: no watch would', async (fixture) => {
    fixture.isPodGone = true
    for (const ended of ['stopPod', 'forceDeletePod'] as const)
      expect(await fixture.handlers[ended].perform(address, asked(pod))).toEqual([
        expect.objectContaining({ to: pod, event: expect.objectContaining({ type: 'pod.vanished' }) }),
      ])
  })

  it('can be ended by force, and leaves its workspace until the Task gives that up', async ({ handlers, platform }) => {
    await handlers.forceDeletePod.perform(address, asked(pod))
    await handlers.deleteWorkspace.perform({ task: 'default/task' }, asked('task:default/task'))
    expect(platform).toEqual(['remove default/task/1 by force', 'delete default/task'])
  })
})
