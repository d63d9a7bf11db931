import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lifecycleRows } from './lifecycle-rows.ts'

const citation = /\b(Project|Task|Pod|Turn|Queue|Issue|MergeRequest|IngestJob) ([A-Za-z][\w.-]*\/[\w.-]+):/g
const ruling = /(?:^|[\s(,[])(\d\.\d{1,2})\b/g
const title =
  /\b(?:test|it)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1|\]\s*(?:as const)?\)\(\s*(['"`])((?:\\.|(?!\3)[\s\S])*)\3/g

const here = import.meta.dirname

function titlesBelow(folder: string): readonly string[] {
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && path !== 'lifecycle-rows.test.ts')
    .map((path) => readFileSync(join(folder, path), 'utf8'))
  return tests.flatMap((text) => [...text.matchAll(title)].map((found) => found[2] ?? found[4] ?? ''))
}

const titles = titlesBelow(here)
const edgeTitles = ['edges', 'crd', 'cli', 'wrapper'].flatMap((folder) => titlesBelow(join(here, '..', folder)))

function cited(pattern: RegExp, among = titles): ReadonlySet<string> {
  return new Set(among.flatMap((one) => [...one.matchAll(pattern)].map((found) => found.slice(1).join(' '))))
}

const rows = Object.entries(lifecycleRows).flatMap(([machine, all]) =>
  Object.keys(all).map((row) => `${machine} ${row}`),
)

test('every row of the lifecycles is cited by the title of a test', () => {
  const found = cited(citation)
  expect(rows.filter((row) => !found.has(row))).toEqual([])
})

test('every citation is a row', () => {
  expect([...cited(citation)].filter((row) => !rows.includes(row))).toEqual([])
})

/** Rulings that the machines themselves uphold. */
const rulings = [
  ...['1.1', '1.2', '1.3', '1.6', '1.12', '1.13', '1.14', '1.18', '1.19', '1.21', '1.22', '1.26', '1.28', '1.29'],
  ...['3.2', '3.3', '3.4', '3.5', '3.11', '3.12', '3.13', '3.14', '3.15', '3.16', '3.23'],
  ...['4.2', '4.6', '4.7', '4.8', '4.9', '4.10', '4.11', '4.15', '4.16', '4.17', '4.28'],
  ...['5.2', '5.3', '5.4', '5.5', '5.6', '5.7', '5.8', '5.9', '5.10', '5.11', '5.12', '5.13', '5.14', '5.15'],
  ...['5.16', '5.17', '5.18', '5.19', '5.20', '5.21', '5.23', '5.24', '5.25', '5.26', '5.27', '5.28'],
]

test('every ruling about the machines is cited by the title of a test', () => {
  const found = cited(ruling)
  expect(rulings.filter((one) => !found.has(one))).toEqual([])
})

/** Those of the orchestrator's half that its edges and the wrapper uphold around the machines. */
const edgeRulings = [
  ...['1.4', '1.16', '1.23', '1.24', '1.27', '1.30', '3.14', '3.30', '3.32'],
  ...['4.3', '4.11', '4.12', '4.14', '4.17', '4.19', '4.20', '4.29', '5.1', '5.22'],
]

test('every ruling about what surrounds the machines is cited by the title of a test', () => {
  const found = cited(ruling, edgeTitles)
  expect(edgeRulings.filter((one) => !found.has(one))).toEqual([])
})
