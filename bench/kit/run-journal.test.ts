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
