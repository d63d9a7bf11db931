import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { citationFinder, citationsIn, outsideCitation, unknownCitations } from './citations.ts'
import { faultsOf, heldBy, heldElsewhere, Unheld, type Report } from './held.ts'
import { drawn, filesOf, mutate, Mutation } from './mutations.ts'
import { doubled, heldPages, readRows, rowsIn } from './pages.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const rows = readRows(root)
/** Those that tests hold, or a list says why not. */
const held = readRows(root, heldPages)
const unheld = Parse(Unheld, JSON.parse(read('testing/rows/unheld.json')))
/** A landed migration's text is part of every store that ran it, and the changelog and these tests tell of what was. */
const frozen = /(^|\/)migrations\/.*\.sql$|^CHANGELOG\.md$|^testing\/rows\/|^runtime\/store\/schema\.sql$/
const files = globSync(['**/*.{ts,mjs,md,sql,yaml,sh}', '.ci/*'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'dist/**', '.git/**'],
}).filter((path) => !frozen.test(path) && statSync(join(root, path)).isFile())

describe('the rows of the contract, the rules and the laws', () => {
  test('have an id each', () => {
    expect(rows.length).toBeGreaterThan(1500)
    expect(doubled(rows)).toEqual([])
  })

  test('are there for each id that a source or a page cites', () => {
    const find = citationFinder(rows)
    const citations = files.flatMap((path) => citationsIn(path, read(path), find))
    expect(citations.length).toBeGreaterThan(rows.length)
    expect(unknownCitations(rows, citations)).toEqual([])
  })

  test('took the place of documents that the repository does not hold', () => {
    const found = files.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => (outsideCitation(line) === undefined ? [] : [`${path}:${index + 1} ${line.trim()}`])),
    )
    expect(found).toEqual([])
  })

  test('of the rules name files that are there', () => {
    const named = [...read('docs/rules.md').matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(200)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('that no test holds are listed one a line with a reason, and are rows', () => {
    const lines = read('testing/rows/unheld.json').trim().split('\n').slice(1, -1)
    expect(lines.filter((line) => !/^ "[A-Z0-9-]+": \{.*\},?$/.test(line))).toEqual([])
    expect(Object.keys(unheld).filter((id) => !held.some((row) => row.id === id))).toEqual([])
  })

  test('are cited by the words of a test, where no list says why not', () => {
    const tests = files
      .filter((path) => path.endsWith('.ts'))
      .map(read)
      .filter((text) => /\b(test|it)\b/.test(text))
    const words = tests.flatMap((text) => text.split('\n')).filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))
    const cited = new Set(words.flatMap(citationFinder(held)))
    expect(held.map(({ id }) => id).filter((id) => !cited.has(id) && !Object.hasOwn(unheld, id))).toEqual([])
  })

  test.each(Object.entries(heldElsewhere))('of %s are cited by a test of their command', (why, patterns) => {
    const ids = Object.keys(unheld).filter((id) => unheld[id]?.why === why)
    const files = globSync([...patterns], { cwd: root, exclude: ['node_modules'] })
    const find = citationFinder(held)
    const cited = new Set(files.flatMap((file) => find(read(file))))
    expect(ids.filter((id) => !cited.has(id))).toEqual([])
    expect(ids.length).toBeGreaterThan(0)
  })

  test('are broken by mutations that still apply: each is of a row, and its text stands in its file once', () => {
    const mutations = Parse(Type.Array(Mutation), JSON.parse(read('testing/rows/mutations.json')))
    const ids = new Set(held.map(({ id }) => id))
    expect(mutations.flatMap((mutation) => whyStale(mutation, ids))).toEqual([])
  })
})

function whyStale(mutation: Mutation, held: ReadonlySet<string>): readonly string[] {
  const { id, file } = mutation
  if (!held.has(id)) return [`${id}: no page has this row`]
  if (!existsSync(join(root, file))) return [`${id}: ${file} is gone`]
  const source = read(file)
  try {
    return mutate(mutation, source) === source ? [`${id}: it changes nothing`] : []
  } catch (error) {
    return [(error as Error).message]
  }
}

