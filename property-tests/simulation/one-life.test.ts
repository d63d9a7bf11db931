/** Of the whole orchestrator, one life from the webhook to the merge: part of `npm test`. */
import { expect, test } from 'vitest'
import type { Report } from './report.ts'
import { simulate } from './testing/simulate.ts'

test('a life from the webhook to the merge holds every law', async () => {
  const { code, lines, told } = await simulate(['--seeds', '1', '--from', '1', '--json'])
  expect(code, told).toBe(0)
  const { failures, points } = JSON.parse(lines.at(-1)!) as Report
  expect(failures).toEqual([])
  expect(points.passed).toEqual(
    expect.arrayContaining(['webhook: come in', 'pods create: not done', 'forge PUT merge: done and not heard']),
  )
}, 600_000)
