import { expect, it } from 'vitest'
import { runJournal } from './run-journal.ts'

it('goes on after a failure, says all of it, and keeps its first line', async () => {
  const said: string[] = []
  const journal = runJournal((line) => said.push(line))
  const failed = await journal.attempt('timers', () => Promise.reject(new Error('ended with 1\nat line 3')))
  expect(failed).toBeUndefined()
  expect(await journal.attempt('scale', async () => 5)).toBe(5)
  expect(journal.failures).toEqual(['timers failed: ended with 1'])
  expect(said).toEqual(['timers failed: ended with 1\nat line 3'])
})

it('measures again what failed, names it, and fails when it never succeeds', async () => {
  const said: string[] = []
  const journal = runJournal((line) => said.push(line))
  const fails = (times: number) => async (time: number) => {
    if (time < times) throw new Error('ended with SIGKILL')
    return time
  }
  expect(await journal.attemptAgain('a', 3, fails(0))).toBe(0)
  expect(await journal.attemptAgain('b', 3, fails(1))).toBe(1)
  expect([journal.repeats, journal.failures]).toEqual([['b failed: ended with SIGKILL'], []])
  expect(await journal.attemptAgain('c', 3, fails(3))).toBeUndefined()
  expect(journal.failures).toEqual(['c failed: ended with SIGKILL'])
  expect(said).toHaveLength(4)
})
