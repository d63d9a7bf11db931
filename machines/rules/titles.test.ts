import { expect, test } from 'vitest'
import { isSameTitle, titleKey } from './titles.ts'

test.each([
  ['Cache the index', 'cache  the INDEX!', true],
  ['Cache the index', 'Cache the indices', false],
  ['Größe prüfen', 'größe  prüfen.', true],
  ['ﬁle', 'file', true],
  ['C++ build', 'C build', true],
])('WORDS-6: %s and %s are the same title: %s (OUTCOME-BRAINSTORM-8)', (one, other, same) => {
  expect(isSameTitle(one, other)).toBe(same)
})

test('a key finds the same title again, in its repository only', () => {
  expect(titleKey('lib', 'Cache the index')).toBe(titleKey('lib', 'cache the index.'))
  expect(titleKey('lib', 'Cache the index')).not.toBe(titleKey('app', 'Cache the index'))
  expect(titleKey('lib', 'x'.repeat(500)).length).toBeLessThan(80)
})
