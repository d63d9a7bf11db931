import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { silentLogger } from '../../runtime/logger.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import { watchLiveWork } from './live-work.ts'

const minute = 60_000

const insert = `insert into actor (address, kind, shard, seq, version, machine_hash, status, path, created_at, updated_at)
  values `

function row(address: string, path: string, status = 'active', seq = 1): string {
  return `('${address}', '${address.split(':')[0]}', 0, ${seq}, 1, 'h', '${status}', '${path}', 0, 0)`
}

test('living Tasks and pods are counted from their rows; what ended or did not move is not read (ORCHESTRATOR-METRICS-9, ORCHESTRATOR-METRICS-12)', async () => {
  const sql = await openSharedSql()
  try {
    const clock = simulatedClock(100 * minute)
    const registry = new Registry()
    const read: string[] = []
    const stages: Record<string, object> = {
      'task:a': { name: 'implementing', reason: null, enteredAt: 10 * minute },
      'task:b': { name: 'awaiting-human', reason: 'budget', enteredAt: 40 * minute },
      'task:c': { name: 'awaiting-human', reason: 'budget', enteredAt: 70 * minute },
      'task:d': { name: 'awaiting-human', reason: 'not a reason', enteredAt: 90 * minute },
    }
    const seqs: Record<string, number> = {}
    const runtime = {
      read: async (address: string) => {
        read.push(address)
        return {
          kind: 'task',
          status: 'active',
          seq: seqs[address] ?? 1,
          context: { kind: 'implement', stage: stages[address] },
        } as never
      },
    }
    watchLiveWork({ runtime, sql, clock, logger: silentLogger, registry })
    const series = async (): Promise<readonly string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('operator'))
    await sql.exec(
      insert +
        [
          ...['a', 'b', 'c', 'd'].map((name) => row(`task:${name}`, 'stage.any pod.none')),
          row('task:e', 'stage.delivered pod.settled', 'done'),
          row('pod:a/1', 'alive.launching.booting'),
          row('pod:a/2', 'alive.busy'),
          row('pod:b/1', 'alive.busy'),
          row('pod:b/2', 'volumes'),
          row('pod:c/1', 'gone', 'done'),
        ].join(', '),
    )
    expect(await series()).toEqual([
      'operator_tasks{kind="implement",stage="implementing",reason="none"} 1',
      'operator_tasks{kind="implement",stage="awaiting-human",reason="budget"} 2',
      'operator_tasks{kind="implement",stage="awaiting-human",reason="other"} 1',
      'operator_tasks_oldest_age_seconds{stage="implementing"} 5400',
      'operator_tasks_oldest_age_seconds{stage="awaiting-human"} 3600',
      'operator_pods{phase="launching"} 1',
      'operator_pods{phase="busy"} 2',
      'operator_pods{phase="volumes"} 1',
    ])
    expect(read).toEqual(['task:a', 'task:b', 'task:c', 'task:d'])

    seqs['task:c'] = 2
    stages['task:c'] = { name: 'reviewing', reason: null, enteredAt: 101 * minute }
    await sql.exec(`update actor set seq = 2 where address = 'task:c'`)
    await sql.exec(
      `update actor set status = 'done' where address in ('task:a', 'task:d', 'pod:a/1', 'pod:a/2', 'pod:b/1')`,
    )
    clock.advance(14_999)
    expect((await series()).filter((line) => line.includes('reviewing'))).toEqual([])
    clock.advance(minute - 14_999)
    expect(await series()).toEqual([
      'operator_tasks{kind="implement",stage="awaiting-human",reason="budget"} 1',
      'operator_tasks{kind="implement",stage="reviewing",reason="none"} 1',
      'operator_tasks_oldest_age_seconds{stage="awaiting-human"} 3660',
      'operator_tasks_oldest_age_seconds{stage="reviewing"} 0',
      'operator_pods{phase="volumes"} 1',
    ])
    expect(read.slice(4)).toEqual(['task:c'])
  } finally {
    await sql.close()
  }
})
