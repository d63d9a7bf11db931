import { expect, test } from 'vitest'
import { runtimeMigrations } from '../../../../runtime/store/migrate.ts'
import { openSharedSql } from '../../../../runtime/store/testing/shared-store.ts'
import { forgeMigrations } from '../../forge-edge.ts'
import { insertPush, newestRefusal, type PushAudit } from './pushes.ts'

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
