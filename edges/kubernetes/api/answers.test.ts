import { expect, test } from 'vitest'
import { answered, duplicateEntries, errorOf, fieldNotDeclared, KubeError, withoutSecrets } from './answers.ts'

test.each([
  [400, false],
  [401, false],
  [403, true],
  [404, false],
  [408, true],
  [409, true],
  [410, false],
  [422, false],
  [429, true],
  [500, true],
  [503, true],
])('%i is worth asking again: %s', (code, isRetryable) => {
  expect(errorOf(code, { reason: 'Any', message: 'why' })).toMatchObject({
    code,
    isRetryable,
    reason: 'Any',
    message: 'why',
  })
})

test('a server that does not answer is worth asking again, a request that was ended is not', () => {
  expect(new KubeError({ code: 0, reason: 'NoAnswer', message: 'refused' }).isRetryable).toBe(true)
  expect(new KubeError({ code: 0, reason: 'Aborted', message: 'ended' }).isRetryable).toBe(false)
})

test('the two 500s that fail for ever are terminal, each by its reason', () => {
  const unknown =
    'failed to create typed patch object (default/a; platform.dev/v1alpha1, Kind=Task): .status.x: field not declared in schema'
  expect(errorOf(500, { message: unknown })).toMatchObject({ reason: fieldNotDeclared, isRetryable: false })
  const twice = 'failed to create typed patch object (x): .status.conditions: duplicate entries for key [type="Ready"]'
  expect(errorOf(500, { message: twice })).toMatchObject({ reason: duplicateEntries, isRetryable: false })
  expect(errorOf(500, { message: 'etcd is away' })).toMatchObject({ reason: 'InternalError', isRetryable: true })
})

test('an answer without a Status has the usual reason of its code', () => {
  expect(errorOf(404, {})).toMatchObject({ reason: 'NotFound', message: 'the API server answered 404' })
  expect(errorOf(418, {}).reason).toBe('Unknown')
})

test('a pause is taken from the header, else from the Status', () => {
  const status = { details: { retryAfterSeconds: 7 } }
  expect(errorOf(429, status, '3').retryAfterMs).toBe(3_000)
  expect(errorOf(429, status).retryAfterMs).toBe(7_000)
  for (const none of [undefined, 'soon', '-1']) expect(errorOf(429, {}, none).retryAfterMs).toBeUndefined()
})

test('only a 404 is not found', () => {
  expect(answered(errorOf(404, {}), 404)).toBe(true)
  expect(answered(errorOf(410, {}), 404)).toBe(false)
  expect(answered(new Error('404'), 404)).toBe(false)
})

test('secrets are cut out of a text, the longest first; what is shorter than four signs is no secret', () => {
  expect(withoutSecrets('a token-1 and token-1-2, x', ['token-1', 'token-1-2', 'x'])).toBe(
    'a [redacted] and [redacted], x',
  )
})
