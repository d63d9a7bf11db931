import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownLines } from './shown-lines.ts'

const paragraph = fc.array(fc.constantFrom('a', '/approve', ' ', '\n', '\t', '\u00a0', '>', '"', "'", '\f', '\u2028'))
const paragraphs = fc.array(paragraph.map((parts) => `<p>${parts.join('')}</p>\n`))

test('plain paragraphs show the lines that their tree shows (WORDS-2)', () => {
  fc.assert(
    fc.property(paragraphs, (parts) => {
      const html = parts.join('')
      // An element without words sends the same text through the tree.
      expect(shownLines(html)).toEqual({ ...shownLines(`${html}<span></span>`) })
    }),
  )
})

test.each([
  ['an element', '<p>a <b>b</b></p>'],
  ['an entity', '<p>a&#10;/approve</p>'],
  ['a paragraph that never ends', '<p>a'],
  ['words outside of a paragraph', 'a<p>b</p>'],
])('%s goes through the tree', (_name, html) => {
  expect(shownLines(html)).toEqual(shownLines(`${html}<span></span>`))
})
