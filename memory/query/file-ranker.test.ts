import { expect, test } from 'vitest'
import { fileKey, FileRanker, rankFiles, weights, type Change, type Weights } from './file-ranker.ts'

interface Corpus {
  readonly files: readonly string[]
  readonly changes?: readonly Change[]
}

function rankerOf({ files, changes = [] }: Corpus, repo = 'one'): FileRanker {
  const ranker = new FileRanker(repo)
  for (const file of files) ranker.addFile(file)
  for (const [at, change] of changes.entries()) ranker.addChange(`c${at}`, change)
  return ranker
}

function ranked(ranker: FileRanker, text: string, found: Record<string, number[]>, given?: Weights): string[] {
  const chunks = Object.entries(found).map(([file, scores]) => [fileKey(ranker.repo, file), scores] as const)
  return rankFiles(new Map([[ranker.repo, ranker]]), text, new Map(chunks), given).map(({ file }) => file)
}

test('a file that the question names comes before one whose path says the word twice', () => {
  const ranker = rankerOf({ files: ['lib/hooks.ts', 'lib/hooks/hooks-list.ts', 'lib/reply.ts'] })
  expect(ranked(ranker, 'run hooks in order', {})[0]).toBe('lib/hooks.ts')
  expect(ranked(ranker, 'run hooks in order', {}, { ...weights, named: 0 })[0]).toBe('lib/hooks/hooks-list.ts')
})

test('a test is found with what it tests, and what it tests with the test', () => {
  const files = ['lib/router.ts', 'test/router.test.ts', 'lib/server.ts', 'src/Parser.java', 'it/ParserTest.java']
  expect(ranked(rankerOf({ files }), 'unrelated words', { 'lib/router.ts': [1] })).toEqual([
    'lib/router.ts',
    'test/router.test.ts',
  ])
  expect(ranked(rankerOf({ files }), 'unrelated words', { 'it/ParserTest.java': [1] })).toEqual([
    'it/ParserTest.java',
    'src/Parser.java',
  ])
})

test('a name that many files have ties none of them together', () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((folder) => `${folder}/index.ts`)
  expect(ranked(rankerOf({ files }), 'unrelated words', { 'a/index.ts': [1] })).toEqual(['a/index.ts'])
})

test('a change whose subject resembles the question brings its files, though no word of it is in them', () => {
  const files = ['lib/keep-alive.ts', 'lib/server.ts']
  const changes = [{ subject: 'Close idle sockets on shutdown', files: ['lib/keep-alive.ts'], at: 1 }]
  expect(ranked(rankerOf({ files, changes }), 'sockets stay open after shutdown', {})[0]).toBe('lib/keep-alive.ts')
})

test('what came and went leaves the ranking as it was', () => {
  const files = ['lib/keep-alive.ts', 'lib/server.ts', 'lib/socket.ts']
  const year = 365.25 * 86_400_000
  const changes = [
    { subject: 'Close idle sockets', files: ['lib/keep-alive.ts', 'lib/server.ts'], at: 9 * year },
    { subject: 'Name the server', files: ['lib/server.ts'], at: 7 * year },
  ]
  const before = rankerOf({ files, changes })
  const after = rankerOf({ files: ['lib/gone.ts', ...files], changes })
  after.addChange('gone', { subject: 'idle server sockets', files: ['lib/gone.ts', 'lib/socket.ts'], at: 8 * year })
  after.removeChange('gone')
  after.removeFile('lib/gone.ts')
  const all = (ranker: FileRanker): unknown =>
    rankFiles(new Map([['one', ranker]]), 'idle sockets of a server', new Map()).map(({ file, score }) => [
      file,
      score.toFixed(9),
    ])
  expect(all(after)).toEqual(all(before))
})

test('files of several repositories are ranked in one list', () => {
  const rankers = new Map([
    ['one', rankerOf({ files: ['lib/a.ts'] }, 'one')],
    ['two', rankerOf({ files: ['lib/a.ts', 'lib/b.ts'] }, 'two')],
  ])
  const chunks = new Map([
    [fileKey('one', 'lib/a.ts'), [1]],
    [fileKey('two', 'lib/b.ts'), [3]],
  ])
  expect(rankFiles(rankers, 'unrelated words', chunks).map(({ repo, file }) => `${repo} ${file}`)).toEqual([
    'two lib/b.ts',
    'one lib/a.ts',
  ])
})

test('a repository of 200,000 files that all share a word of the question is ranked', () => {
  const ranker = rankerOf({ files: Array.from({ length: 200_000 }, (_, at) => `source/part${at}.ts`) })
  expect(ranked(ranker, 'the source', {})).toHaveLength(200_000)
})
