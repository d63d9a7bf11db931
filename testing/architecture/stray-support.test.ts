import { expect, test } from 'vitest'
import { houseOfTexts } from './house.ts'
import { straySupport } from './stray-support.ts'

/** What is stray in a tree whose programs start the product’s main and a harness of the laboratory. */
function strayIn(texts: Readonly<Record<string, string>>): readonly string[] {
  const tree = {
    'bin/statewright.mjs': "import '../cli/main.ts'",
    'bin/prove.mjs': "import '../property-tests/other.ts'",
    'cli/main.ts': "import './run.ts'",
    'cli/run.ts': '',
  }
  return straySupport.breaches(houseOfTexts({ ...tree, ...texts })).map(({ at }) => at)
}

test.each<[what: string, importer: string]>([
  ['a test', 'cli/fixture.test.ts'],
  ['test support', 'cli/testing/other.ts'],
  ['a contract suite', 'cli/contract/other.ts'],
  ['the laboratory', 'property-tests/other.ts'],
  ['a bench', 'bench/other.ts'],
])('a file of the product that only %s imports is named', (_what, importer) => {
  const found = strayIn({ 'cli/fixture.ts': '', [importer]: "import '../cli/fixture.ts'\nimport './fixture.ts'" })
  expect(found).toEqual(['cli/fixture.ts:1'])
})

test('a file that nothing imports is named, and what only such files import', () => {
  expect(strayIn({ 'cli/a.ts': "import './b.ts'", 'cli/b.ts': '' })).toEqual(['cli/a.ts:1', 'cli/b.ts:1'])
})

test('a file that names only itself is named', () => {
  expect(strayIn({ 'cli/a.ts': "throw new Error('a.ts')" })).toEqual(['cli/a.ts:1'])
})

test.each<[what: string, text: string]>([
  ['imported', "import '../fixture.ts'"],
  ['imported as a type', "import type { A } from '../fixture.ts'"],
  ['imported lazily', "const load = () => import('../fixture.ts')"],
  ['started by its path from there', "new URL('../fixture.ts', import.meta.url)"],
  ['started by a path from the root', "join(root, 'cli/fixture.ts')"],
  ['started by the parts of its path', "join(root, 'cli', 'fixture.ts')"],
])('a file that a program runs passes: %s', (_what, text) => {
  expect(strayIn({ 'cli/run.ts': "import './deep/x.ts'", 'cli/deep/x.ts': text, 'cli/fixture.ts': '' })).toEqual([])
})

test('support in its folder, tests and declarations pass', () => {
  const support = { 'cli/testing/x.ts': '', 'cli/x.test.ts': '', 'cli/contract/x.ts': '', 'cli/x.d.ts': '' }
  expect(strayIn({ ...support, 'property-tests/x.ts': '' })).toEqual([])
})
