import { createServer, type AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
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

test('a git that fetches from a server without an answer ends in its time, with the helper that waits for it', async () => {
  const closed = Promise.withResolvers<void>()
  const silent = createServer((socket) =>
    socket
      .resume()
      .on('close', closed.resolve)
      .on('error', () => undefined),
  )
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  try {
    const run = createRunGit({ path: process.env['PATH'] ?? '', clock: systemClock, longestMs: 500 })
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/lib.git`
    expect((await run({ args: ['ls-remote', url], dir: '/' })).code).not.toBe(0)
    await closed.promise
  } finally {
    silent.close()
  }
})
