import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followLog } from './follow-log.ts'

test('each JSON line of a growing file is taken once, whole, however it was written', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'statewright-follow-')), '0.log')
  const taken: unknown[] = []
  const log = followLog(path, (line) => taken.push(line['n']))
  await log.read()
  expect(taken).toEqual([])
  appendFileSync(path, '{"n":1}\nno line of ours\n"text"\n{"n":')
  await log.read()
  expect(taken).toEqual([1])
  const rest = Buffer.from('"ü"}\n{"n":3}\n')
  // A character in two parts.
  appendFileSync(path, rest.subarray(0, 2))
  await log.read()
  appendFileSync(path, rest.subarray(2))
  await log.read()
  await log.read()
  expect(taken).toEqual([1, 'ü', 3])
})
