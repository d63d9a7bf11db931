import { expect, test } from 'vitest'
import { contractVersion } from '../../machines/turn/schema.ts'
import { mcp } from './mcp.ts'

test.each(['3', '5', '', 'four'])(
  'the tools of a pod of contract version %j do not start, and say why',
  async (given) => {
    const env = { PLATFORM_CONTRACT_VERSION: given, PLATFORM_TOOL_PROFILE: 'implement' }
    await expect(mcp(env, '0.0.0')).rejects.toThrow(
      `PLATFORM_CONTRACT_VERSION is ${given}, this server speaks ${contractVersion}`,
    )
  },
)

test('S2, Versioning: the contract version is 4', () => {
  expect(contractVersion).toBe(4)
})
