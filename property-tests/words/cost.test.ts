/** R1 of the second look at the boundary: one comment stopped the orchestrator for seconds, each time it was judged. */
import { describe, expect, test } from 'vitest'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { linesOf } from '../../machines/rules/comment-text.ts'
import { commandsIn } from '../../machines/rules/commands.ts'
import { doubtIn } from '../../machines/rules/doubts.ts'
import { shownLines } from '../../machines/rules/shown-lines.ts'
import { drawnOf } from '../../testing/drawn.ts'
import { costFault, patterns, type Pattern } from './cost.ts'

/**
 * All that reads a comment, one after the other: the lines are found once and remembered, so that the sum costs hardly more
 * than each alone, and a sum within the bounds has no part beyond them.
 */
const readers = [judgeComment, commandsIn, doubtIn]

function readAll(text: string): void {
  for (const read of readers) read(text)
}

describe('the cost of reading a comment grows with its length alone', { timeout: 60_000 }, () => {
  test.each(Object.entries(patterns))('%s', (name, pattern) => {
    expect(costFault({ name, pattern, read: readAll })).toBeUndefined()
  })
  test('is also paid by a line that was read before, and is little there', () => {
    const text = patterns['dots behind a phrase']?.(64 * 1024) ?? ''
    readAll(text)
    expect(costFault({ name: 'read before', pattern: () => text, read: () => readAll(text) })).toBeUndefined()
  })
})

/** What reads a comment beside the others, and must be found too dear. */
const mutants: readonly { readonly name: string; readonly at: string; readonly read: (text: string) => unknown }[] = [
  {
    name: 'trims by an expression',
    at: 'dots behind a phrase',
    read: (text) => linesOf(text).said.map((line) => line.replace(/^[\s,.!:;-]+|[\s,.!:;-]+$/g, '')),
  },
  {
    name: 'trims a command by an expression',
    at: 'dots behind a command',
    read: (text) => linesOf(text).said.map((line) => line.replace(/[.!,:]+$/, '')),
  },
  {
    name: 'looks for an end of a phrase behind any number of words',
    at: 'words that nearly withdraw',
    read: (text) => linesOf(text).said.map((line) => line.search(/do not(?: \p{L}+)* implement/iu)),
  },
  {
    name: 'shows blocks of HTML of any length',
    at: 'cells',
    read: (text) => shownLines(text),
  },
]

describe('the law finds a reader that', { timeout: 120_000 }, () => {
  test.each(drawnOf(mutants, ({ name }) => name))('$name', ({ name, at, read }) => {
    const pattern = patterns[at] as Pattern
    // A quarter of the length: at the whole of it one run takes seconds.
    const readMore = (text: string): void => {
      readAll(text)
      read(text)
    }
    expect(costFault({ name, pattern: (length) => pattern(length / 4), read: readMore })).toMatch(/times the parser/)
  })
})
