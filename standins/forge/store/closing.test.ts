import { expect, test } from 'vitest'
import { namedIssues } from './closing.ts'

test('the keywords of the forge close issues of the same repository, each once', () => {
  expect(namedIssues('Closes #1, fixes: #2 and resolved acme/library#3. Fix #1', 'Acme/Library')).toEqual([1, 2, 3])
})

test('a mere mention, another repository and a longer word close nothing', () => {
  expect(namedIssues('See #1. Closes other/library#2. Discloses #3. Closes#4', 'acme/library')).toEqual([])
})

test('an address and GH-n name issues too', () => {
  const text =
    'Closes https://forge.test/acme/library/issues/4, fixes GH-5, resolves http://a:1/other/library/issues/6.'
  expect(namedIssues(text, 'acme/library')).toEqual([4, 5])
})
