import { expect, test } from 'vitest'
import { deadPaths } from './dead-paths.ts'
import { houseOfTexts } from './house.ts'

/** What is dead in this file of a tree with two sources, a page and a folder. */
function deadIn(path: string, text: string): readonly string[] {
  const tree = {
    'runtime/clock.ts': '',
    'edges/git/wire.ts': '',
    'docs/laws.md': '',
    'decisions/0001-jose.md': '',
    [path]: text,
  }
  return deadPaths.breaches(houseOfTexts(tree)).map(({ entry, at }) => `${at} ${entry}`)
}

test.each<[what: string, path: string, text: string, complaint: string]>([
  ['in a comment', 'edges/x.ts', 'f()\n// runtime/gone.ts has it', 'edges/x.ts:2 edges/x.ts runtime/gone.ts'],
  ['on a later line', 'edges/x.ts', '/**\n * (`runtime/gone.ts`)\n */', 'edges/x.ts:2 edges/x.ts runtime/gone.ts'],
  ['in a program', 'bin/x.mjs', '// see edges/gone/', 'bin/x.mjs:1 bin/x.mjs edges/gone'],
  ['without its folder', 'edges/x.ts', '// (`gone.ts`)', 'edges/x.ts:1 edges/x.ts gone.ts'],
  ['in a page', 'docs/x.md', 'Text.\nSee runtime/gone.ts.', 'docs/x.md:2 docs/x.md runtime/gone.ts'],
  ['by a link', 'docs/x.md', '[laws](gone.md#one)', 'docs/x.md:1 docs/x.md docs/gone.md'],
  [
    'in a decision',
    'decisions/0001-x.md',
    '`edges/gone.ts`',
    'decisions/0001-x.md:1 decisions/0001-x.md edges/gone.ts',
  ],
  ['the number of a decision', 'edges/x.ts', '// decisions/0099', 'edges/x.ts:1 edges/x.ts decisions/0099'],
  [
    'in a note of a row',
    'testing/rows/x.json',
    '{"note":"docs/gone.md"}',
    'testing/rows/x.json:1 testing/rows/x.json docs/gone.md',
  ],
  ['under the name of a folder', 'edges/x.ts', '// runtime/git/', 'edges/x.ts:1 edges/x.ts runtime/git'],
])('a path that does not exist is named: %s', (_what, path, text, complaint) => {
  expect(deadIn(path, text)).toEqual([complaint])
})

test.each<[what: string, path: string, text: string]>([
  ['a file, a folder and a line of it', 'edges/x.ts', '// runtime/clock.ts, edges/git/ and runtime/clock.ts:58.'],
  ['the end of a source', 'edges/x.ts', '// `wire.ts` and `git/wire.ts`'],
  ['a path from the file’s folder', 'edges/README.md', '`git/wire.ts`, [wire](git/wire.ts), [laws](../docs/laws.md)'],
  ['a placeholder', 'edges/x.ts', '// runtime/<kind>.ts, runtime/*.ts, runtime/{a,b}.ts, runtime/NAME.ts'],
  ['an address and another tree', 'edges/x.ts', '// https://x.org/runtime/gone.ts, vendor/runtime/gone.ts'],
  ['the number of a decision that is there', 'edges/x.ts', '// decisions/0001'],
  ['words with a slash', 'edges/x.ts', '// runtime/edges of git, docs/page.rst'],
  ['code', 'edges/x.ts', "const x = 'runtime/gone.ts'"],
  ['the changelog', 'CHANGELOG.md', 'runtime/gone.ts'],
  ['what is built', 'docs/x.md', '`dist/gone.mjs`'],
  ['an expression that looks like a link', 'docs/x.md', '`[a](gone)`'],
])('%s passes', (_what, path, text) => {
  expect(deadIn(path, text)).toEqual([])
})
