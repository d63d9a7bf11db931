import { expect, test } from 'vitest'
import { ModelMeter } from './meter.ts'
import { withheldBy } from './withheld.ts'

const error = (type: string, message: string) => ({ type: 'error', error: { type, message } })

test.each([
  ['key_refused', 'authentication_error', 'invalid x-api-key'],
  ['key_refused', 'permission_error', 'OAuth token has been revoked. Please obtain a new token.'],
  ['key_refused', 'permission_error', 'OAuth authentication is currently not allowed for this organization.'],
  ['key_refused', 'permission_error', 'Account is no longer a member of the organization associated with this token.'],
  ['key_refused', 'invalid_request_error', 'This organization has been disabled.'],
  ['no_credit', 'billing_error', 'There is an issue with your payment'],
  [
    'no_credit',
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans',
  ],
] as const)('is %s by %s "%s" (WRAPPER-TURN-20)', (cause, type, message) => {
  expect(withheldBy(error(type, message))).toEqual({ cause, message })
})

test('a spend limit says in words when it ends (WRAPPER-TURN-20)', () => {
  const words = 'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.'
  expect(withheldBy(error('invalid_request_error', words))).toEqual({
    cause: 'no_credit',
    message: words,
    resetsAt: '2026-04-01T00:00:00.000Z',
  })
  expect(withheldBy(error('invalid_request_error', words.replace('04-01', '99-01')))).not.toHaveProperty('resetsAt')
})

test.each([
  ['a model that the key may not use', error('permission_error', 'This key may not use this model')],
  ['words of the request within an error', error('invalid_request_error', 'model: Your credit balance is too low')],
  ['an overloaded provider', error('overloaded_error', 'Overloaded')],
  ['no error', { type: 'message' }],
  ['no object', 'a page'],
  ['null', null],
])('%s withholds nothing from the key (WRAPPER-TURN-20)', (_what, answer) => {
  expect(withheldBy(answer)).toBeUndefined()
})

test('at most 300 characters of the provider are kept', () => {
  expect(withheldBy(error('billing_error', 'x'.repeat(1_000)))!.message).toHaveLength(300)
})

test('a later whole answer shows that the key works', () => {
  const meter = new ModelMeter()
  meter.refused(error('authentication_error', 'invalid x-api-key'))
  expect(meter.withheld).toMatchObject({ cause: 'key_refused' })
  meter.answeredWhole()
  expect(meter.withheld).toBeUndefined()
})

test('another failure after the refusal leaves its cause standing', () => {
  const meter = new ModelMeter()
  meter.refused(error('billing_error', 'no money'))
  meter.refused(error('overloaded_error', 'Overloaded'))
  expect(meter.withheld).toMatchObject({ cause: 'no_credit' })
})
