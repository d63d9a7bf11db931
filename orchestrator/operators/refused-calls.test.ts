import { afterAll, beforeAll, expect, test } from 'vitest'
import { effectSchemas } from '../../machines/effect.ts'
import { podDefinition } from '../../machines/pod/machine.ts'
import { turnDefinition } from '../../machines/turn/machine.ts'
import type { RefusedCalls } from '../../machines/turn/schema.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { EffectHandler, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { readRefusedCalls } from './refused-calls.ts'

const clock = simulatedClock(1_800_000_000_000)
const mute: EffectHandler = { perform: async () => [] }
const refused: RefusedCalls = [{ tool: 'submit_outcome', reason: 'no-block', count: 3 }]
const later: RefusedCalls = [{ tool: 'task_note', reason: 'no-turn', count: 1 }]

let sql: Sql
let runtime: Runtime
let keys = 0

const tell = (turn: string, type: string, fields: object) =>
  runtime.deliver({ to: `turn:${turn}`, key: `k${keys++}`, event: { type, at: clock.now(), ...fields } })

async function begin(task: string, podOrdinal: number, ordinal: number): Promise<string> {
  const pod = `${task}/${podOrdinal}`
  const limits = { turnTimeoutSeconds: 60, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 1 }
  const asked = { pod, podOrdinal, task, ordinal, url: 'http://pod.test', purpose: 'work', eventsUpTo: 0, ...limits }
  await tell(`${pod}/${ordinal}`, 'turn.start', asked)
  return `${pod}/${ordinal}`
}

function end(turn: string, turnId: string, refusedCalls?: RefusedCalls) {
  const ended = { state: 'completed', stopReason: 'end_turn', finalText: '', usage: {}, pushed: [], failed: [] }
  return tell(turn, 'turn.result', { turnId, ...ended, ...(refusedCalls && { refusedCalls }) })
}

beforeAll(async () => {
  sql = await openSharedSql()
  const handlers = Object.fromEntries(Object.keys(effectSchemas).map((type) => [type, mute]))
  const ports = { sql, clock, random: () => 0.5, logger: silentLogger, owner: 'one', shards: 1 }
  runtime = createRuntime({ ...ports, definitions: [podDefinition, turnDefinition] })
  await runtime.start(handlers)
})
afterAll(async () => {
  await runtime.stop()
  await sql.close()
})

test('the refused calls of a Task are those of its turns, in their order, and of no other Task', async () => {
  for (const ordinal of [2, 10]) await end(await begin('default/a', 1, ordinal), `1-${ordinal}`, refused)
  await end(await begin('default/a', 1, 3), '1-3')
  await end(await begin('default/a', 2, 0), '2-0', later)
  await end(await begin('default/a-2', 1, 0), '1-0', later)
  expect(await readRefusedCalls(runtime, 'default/a')).toEqual([
    { pod: 1, turn: 2, calls: refused },
    { pod: 1, turn: 10, calls: refused },
    { pod: 2, turn: 0, calls: later },
  ])
})

test('a result that a waiting turn reads of another one is said once, and also where that one never heard it', async () => {
  const first = await begin('default/b', 1, 0)
  const second = await begin('default/b', 1, 1)
  await tell(second, 'submit.conflict', { liveTurnId: '1-1' })
  await end(second, '1-1', refused)
  expect(await readRefusedCalls(runtime, 'default/b')).toEqual([{ pod: 1, turn: 1, calls: refused }])
  await end(first, '1-1', refused)
  expect(await readRefusedCalls(runtime, 'default/b')).toEqual([{ pod: 1, turn: 0, calls: refused }])
})

test('a Task without turns has none', async () => {
  expect(await readRefusedCalls(runtime, 'default/nobody')).toEqual([])
})
