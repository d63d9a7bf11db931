import { expect, test } from 'vitest'
import { testClock } from '../../../http/testing/fixture.ts'
import { createAttempts, type Attempts } from './attempts.ts'
import { createSessions } from './sessions.ts'

const minute = 60_000

function fixture(key = 'key'): { readonly attempts: Attempts; readonly clock: ReturnType<typeof testClock> } {
  const clock = testClock()
  let count = 0
  return { clock, attempts: createAttempts({ clock, ids: { next: () => `id${++count}` }, key }) }
}

test('an attempt is ended by the browser that began it, once', () => {
  const { attempts } = fixture()
  const { text, attempt } = attempts.begin()
  expect(attempts.take(text, attempt.state)).toEqual(attempt)
  expect(attempts.take(text, attempt.state)).toBeUndefined()
})

test('another process with the same key ends it, one with another does not', () => {
  const { text, attempt } = fixture().attempts.begin()
  expect(fixture('other').attempts.take(text, attempt.state)).toBeUndefined()
  expect(fixture().attempts.take(text, attempt.state)).toEqual(attempt)
})

test('state, nonce and verifier are apart, and others at each attempt', () => {
  const { attempts } = fixture()
  const both = [attempts.begin(), attempts.begin()].flatMap(({ attempt }) => Object.values(attempt))
  expect(new Set(both).size).toBe(6)
  for (const one of both) expect(one).toMatch(/^[0-9a-f]{64}$/)
})

test('the state of one attempt does not end another', () => {
  const { attempts } = fixture()
  const [mine, theirs] = [attempts.begin(), attempts.begin()]
  expect(attempts.take(mine.text, theirs.attempt.state)).toBeUndefined()
  expect(attempts.take(mine.text, mine.attempt.state)).toBeDefined()
})

test('an attempt lives ten minutes, and nobody lengthens it', () => {
  const { attempts, clock } = fixture()
  const [early, late] = [attempts.begin(), attempts.begin()]
  clock.advance(10 * minute - 1)
  expect(attempts.take(early.text, early.attempt.state)).toBeDefined()
  clock.advance(1)
  expect(attempts.take(late.text, late.attempt.state)).toBeUndefined()
  const [id, , signature] = late.text.split(':')
  for (const text of [`${id}:${clock.now() + minute}:${signature}`, `${id}`, '', '::'])
    expect(attempts.take(text, late.attempt.state)).toBeUndefined()
})

test('a session is no attempt', () => {
  const { attempts, clock } = fixture()
  const session = createSessions({ clock, key: 'key', lifetimeMs: minute }).open({ subject: 'ada', issuer: 'i' })
  expect(attempts.take(session.replace('.', ':'), '')).toBeUndefined()
})
