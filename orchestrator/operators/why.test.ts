import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effectSchemas } from '../../machines/effect.ts'
import { memoryDefinition } from '../../machines/memory/machine.ts'
import { podDefinition } from '../../machines/pod/machine.ts'
import { queueDefinition } from '../../machines/queue/machine.ts'
import { taskDefinition } from '../../machines/task/machine.ts'
import { turnDefinition } from '../../machines/turn/machine.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { HindranceOf } from '../../edges/pods/hindrance.ts'
import { until } from '../../runtime/contract/harness.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { EffectHandler, JournalRow, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { answerWhy, readWhy, shownWhys } from './why.ts'

const clock = simulatedClock(1_800_000_000_000)
const definitions = [queueDefinition, taskDefinition, podDefinition, turnDefinition, memoryDefinition]
const mute: EffectHandler = { perform: async () => [] }

const hindranceOf: HindranceOf = async () => undefined

const seed = {
  kind: 'documentation',
  goal: 'write it down',
  repositories: ['lib'],
  issues: [],
  mergeRequests: [],
  priority: 60,
  origin: { kind: 'cron', ref: 'x' },
  config: {
    project: 'default/demo',
    agentPodTTLSeconds: 3600,
    turnTimeoutSeconds: 1800,
    stallProbeGraceSeconds: 60,
    stallProbeMaxAttempts: 3,
    autoApproveMaxSignificance: 'off',
    model: {},
    effort: {},
    permissionMode: '',
    repositories: [{ name: 'lib', base: 'main' }],
  },
}

