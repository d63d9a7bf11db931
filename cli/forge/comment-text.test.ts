import { expect, test } from 'vitest'
import { planComment } from '../../machines/issue/plan.ts'
import { topicMarker, withMarkers } from '../../edges/forge/marker.ts'
import { commentLines } from './comment-text.ts'

const hash = 'ab'.repeat(32)

test('the plan of a comment is read without markup of a page, marks and heaps of empty lines', () => {
  const comment = withMarkers(planComment(hash, '1. Greet by name.\n\n\n2. Test it.\n\n'), topicMarker('plan'))
  expect(commentLines(comment).slice(1)).toEqual([
    '',
    '  Plan abababab',
    '',
    '  1. Greet by name.',
    '',
    '  2. Test it.',
  ])
})

test('what an agent or a person wrote of the same markup stays as it was written', () => {
  const words = 'Use <details> here, and <summary>.'
  expect(commentLines(planComment(hash, words)).at(-1)).toBe(`  ${words}`)
  expect(commentLines('A <b>bold</b> word\r\nof <code>x</code>')).toEqual([
    '  A <b>bold</b> word',
    '  of <code>x</code>',
  ])
})

test('a block that a person folded is shown unfolded, and no line of it is one of ours', () => {
  const folded = '<details>\n<summary>The log</summary>\n\nline 1\nline 2\n</details>\nend'
  expect(commentLines(folded)).toEqual(['  The log', '', '  line 1', '  line 2', '  end'])
})

test('markup in a block of code is code', () => {
  expect(commentLines('```\n<details>\n\n\n</details>\n```')).toEqual([
    ...['  ```', '  <details>', '', '', '  </details>', '  ```'],
  ])
})
