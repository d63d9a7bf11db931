import { expect, test } from 'vitest'
import { reservedServers as refused } from '../crd/project.ts'
import { reservedServers as skipped } from '../wrapper/boot/mcp-config.ts'

test('`apply` refuses each name of an MCP server that a pod would skip, and no other (PROJECT-MCP-6)', () => {
  expect(refused.toSorted()).toEqual(skipped.toSorted())
})
