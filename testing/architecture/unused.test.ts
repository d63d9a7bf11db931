import { describe, expect, test } from 'vitest'
import { houseOfTexts } from './house.ts'
import { unused } from './unused.ts'

function unusedIn(texts: Readonly<Record<string, string>>): readonly string[] {
  return unused.breaches(houseOfTexts(texts)).map(({ entry, at }) => `${at} ${entry}`)
}

describe('a name that the product exports and no other file imports is named', () => {
  test.each([
    ['a function', 'export function a() {}'],
    ['a constant', 'export const a = 1'],
    ['a part of a pattern', 'export const { a } = whole'],
    ['a type', 'export type a = 1'],
    ['an interface', 'export interface a {}'],
    ['a class', 'export class a {}'],
    ['in a list', 'const b = 1; export { b as a }'],
    ['a name of another file', "export { a } from './other.ts'"],
    ['one that its own file uses', 'export const a = 1; f(a)'],
  ])('%s', (_what, text) => {
    expect(unusedIn({ 'wrapper/x.ts': `\n${text}` })).toEqual(['wrapper/x.ts:2 wrapper/x.ts a'])
  })

  test('also beside one that is used, and in the inspector’s page', () => {
    const user = { 'wrapper/y.ts': "import { b } from './x.ts'" }
    expect(unusedIn({ 'wrapper/x.ts': 'export const a = 1, b = 2', ...user })).toEqual([
      'wrapper/x.ts:1 wrapper/x.ts a',
    ])
    const page = 'edges/inspector/page/x.tsx'
    expect(unusedIn({ [page]: 'export const a = 1' })).toEqual([`${page}:1 ${page} a`])
  })
})

test.each<[what: string, path: string, text: string]>([
  ['an import', 'wrapper/y.ts', "import { a } from './x.ts'"],
  ['an import under another name', 'wrapper/y.ts', "import { a as b } from './x.ts'"],
  ['a type import', 'wrapper/y.ts', "import type { a } from './x.ts'"],
  ['a type named in place', 'wrapper/y.ts', "type B = import('./x.ts').a"],
  ['a re-export', 'wrapper/testing/y.ts', "export { a as b } from '../x.ts'"],
  ['the whole', 'wrapper/y.ts', "import * as x from './x.ts'"],
  ['a lazy import', 'wrapper/y.ts', "const load = () => import('./x.ts')"],
  ['a lazy import taken apart', 'wrapper/y.ts', "const { a } = await import('./x.ts')"],
  ['a member of a lazy import', 'wrapper/y.ts', "(await import('./x.ts')).a()"],
  ['a lazy import with a callback', 'wrapper/y.ts', "import('./x.ts').then(({ a }) => a())"],
  ['a test', 'wrapper/x.test.ts', "import { a } from './x.ts'"],
  ['the laboratory', 'bench/y.ts', "import { a } from '../wrapper/x.ts'"],
  ['a program', 'bin/y.mjs', "import { a } from '../wrapper/x.ts'"],
  ['the inspector’s page', 'edges/inspector/page/y.tsx', "import { a } from '../../../wrapper/x.ts'"],
])('%s is a use', (_what, path, text) => {
  expect(unusedIn({ 'wrapper/x.ts': 'export const a = 1', [path]: text })).toEqual([])
})

test.each([
  ["const { b } = await import('./x.ts')"],
  ["(await import('./x.ts')).b()"],
  ["import('./x.ts').then(({ b }) => b())"],
  ["type B = import('./x.ts').b"],
  ["export { b } from './x.ts'"],
  ["export { b as a } from './x.ts'"],
])('an import takes only what it names: %s', (text) => {
  expect(
    unusedIn({ 'wrapper/x.ts': 'export const a = 1, b = 2', 'bench/y.ts': text.replace('./', '../wrapper/') }),
  ).toEqual(['wrapper/x.ts:1 wrapper/x.ts a'])
})

test('the laboratory and tests may export what they like', () => {
  const text = 'export const a = 1'
  expect(unusedIn({ 'bench/x.ts': text, 'wrapper/testing/x.ts': text, 'wrapper/x.test.ts': text })).toEqual([])
})

describe('a dependency', () => {
  const manifest = '{\n  "dependencies": {\n    "left-pad": "1.0.0"\n  }\n}'

  test('that the product does not name is named, whatever tests import', () => {
    const user = { 'wrapper/x.test.ts': "import pad from 'left-pad'" }
    expect(unusedIn({ 'package.json': manifest, ...user })).toEqual(['package.json:3 package.json left-pad'])
  })

  test.each([["import pad from 'left-pad'"], ["require.resolve('left-pad/pad.wasm')"]])('is used by %s', (text) => {
    expect(unusedIn({ 'package.json': manifest, 'wrapper/x.ts': text })).toEqual([])
  })
})