describe('why, read from a runtime', () => {
  let sql: Sql
  let runtime: Runtime
  let keys = 0

  const tell = (to: `${'queue' | 'pod' | 'memory' | 'turn'}:${string}`, type: string, fields: object = {}) =>
    runtime.deliver({ to, key: `k${keys++}`, event: { type, at: clock.now(), ...fields } })
  const enqueue = (task: string, more: object = {}) =>
    tell('queue:default/demo', 'queue.enqueue', {
      entry: `mint/${task}`,
      sort: 'mint',
      task,
      class: 'normal',
      priority: 60,
      kind: 'documentation',
      seed,
      ...more,
    })

  beforeAll(async () => {
    sql = await openSharedSql()
    const handlers = Object.fromEntries(Object.keys(effectSchemas).map((type) => [type, mute]))
    const ports = { sql, clock, random: () => 0.5, logger: silentLogger, owner: 'one', shards: 1 }
    runtime = createRuntime({ ...ports, definitions })
    await runtime.start(handlers)
    await tell('queue:default/demo', 'queue.configured', { maxConcurrentAgents: 1, capacity: 1, alertCapacity: 0 })
    await tell('queue:default/demo', 'queue.opened')
    for (const task of ['default/first', 'default/second', 'default/third']) await enqueue(task)
    await until(() => runtime.read('pod:default/first/1'))
  })
  afterAll(async () => {
    await runtime.stop()
    await sql.close()
  })

  test('a Task under way is said with what its pod waits for', async () => {
    const why = await readWhy({ runtime, clock }, 'first')
    expect(why).toMatchObject({ task: 'default/first', stage: 'documenting', queue: null })
    expect(why?.resting?.reason).toBe('task/pod.starting')
    expect(why?.below.map(({ reason }) => reason)).toEqual(['pod/volumes'])
  })

  test('a Task that waits to be minted is said with its place in the queue, and its way begins with the slot (OPERATIONS-3)', async () => {
    const why = await readWhy({ runtime, clock }, 'default/third')
    expect(why).toMatchObject({ stage: 'queued', queue: { position: 2, reason: 'no free slot' } })
    expect(why?.path?.[0]).toMatchObject({ by: 'queue', event: { type: 'task.minted', entry: 'mint/default/third' } })
    expect(why?.path?.at(-1)?.stage).toBe('delivered')
  })

  test('a Task whose push was refused is said with the words of who refused it', async () => {
    const read: Runtime['read'] = async (address) => {
      const view = await runtime.read(address)
      return (
        view && {
          ...view,
          context: {
            ...view.context,
            turn: { ...(view.context as TaskContext).turn, lastFailedRepos: ['lib', 'other'] },
          },
        }
      )
    }
    const reader = {
      read,
      list: runtime.list.bind(runtime),
      pendingTimers: runtime.pendingTimers.bind(runtime),
      history: runtime.history.bind(runtime),
    }
    const pushRefusal = async (...about: readonly string[]): Promise<string | undefined> =>
      about.join(' ') === 'default/demo lib default/first' ? 'say /allow-ci-changes' : undefined
    const why = await readWhy({ runtime: reader, clock, pushRefusal }, 'first')
    expect(why?.detail).toBe('lib: say /allow-ci-changes')
  })

  test('a Task that an alert led to is said with how often it fired (ALERTS-6)', async () => {
    expect(await answerWhy({ runtime, clock, hindranceOf }, 'first')).not.toHaveProperty('firings')
    const alert = { fingerprint: 'f' }
    for (let firing = 0; firing < 2; firing += 1) await enqueue('default/alerted', { class: 'alert', alert })
    expect((await answerWhy({ runtime, clock, hindranceOf }, 'alerted'))?.firings).toBe(2)
    await tell('queue:default/demo', 'queue.configured', { maxConcurrentAgents: 1, capacity: 1, alertCapacity: 1 })
    await until(() => runtime.read('task:default/alerted'))
    expect((await answerWhy({ runtime, clock, hindranceOf }, 'alerted'))?.firings).toBe(2)
  })

  test('a Task is said with what the memory holds of its Repositories, once a step has looked', async () => {
    expect((await answerWhy({ runtime, clock, hindranceOf }, 'first'))?.memory).toEqual([])
    await tell('memory:default/demo', 'memory.configured', { fills: true })
    const held = { commit: 'abc', due: 3, trouble: 'no room' }
    await tell('memory:default/demo', 'memory.filled', { run: 'memory/1', repositories: { lib: held, other: held } })
    expect((await answerWhy({ runtime, clock, hindranceOf }, 'first'))?.memory).toEqual([
      { repository: 'lib', ...held },
    ])
  })

  test('a Task whose pod names what hinders its turn is said with it, and one whose pod is silent without (OPERATIONS-13)', async () => {
    const hindrance = {
      kind: 'model-silent',
      since: '2026-01-02T03:04:05.000Z',
      sentence: 'no answer for 4 min',
    } as const
    const answer = (task: string): ReturnType<typeof answerWhy> =>
      answerWhy(
        { runtime, clock, hindranceOf: async ({ id }) => (id === 'default/first' ? hindrance : undefined) },
        task,
      )
    expect((await answer('first'))?.hindrance).toEqual(hindrance)
    expect(await answer('second')).not.toHaveProperty('hindrance')
    expect(await answer('third')).not.toHaveProperty('hindrance')
  })

  test('a Task is said with what its turns have used so far', async () => {
    expect((await answerWhy({ runtime, clock, hindranceOf }, 'third'))?.cost).toEqual({ turns: 0, tokens: 0, usd: 0 })
    const read: Runtime['read'] = async (address) => {
      const view = await runtime.read(address)
      const task: Partial<TaskContext> = view?.context ?? {}
      const turn = {
        ...task.turn,
        count: 3,
        usage: { inputTokens: 5, outputTokens: 2, costUsd: 0.5 },
      }
      return view && { ...view, context: { ...view.context, turn } }
    }
    const reader = { ...runtime, read, list: runtime.list.bind(runtime), history: runtime.history.bind(runtime) }
    const deps = { runtime: { ...reader, pendingTimers: runtime.pendingTimers.bind(runtime) }, clock, hindranceOf }
    expect((await answerWhy(deps, 'first'))?.cost).toEqual({ turns: 3, tokens: 7, usd: 0.5 })
  })

  test('ten pages of one Task share what `why` shows, and read no journal for it that the pages have', async () => {
    const turns: { readonly address: string; readonly rows: readonly JournalRow[] }[] = []
    const asked = {
      pod: 'default/first/1',
      podOrdinal: 1,
      task: 'default/first',
      url: 'http://pod.test',
      purpose: 'work',
    }
    const limits = { eventsUpTo: 0, turnTimeoutSeconds: 60, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 1 }
    const ended = { state: 'completed', stopReason: 'end_turn', finalText: '', usage: {}, pushed: [], failed: [] }
    const refusedCalls = [{ tool: 'Bash', reason: 'no-turn', count: 2 }]
    for (let ordinal = 0; ordinal < 30; ordinal += 1) {
      const turn = `turn:default/first/1/${ordinal}` as const
      await tell(turn, 'turn.start', { ...asked, ...limits, ordinal })
      await tell(turn, 'turn.result', { turnId: `1-${ordinal}`, ...ended, refusedCalls })
      turns.push({ address: turn, rows: await runtime.history(turn) })
    }
    const calls: Record<string, number> = {}
    const counted = new Proxy(runtime, {
      get(target, name: keyof Runtime) {
        const method: (...given: never[]) => unknown = target[name]
        return (...given: never[]) => {
          calls[name] = (calls[name] ?? 0) + 1
          return method.apply(target, given)
        }
      },
    })
    const task = await runtime.read('task:default/first')
    if (task === undefined) throw new Error('the Task is gone')
    const whyOf = shownWhys({ runtime: counted, clock, isScripted: false })
    const shown = await Promise.all(Array.from({ length: 10 }, () => whyOf(task, turns)))
    expect(calls).toEqual({ read: 4 })
    const refused = shown.map((why) => why?.rows.filter(({ name }) => name === 'refused').map(({ text }) => text))
    expect(refused).toEqual(Array.from({ length: 10 }, () => refused[0]))
    expect(refused[0]?.[0]).toBe('20 more before these')
    expect(refused[0]?.at(-1)).toBe('turn 29 of pod 1: the wrapper refused 2 calls of `Bash` while no turn ran')
    await whyOf({ ...task, seq: task.seq + 1 }, turns)
    expect(calls).toEqual({ read: 8 })
    clock.advance(10_000)
    await whyOf(task, turns)
    expect(calls).toEqual({ read: 12 })
  })

  test('of a Task that is nowhere nothing is said', async () => {
    expect(await readWhy({ runtime, clock }, 'nobody')).toBeUndefined()
    expect(await answerWhy({ runtime, clock, hindranceOf }, 'nobody')).toBeUndefined()
  })
})
