import { expect, test } from 'vitest'
import { joined, markOf, marksIn, withMark, withoutMarks, withoutType } from './pending-marks.ts'

const first = { seq: 9, idx: 0, type: 'postComment' }
const second = { seq: 10, idx: 2, type: 'setLabels' }
const both = withMark(withMark(null, first), second)

test('an actor without pending effects has no marks, and the first one is the whole text', () => {
  expect(withMark(null, first)).toBe(markOf(first))
  expect(marksIn(both)).toEqual([markOf(first), markOf(second)])
})

test('marks go alone or together, and with the last one the text', () => {
  expect(withoutMarks(both, [markOf(first)])).toBe(markOf(second))
  expect(withoutMarks(both, [markOf(second), markOf(first)])).toBeNull()
  expect(withoutMarks(markOf(first), [markOf(first)])).toBeNull()
  expect(withoutMarks(null, [markOf(first)])).toBeNull()
})

test('a mark is told from one that it begins or ends', () => {
  const alike = joined(['1.1:a', '11.1:a', '1.1:ab', '1.11:a'])
  expect(withoutMarks(alike, ['1.1:a'])).toBe(joined(['11.1:a', '1.1:ab', '1.11:a']))
})

test('a type is withdrawn by its whole name', () => {
  const pending = joined(['1.0:label', '2.0:setLabel', '3.0:label:set', '4.0:label'])
  expect(withoutType(pending, 'label')).toBe(joined(['2.0:setLabel', '3.0:label:set']))
  expect(withoutType('1.0:label', 'label')).toBeNull()
})
