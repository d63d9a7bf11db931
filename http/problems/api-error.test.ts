import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'

test('one fault that the detail says already is not said again, and several are listed', () => {
  const one = { path: '/spec/goal', message: 'cannot change' }
  expect(new ApiError('it', 400, { detail: '/spec/goal: cannot change', errors: [one] }).message).toBe(
    '/spec/goal: cannot change',
  )
  expect(new ApiError('it', 400, { detail: 'is wrong', errors: [one] }).message).toBe(
    'is wrong\n  /spec/goal cannot change',
  )
  const two = [one, { path: '/spec/kind', message: 'is unknown' }]
  expect(new ApiError('it', 400, { detail: '/spec/goal: cannot change (and 1 more)', errors: two }).message).toBe(
    '/spec/goal: cannot change (and 1 more)\n  /spec/goal cannot change\n  /spec/kind is unknown',
  )
})
