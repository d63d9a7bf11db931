import { expect, test } from 'vitest'
import { coversRepositories, nextToMerge } from './merge-order.ts'

test('one repository needs no order', () => {
  expect(coversRepositories(null, ['lib', 'lib'])).toBe(true)
})

test('several repositories need each named exactly once', () => {
  expect(coversRepositories(null, ['lib', 'app'])).toBe(false)
  expect(coversRepositories(['lib'], ['lib', 'app'])).toBe(false)
  expect(coversRepositories(['lib', 'lib', 'app'], ['lib', 'app'])).toBe(false)
  expect(coversRepositories(['app', 'lib'], ['lib', 'app'])).toBe(true)
})

test('a name in the order that has no merge request does no harm', () => {
  expect(coversRepositories(['app', 'docs', 'lib'], ['lib', 'app'])).toBe(true)
})

test('the next to merge is the first open one of the order (OUTCOME-19)', () => {
  const open = [
    { repository: 'lib', number: 1 },
    { repository: 'app', number: 2 },
  ]
  expect(nextToMerge(['app', 'lib'], open)?.repository).toBe('app')
  expect(nextToMerge(['app', 'lib'], open.slice(0, 1))?.repository).toBe('lib')
  expect(nextToMerge(['app'], [])).toBeUndefined()
})

test('what the order does not name comes last, by repository and number', () => {
  const open = [
    { repository: 'z', number: 9 },
    { repository: 'z', number: 3 },
    { repository: 'named', number: 1 },
  ]
  expect(nextToMerge(['named'], open)).toEqual({ repository: 'named', number: 1 })
  expect(nextToMerge(null, open.slice(0, 2))).toEqual({ repository: 'z', number: 3 })
})
