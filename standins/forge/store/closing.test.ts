import { expect, test } from 'vitest'
import { namedIssues } from './closing.ts'

test('the keywords of the forge close issues of the same repository, each once', () => {
  expect(namedIssues('Closes #1, fixes: #2 and resolved acme/library#3. Fix #1', 'Acme/Library')).toEqual([1, 2, 3])
})

test('a mere mention, another repository and a longer word close nothing', () => {
  expect(namedIssues('See #1. Closes other/library#2. Discloses #3. Closes#4', 'acme/library')).toEqual([])
})
