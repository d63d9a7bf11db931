import { expect, test } from 'vitest'
import { FileRanker, weights, type FileCorpus, type Weights } from './file-ranker.ts'

const nothing: Pick<FileCorpus, 'changes' | 'links'> = { changes: [], links: [] }

function ranked(
  corpus: Partial<FileCorpus> & Pick<FileCorpus, 'files'>,
  text: string,
  found: Record<string, number[]>,
) {
  return new FileRanker({ ...nothing, ...corpus }).rank(text, new Map(Object.entries(found))).map(({ file }) => file)
}

test('a file that the question names comes before one whose path says the word twice', () => {
  const files = ['lib/hooks.ts', 'lib/hooks/hooks-list.ts', 'lib/reply.ts']
  const first = (given: Weights): string | undefined =>
    new FileRanker({ ...nothing, files }, given).rank('run hooks in order', new Map())[0]?.file
  expect(first(weights)).toBe('lib/hooks.ts')
  expect(first({ ...weights, named: 0 })).toBe('lib/hooks/hooks-list.ts')
})

test('a test is found with what it tests, and what it tests with the test', () => {
  const files = ['lib/router.ts', 'test/router.test.ts', 'lib/server.ts', 'src/Parser.java', 'it/ParserTest.java']
  expect(ranked({ files }, 'unrelated words', { 'lib/router.ts': [1] })).toEqual([
    'lib/router.ts',
    'test/router.test.ts',
  ])
  expect(ranked({ files }, 'unrelated words', { 'it/ParserTest.java': [1] })).toEqual([
    'it/ParserTest.java',
    'src/Parser.java',
  ])
})

test('a name that many files have ties none of them together', () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((folder) => `${folder}/index.ts`)
  expect(ranked({ files }, 'unrelated words', { 'a/index.ts': [1] })).toEqual(['a/index.ts'])
})

test('a change whose subject resembles the question brings its files, though no word of it is in them', () => {
  const files = ['lib/keep-alive.ts', 'lib/server.ts']
  const changes = [{ subject: 'Close idle sockets on shutdown', files: ['lib/keep-alive.ts'], at: 1 }]
  expect(ranked({ files, changes }, 'sockets stay open after shutdown', {})[0]).toBe('lib/keep-alive.ts')
})
