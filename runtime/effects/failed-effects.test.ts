import { expect, test } from 'vitest'
import { EffectNotHeldError, RetryableError, TerminalError } from '../errors.ts'
import { outcomeOfFailure } from './failed-effects.ts'

const at = { now: 1000, random: () => 0.5 }
const second = { attempts: 1, maxAttempts: undefined }

test('a failure counts and is tried again later, the last one that is allowed ends it', () => {
  const again = outcomeOfFailure(new Error('no answer'), second, at)
  expect(again).toMatchObject({ kind: 'postponed', attempts: 2, lastError: 'no answer' })
  expect((again as { notBefore: number }).notBefore).toBeGreaterThan(1000)
  const last = outcomeOfFailure(new Error('no answer'), { attempts: 2, maxAttempts: 3 }, at)
  expect(last).toEqual({ kind: 'dead', attempts: 3, lastError: 'retries-exhausted: no answer' })
  expect(outcomeOfFailure(new Error('x'), { attempts: 49, maxAttempts: undefined }, at)).toMatchObject({ kind: 'dead' })
})

test('what cannot help ends it at once, under its reason', () => {
  const outcome = outcomeOfFailure(new TerminalError('forge-forbidden', 'no'), second, at)
  expect(outcome).toEqual({ kind: 'dead', attempts: 2, lastError: 'forge-forbidden' })
})

test('a wait that was asked for, and an effect that is another process’s by now, count as no attempt however many there were', () => {
  const many = { attempts: 49, maxAttempts: 3 }
  const asked = outcomeOfFailure(new RetryableError('limit', { retryAfterMs: 250.5 }), many, at)
  expect(asked).toEqual({ kind: 'postponed', attempts: 49, notBefore: 1251, lastError: 'limit' })
  const lost = outcomeOfFailure(new EffectNotHeldError('task:a/1/0'), many, at)
  expect(lost).toMatchObject({ kind: 'postponed', attempts: 49, notBefore: 1000 })
})
