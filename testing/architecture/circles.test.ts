import { expect, test } from 'vitest'
import { circles } from './circles.ts'
import { houseOfTexts } from './house.ts'

function circlesIn(sources: Readonly<Record<string, string>>): readonly string[] {
  return circles.breaches(houseOfTexts(sources)).map(({ entry, at }) => `${at} ${entry}`)
}

test.each<[what: string, back: string]>([
  ['a value', "import { a } from '../a.ts'"],
  ['a type', "import type { A } from '../a.ts'"],
  ['a re-export', "export { a } from '../a.ts'"],
  ['a lazy import', "export const a = () => import('../a.ts')"],
  ['a type named in place', "export type A = import('../a.ts').A"],
])('a circle by %s is named with its files', (_what, back) => {
  const found = circlesIn({ 'http/a.ts': "\nimport { b } from './b/b.ts'", 'http/b/b.ts': back })
  expect(found).toEqual(['http/a.ts:2 http/a.ts http/b/b.ts'])
})

test('a circle in the laboratory and one over three files count', () => {
  const found = circlesIn({
    'bench/a.ts': "import './b.ts'",
    'bench/b.ts': "import './c.ts'",
    'bench/c.ts': "import './a.ts'",
    'bench/d.ts': "import './c.ts'",
  })
  expect(found).toEqual(['bench/a.ts:1 bench/a.ts bench/b.ts bench/c.ts'])
})

test('two circles that share no file stand apart', () => {
  const found = circlesIn({
    'http/a.ts': "import './b.ts'\nimport './c.ts'",
    'http/b.ts': "import './a.ts'",
    'http/c.ts': "import './d.ts'",
    'http/d.ts': "import './c.ts'",
  })
  expect(found.toSorted()).toEqual(['http/a.ts:1 http/a.ts http/b.ts', 'http/c.ts:1 http/c.ts http/d.ts'])
})

test('files that meet again below make no circle', () => {
  const found = circlesIn({
    'http/a.ts': "import './b.ts'\nimport './c.ts'",
    'http/b.ts': "import './d.ts'",
    'http/c.ts': "import './d.ts'",
    'http/d.ts': "import 'node:fs'",
  })
  expect(found).toEqual([])
})