describe('what is noticed', () => {
  const page = '| id | rule |\n|---|---|\n| MERGE-2 | a |\n| MERGE-10 | b |\n| TASK-MOVES-1 | c |\n'
  const some = rowsIn('docs/x.md', page)
  const find = citationFinder(some)
  const report = (status: string, fullName: string): Report => ({
    testResults: [{ name: '/x.test.ts', assertionResults: [{ fullName, status }] }],
  })

  test('rows of a table, with the line', () => {
    expect(some.map(({ id, line }) => `${id}:${line}`)).toEqual(['MERGE-2:3', 'MERGE-10:4', 'TASK-MOVES-1:5'])
    expect(doubled([...some, some[0]!])).toEqual(['MERGE-2'])
  })

  test.each([
    ['merges (MERGE-2, MERGE-10)', ['MERGE-2', 'MERGE-10']],
    ['MERGE-2: a sentence', ['MERGE-2']],
    ['an id that no page has: MERGE-99', ['MERGE-99']],
    ['no area of ours: SHA-256 and UTF-8', []],
    ['a part of another word: XMERGE-2, MERGE-2b, A-MERGE-2', []],
    ['the longer area: TASK-MOVES-1', ['TASK-MOVES-1']],
  ])('%s', (text, ids) => expect(find(text)).toEqual(ids))

  test('a citation of a row that is not there', () => {
    const citations = citationsIn('a.ts', 'x\n// (MERGE-3)', find)
    expect(unknownCitations(some, citations)).toEqual(['a.ts:2 cites MERGE-3, which no page has'])
  })

  test.each(['(rulings 4.12)', 'as document 3 says', 'S3 Labels', 'S2 "Events"', 'gone [H24]', 'law 9', '(facts 10)'])(
    'a citation of what the repository does not hold: %s',
    (text) => expect(outsideCitation(text)).toBeDefined(),
  )

  test.each(['AWS S3 is not meant: s3', 'by law', 'LAW-9', 'this document', '[H] and [1]'])(
    'no such citation: %s',
    (text) => expect(outsideCitation(text)).toBeUndefined(),
  )

  test('a test that passed holds what its title cites, and no other does', () => {
    expect([...heldBy(report('passed', 'merging merges (MERGE-2)'), find)]).toEqual(['MERGE-2'])
    expect([...heldBy(report('failed', 'merging merges (MERGE-2)'), find)]).toEqual([])
    expect([...heldBy(report('skipped', 'merging merges (MERGE-2)'), find)]).toEqual([])
  })

  test('a row without test or reason, a reason without need, and one without row', () => {
    const unheld: Unheld = { 'MERGE-2': { why: 'untested', note: 'x' }, 'MERGE-7': { why: 'wrong', note: 'x' } }
    expect(faultsOf(some, new Set(['MERGE-2', 'TASK-MOVES-1']), unheld)).toEqual([
      'docs/x.md:4 MERGE-10: no test that passed in this run cites it',
      'MERGE-2 is held now: take it out of the list',
      'MERGE-7 is listed as unheld, and no page has it',
    ])
    const listed: Unheld = { 'MERGE-2': { why: 'untested', note: 'x' } }
    expect(faultsOf(some, new Set(['MERGE-10', 'TASK-MOVES-1']), listed)).toEqual([])
  })

  test('mutations are drawn by their seed, each once, and edit one place', () => {
    const all = ['A-1', 'A-2', 'A-3', 'A-4'].map((id) => ({ id, file: 'x.ts', old: 'a', new: '$&b' }))
    const order = (seed: number): string =>
      drawn(all, 4, seed)
        .map(({ id }) => id)
        .join()
    expect(order(1)).toBe(order(1))
    expect(new Set([1, 2, 3, 4, 5].map(order)).size).toBeGreaterThan(1)
    expect(
      drawn(all, 9, 1)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['A-1', 'A-2', 'A-3', 'A-4'])
    expect(mutate(all[0]!, 'xay')).toBe('x$&by')
    expect(() => mutate(all[0]!, 'aa')).toThrow('stands 2 times')
    expect(filesOf(report('passed', 'merges (MERGE-2)'), 'MERGE-2', find)).toEqual(['/x.test.ts'])
  })
})
