import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { createRunGit } from './run-git.ts'

const pauseMs = 5

/** As long as somebody reads it. */
async function* endless(): AsyncGenerator<Buffer> {
  for (;;) {
    await setTimeout(pauseMs)
    yield Buffer.from('x')
  }
}

test('a git command that takes longer than the operator allows is killed (ORCHESTRATOR-SETTINGS-17)', async () => {
  const run = createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock, longestMs: 20 })
  const { code } = await run({ args: ['hash-object', '--stdin'], dir: '/', input: endless() })
  expect(code).not.toBe(0)
})
