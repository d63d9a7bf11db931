import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { realClock } from '../testing/pod.ts'
import { ContractRun, contractCases } from './suite.ts'

/** What the scripted CLI has to have in common with the real one, so that CI tests the path that users run. */
const shared = [
  'submit.model',
  'result.last-message',
  'hooks.tool',
  'hooks.tool-failure',
  'hooks.unheard',
  'hooks.gone',
  'inject.tool',
  'tools.mcp',
  'attest.id',
  'attest.arguments',
  'usage.bearer',
  'socket.fail-closed',
]

describe('the scripted CLI', () => {
  const run = new ContractRun({
    cli: join(import.meta.dirname, '..', '..', 'standins', 'stub-cli', 'claude'),
    clock: realClock,
    uuid: randomUUID,
    node: process.execPath,
    isRoot: process.getuid?.() === 0,
    path: process.env['PATH'] ?? '',
  })
  afterAll(() => run.close())
  const cases = contractCases.filter(({ id }) => shared.includes(id))

  test('has each of the cases that it is held to', () => {
    expect(cases.map(({ id }) => id).toSorted()).toEqual(shared.toSorted())
  })

  test.each(cases.map((one) => [one.id, one.fact, one] as const))(
    '%s: %s',
    { timeout: 60_000 },
    async (_id, _fact, one) => {
      expect((await run.judge(one)).fault).toBeUndefined()
    },
  )
})
