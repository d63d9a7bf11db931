import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lifecycleRows } from './lifecycle-rows.ts'

const citation = /\b(Project|Task|Pod|Turn|Queue|Issue|MergeRequest|IngestJob) ([A-Za-z][\w.-]*\/[\w.-]+):/g
const ruling = /(?:^|[\s(,[])(\d\.\d{1,2})\b/g
const title =
  /\b(?:test|it)(?:\.each\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1|\]\s*(?:as const)?\)\(\s*(['"`])((?:\\.|(?!\3)[\s\S])*)\3/g

const here = import.meta.dirname
const texts = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && path !== 'lifecycle-rows.test.ts')
  .map((path) => readFileSync(join(here, path), 'utf8'))
const titles = texts.flatMap((text) => [...text.matchAll(title)].map((found) => found[2] ?? found[4] ?? ''))

function cited(pattern: RegExp): ReadonlySet<string> {
  return new Set(titles.flatMap((one) => [...one.matchAll(pattern)].map((found) => found.slice(1).join(' '))))
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

/** Rulings that the machines themselves uphold; those of edges, wrapper and memory are tested there. */
const rulings = [
  ...['1.1', '1.2', '1.3', '1.6', '1.12', '1.13', '1.14', '1.18', '1.19', '1.21', '1.26', '1.28', '1.29'],
  ...['3.2', '3.3', '3.4', '3.5', '3.11', '3.12', '3.13', '3.14', '3.15', '3.16'],
  ...['4.6', '4.7', '4.8', '4.9', '4.11', '4.15', '4.16', '4.17', '4.28'],
  ...['5.2', '5.3', '5.5', '5.9', '5.11', '5.12', '5.13', '5.14', '5.15', '5.16', '5.17', '5.18', '5.19'],
]

test('every ruling about the machines is cited by the title of a test', () => {
  const found = cited(ruling)
  expect(rulings.filter((one) => !found.has(one))).toEqual([])
})
