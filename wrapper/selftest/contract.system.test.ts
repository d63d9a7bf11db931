import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { realCli, realClock } from '../testing/pod.ts'
import { ContractRun, contractCases } from './suite.ts'

/** The short form; `npm run test:wrapper` and `statewright wrapper selftest` run all. */
const cases =
  process.env['WRAPPER_CONTRACT'] === 'all' ? contractCases : contractCases.filter(({ daily }) => daily === true)

describeRequiring('claude', 'what the wrapper relies on in the pinned CLI', () => {
  const run = new ContractRun({
    cli: realCli,
    clock: realClock,
    uuid: randomUUID,
    node: process.execPath,
    isRoot: process.getuid?.() === 0,
    path: process.env['PATH'] ?? '',
  })
  afterAll(() => run.close())

  test.each(cases.map((one) => [one.id, one.fact, one] as const))('%s: %s', async (_id, _fact, one) => {
    expect((await run.judge(one)).fault).toBeUndefined()
  })
})

describe('the contract', () => {
  test('has at least forty cases, twenty of them in every run, each with its own name', () => {
    expect(contractCases.length).toBeGreaterThanOrEqual(40)
    expect(contractCases.filter(({ daily }) => daily === true).length).toBeGreaterThanOrEqual(20)
    expect(new Set(contractCases.map(({ id }) => id)).size).toBe(contractCases.length)
  })
})
