import { expect, test } from 'vitest'
import { runtimeMigrations } from '../../../../runtime/store/migrate.ts'
import { openSharedSql } from '../../../../runtime/store/testing/shared-store.ts'
import { forgeMigrations } from '../../forge-edge.ts'
import {
  forgetToldPushes,
  hasPushed,
  insertPush,
  insertToldPush,
  newestRefusal,
  pushesTo,
  wasPushedByPod,
  type PushAudit,
} from './pushes.ts'

const mine = { project: 'uid', repository: 'lib', forgeId: '1', task: 'default/a' }
const push = { ...mine, pod: 'default/a/1', ref: 'refs/heads/x', before: '0', after: '1' }

test('the newest try of a Task says whether its push is refused; what others tried does not', async () => {
  const sql = await openSharedSql([runtimeMigrations, forgeMigrations])
  try {
    const tried = (at: number, outcome: PushAudit['outcome'], reason?: string, of: Partial<PushAudit> = {}) =>
      insertPush(sql, { ...push, ...of, outcome, at, ...(reason === undefined ? {} : { reason }) })
    expect(await newestRefusal(sql, mine)).toBeUndefined()
    await tried(1, 'refused', 'protected paths')
    expect(await newestRefusal(sql, mine)).toBe('protected paths')
    await tried(2, 'accepted')
    await tried(3, 'refused', 'of another', { task: 'default/b' })
    await tried(3, 'refused', 'elsewhere', { repository: 'other' })
    expect(await newestRefusal(sql, mine)).toBeUndefined()
    await tried(4, 'accepted')
    await tried(4, 'failed', 'the forge did not take it')
    expect(await newestRefusal(sql, mine)).toBe('the forge did not take it')
  } finally {
    await sql.close()
  }
})

test('REVIEW-3: who pushed to a ref, once however often it was told; what the forge refused brought nothing', async () => {
  const sql = await openSharedSql([runtimeMigrations, forgeMigrations])
  try {
    const { ref } = push
    const told = (before: string, after: string, by: string, of: object = {}) =>
      insertToldPush(sql, { ...mine, ref, before, after, by, at: 5, ...of })
    await insertPush(sql, { ...push, outcome: 'accepted', at: 1 })
    await insertPush(sql, { ...push, before: '1', after: '2', outcome: 'accepted', at: 2 })
    await insertPush(sql, { ...push, before: '1', after: '2', outcome: 'failed', reason: 'moved', at: 2 })
    await told('1', '3', 'sam')
    await told('1', '3', 'sam')
    await told('1', '3', 'sam', { ref: 'refs/heads/y' })
    await told('3', '4', 'maya', { repository: 'other' })
    const all = [
      { before: '1', after: '3', by: 'sam' },
      { before: '0', after: '1' },
    ]
    expect(await pushesTo(sql, mine, ref)).toEqual(all)
    expect([await wasPushedByPod(sql, mine, '1'), await wasPushedByPod(sql, mine, '3')]).toEqual([true, false])
    expect(await hasPushed(sql, mine)).toBe(true)
    expect(await hasPushed(sql, { ...mine, task: 'default/b' })).toBe(false)
    await forgetToldPushes(sql, mine, ref)
    expect(await pushesTo(sql, mine, ref)).toEqual(all.slice(1))
  } finally {
    await sql.close()
  }
})
