import { micromark } from 'micromark'
import { describe, expect, test } from 'vitest'
import { costFault, of, patterns, type Pattern } from '../../property-tests/words/cost.ts'
import { readDocument } from './documents.ts'

test('Markdown links, images and definitions are found with the line they stand in, headings with their words (EXTRACTION-1)', () => {
  const { links, headings } = readDocument(
    'a.md',
    `\uFEFF# The \`code\` of <b>[one](one.md)</b> &amp; *two*

A line, \`code
of two lines\`, then [a
link](<two words.md> "title") and ![an ![inner](no.md)
image](three.png), [by its label][label].
- > <https://example.test/a b> <mailto:a@example.test>
  >
  > [label]: four%20.md
  > "title"

Two  
lines
=====
\`[no](code.md)\` [empty]()`,
  )
  expect(links).toEqual([
    { target: 'one.md', line: 1 },
    { target: 'two words.md', line: 4 },
    { target: 'three.png', line: 5 },
    { target: 'mailto:a@example.test', line: 7 },
    { target: 'four%20.md', line: 9 },
    { target: '', line: 15 },
  ])
  expect(headings).toEqual([
    { title: 'The code of <b>one</b> & two', line: 1, depth: 1 },
    { title: 'Twolines', line: 12, depth: 1 },
  ])
})

test('one line may hold as many links as fit into the largest file', () => {
  const most = 200_000
  expect(readDocument('a.md', '[](a)'.repeat(most)).links).toHaveLength(most)
})

/** A file of a repository is read in the thread that also answers, and anybody may have written it. */
const costly: Readonly<Record<string, Pattern>> = {
  ...Object.fromEntries(
    [
      'quotes with lazy lines',
      'many quotes',
      'lists of phrases',
      'definitions of links',
      'links',
      'line feeds that are entities',
      'elements within a line',
    ].map((name) => [name, patterns[name] as Pattern]),
  ),
  'lists in lists': of('- '),
  'ends of links': of(']'),
  headings: of('# a\n'),
}

describe('the cost of reading a document grows with its length alone', { timeout: 60_000 }, () => {
  test.each(Object.entries(costly))('%s', (name, pattern) => {
    expect(costFault({ name, pattern, read: (text) => readDocument('a.md', text) })).toBeUndefined()
  })

  test('which micromark breaks', () => {
    // A 24th of the length: at the whole of it one run takes minutes.
    const pattern: Pattern = (length) => of('- ')(length / 24)
    expect(costFault({ name: 'micromark', pattern, read: (text) => micromark(text) })).toMatch(/times the parser/)
  })
})
