/** R1 of the second look at the boundary: one comment stopped the orchestrator for seconds, each time it was judged. */
import { describe, expect, test } from 'vitest'
import { judgeComment } from '../../machines/rules/approval-grammar.ts'
import { linesOf } from '../../machines/rules/comment-text.ts'
import { commandsIn } from '../../machines/rules/commands.ts'
import { shownLines } from '../../machines/rules/shown-lines.ts'
import { costFault, patterns, type Pattern } from './cost.ts'

const readers = { judgeComment, commandsIn }
const cases = Object.entries(readers).flatMap(([reader, read]) =>
  Object.entries(patterns).map(([name, pattern]) => ({ reader, name, pattern, read })),
)

describe('the cost of reading a comment grows with its length alone', { timeout: 60_000 }, () => {
  test.each(cases)('$reader: $name', ({ name, pattern, read }) => {
    expect(costFault({ name, pattern, read })).toBeUndefined()
  })
  test('is also paid by a line that was read before, and is little there', () => {
    const text = patterns['dots behind a phrase']?.(64 * 1024) ?? ''
    judgeComment(text)
    expect(costFault({ name: 'read before', pattern: () => text, read: () => judgeComment(text) })).toBeUndefined()
  })
})

/** What is measured instead of one reader, and must be found too dear. */
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
    name: 'shows blocks of HTML of any length',
    at: 'cells',
    read: (text) => shownLines(text),
  },
]

describe('the law finds a reader that', { timeout: 120_000 }, () => {
  test.each(mutants)('$name', ({ name, at, read }) => {
    const pattern = patterns[at] as Pattern
    // A quarter of the length: at the whole of it one run takes seconds.
    expect(costFault({ name, pattern: (length) => pattern(length / 4), read })).toMatch(/times the parser/)
  })
})
