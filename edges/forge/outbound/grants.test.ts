import { expect, test } from 'vitest'
import type { ActorView } from '../../../runtime/runtime.ts'
import { grantHoldsIn } from './grants.ts'

const GRANT = { task: 't', planHash: 'p' }

function holds(
  context: object | undefined,
  status: ActorView['status'] = 'active',
  issue = 'issue:default/library-1',
): Promise<boolean> {
  return grantHoldsIn({
    read: async (address) =>
      (String(address) === 'issue:default/library-1' && context !== undefined
        ? { status, context }
        : undefined) as never,
  })(issue)
}

test("LAW-18: only the Issue's own standing grant counts, and none on an issue that a human closed", async () => {
  expect(await holds({ grant: GRANT, facts: { state: 'open' } })).toBe(true)
  expect(await holds({ grant: GRANT, facts: { state: 'open' } }, 'active', 'default/library-1')).toBe(true)
  expect(await holds({ grant: null, facts: { state: 'open' } })).toBe(false)
  expect(await holds({ grant: GRANT, facts: { state: 'closed', closedBy: 'human' } })).toBe(false)
  expect(await holds({ grant: GRANT, facts: { state: 'closed', closedBy: 'bot' } })).toBe(true)
  expect(await holds({ grant: GRANT, facts: { state: 'open' } }, 'quarantined')).toBe(false)
  expect(await holds(undefined)).toBe(false)
})
