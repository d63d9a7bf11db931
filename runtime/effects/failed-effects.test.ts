import { expect, test } from 'vitest'
import { AwayError, EffectNotHeldError, RetryableError, StoreUnavailableError, TerminalError } from '../errors.ts'
import { SqlError } from '../store/sql-error.ts'
import { outcomeOfFailure } from './failed-effects.ts'

const at = { now: 1000, random: () => 0.5 }
const second = { attempts: 1, unanswered: 0, maxAttempts: undefined }

test('a failure counts and is tried again later, the last one that is allowed ends it', () => {
  const again = outcomeOfFailure(new Error('no answer'), second, at)
  expect(again).toMatchObject({ kind: 'postponed', attempts: 2, lastError: 'no answer' })
  expect((again as { notBefore: number }).notBefore).toBeGreaterThan(1000)
  const last = outcomeOfFailure(new Error('no answer'), { ...second, attempts: 2, maxAttempts: 3 }, at)
  expect(last).toEqual({ kind: 'dead', attempts: 3, lastError: 'retries-exhausted: no answer' })
  expect(outcomeOfFailure(new Error('x'), { ...second, attempts: 49 }, at)).toMatchObject({ kind: 'dead' })
})

test('what cannot help ends it at once, under its reason', () => {
  const outcome = outcomeOfFailure(new TerminalError('forge-forbidden', 'no'), second, at)
  expect(outcome).toEqual({ kind: 'dead', attempts: 2, lastError: 'forge-forbidden' })
  const refused = outcomeOfFailure(new TerminalError('forge-invalid', 'no', { words: '`too long`' }), second, at)
  expect(refused).toMatchObject({ kind: 'dead', lastError: 'forge-invalid: `too long`' })
})

test('a wait that was asked for, and an effect that is another process’s by now, count as no attempt however many there were', () => {
  const many = { attempts: 49, unanswered: 0, maxAttempts: 3 }
  const asked = outcomeOfFailure(new RetryableError('limit', { retryAfterMs: 250.5 }), many, at)
  expect(asked).toEqual({ kind: 'postponed', attempts: 49, notBefore: 1251, lastError: 'limit' })
  const lost = outcomeOfFailure(new EffectNotHeldError('task:a/1/0'), many, at)
  expect(lost).toMatchObject({ kind: 'postponed', attempts: 49, notBefore: 1000 })
})

test.each([
  ['a forge or a pod', new AwayError('no answer')],
  ['the runtime', new StoreUnavailableError('no answer')],
  ['the store', new SqlError('connection lost', { code: '08006' })],
])('an answer that %s does not give counts as no attempt, and the pauses grow all the same (R7)', (_who, error) => {
  const pauseAfter = (unanswered: number): number => {
    const outcome = outcomeOfFailure(error, { attempts: 2, unanswered, maxAttempts: 3 }, at)
    expect(outcome).toMatchObject({ kind: 'postponed', attempts: 2, wasAway: true })
    return (outcome as { notBefore: number }).notBefore - 1000
  }
  expect([0, 1, 2, 10, 1000].map(pauseAfter)).toEqual([1000, 2000, 4000, 30_000, 30_000])
})

test('what the store refuses is no outage of it: it counts', () => {
  const refused = new SqlError('duplicate key', { code: '23505' })
  expect(outcomeOfFailure(refused, second, at)).toMatchObject({ kind: 'postponed', attempts: 2 })
})
