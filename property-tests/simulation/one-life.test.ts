/** Of the whole orchestrator, one life from the webhook to the merge, and one law with what breaks it: part of `npm test`. */
import { expect, test } from 'vitest'
import type { Report } from './report.ts'
import { simulate } from './testing/simulate.ts'

test('a life from the webhook to the merge holds every law, and LAW-4 notices where the platform obeys its own comment', async () => {
  const flags = ['--seeds', '1', '--from', '1', '--json']
  const [sound, broken] = await Promise.all([simulate(flags), simulate([...flags, '--bug', 'own-voice-heard'])])
  for (const { code, told } of [sound, broken]) expect(code, told).toBe(0)
  const [life, control] = [sound, broken].map(({ lines }) => JSON.parse(lines.at(-1)!) as Report)
  expect(life!.failures).toEqual([])
  expect(life!.points.passed).toEqual(
    expect.arrayContaining(['webhook: come in', 'pods create: not done', 'forge PUT merge: done and not heard']),
  )
  expect(control!.failures.flatMap(({ broken: laws }) => laws)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^LAW-4: /)]),
  )
}, 600_000)
