import { expect, test } from 'vitest'
import { runtimeMigrations } from '../../../../runtime/store/migrate.ts'
import { openSharedSql } from '../../../../runtime/store/testing/shared-store.ts'
import { forgeMigrations } from '../../forge-edge.ts'
import {
  hasPushed,
  insertPush,
  insertDeliveredPush,
  newestRefusal,
  NO_COMMIT,
  noteDeletion,
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
    const sam = { login: 'sam', id: '7' }
    const told = (before: string, after: string, of: object = {}) =>
      insertDeliveredPush(sql, { ...mine, ref: push.ref, before, after, by: sam, at: 5, ...of })
    await insertPush(sql, { ...push, outcome: 'accepted', at: 1 })
    await insertPush(sql, { ...push, before: '1', after: '2', outcome: 'accepted', at: 2 })
    await insertPush(sql, { ...push, before: '1', after: '2', outcome: 'failed', reason: 'moved', at: 2 })
    await told('1', '3')
    await told('1', '3')
    await told('1', '3', { ref: 'refs/heads/y' })
    await told('3', '4', { repository: 'other' })
    const all = [
      { before: '0', after: '1' },
      { before: '1', after: '3', by: sam },
    ]
    expect(await pushesTo(sql, mine, push.ref)).toEqual(all)
    expect([await wasPushedByPod(sql, mine, '1'), await wasPushedByPod(sql, mine, '3')]).toEqual([true, false])
    expect(await hasPushed(sql, mine)).toBe(true)
    expect(await hasPushed(sql, { ...mine, task: 'default/b' })).toBe(false)
    const gone = { before: '3', after: NO_COMMIT, by: sam }
    await noteDeletion(sql, { ...mine, ref: push.ref, ...gone, at: 6 })
    expect(await pushesTo(sql, mine, push.ref)).toEqual([...all, gone])
    // Where no pod pushed, only the deletion is worth a row.
    await noteDeletion(sql, { ...mine, ref: 'refs/heads/y', ...gone, at: 6 })
    expect(await pushesTo(sql, mine, 'refs/heads/y')).toEqual([gone])
    // A pod may have started from it before it pushes for the first time.
    const own = 'refs/heads/platform/a'
    await told('0', '5', { ref: own })
    await noteDeletion(sql, { ...mine, ref: own, ...gone, at: 6 })
    expect(await pushesTo(sql, mine, own)).toEqual([{ before: '0', after: '5', by: sam }, gone])
  } finally {
    await sql.close()
  }
})
