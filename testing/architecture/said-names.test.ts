import { expect, test } from 'vitest'
import { houseOfTexts } from './house.ts'
import { saidNames } from './said-names.ts'

function saidIn(path: string, text: string): readonly string[] {
  return saidNames.breaches(houseOfTexts({ [path]: text })).map(({ entry, count, at }) => `${at} ${entry} ${count}`)
}

test.each<[what: string, text: string]>([
  ['a constant', 'const said = 1'],
  ['a function', 'function tellIssues() {}'],
  ['a type', 'type Told = 1'],
  ['an interface', 'interface Said {}'],
  ['a class', 'class TellTale {}'],
  ['a member of a type', 'type A = { says: string }'],
  ['a method', 'class A { markTold() {} }'],
  ['a private field', 'class A { #told = 1 }'],
  ['a property', 'f({ said: 1 })'],
  ['a parameter', 'function f(said: string) {}'],
  ['a parameter of an arrow', 'const f = (told: string) => 1'],
  ['a part of a pattern', 'const { a: toldOf, b } = c'],
  ['a part of a list', 'const [first, said] = c'],
  ['one with a default', 'function f({ say = 1 }) {}'],
  ['the rest', 'const { a, ...said } = c'],
  ['a constant in capitals', 'const MOST_TOLD = 1'],
])('a name with such a word is counted: %s', (_what, text) => {
  expect(saidIn('wrapper/x.ts', `\n${text}`)).toEqual(['wrapper/x.ts:2 wrapper/x.ts 1'])
})

test.each<[what: string, path: string, text: string]>([
  ['words that only hold one', 'wrapper/x.ts', 'const essay = 1, teller = 2, retold = 3, saying = 4'],
  ['a use of another file’s name', 'wrapper/x.ts', "import { said } from './y.ts'\nsaid(a.told, { said })"],
  ['a text or a comment', 'wrapper/x.ts', "// it said so\nf('told')"],
  ['a test', 'wrapper/x.test.ts', 'const said = 1'],
  ['test support', 'wrapper/testing/x.ts', 'const said = 1'],
  ['the laboratory', 'property-tests/x.ts', 'const said = 1'],
])('%s passes', (_what, path, text) => {
  expect(saidIn(path, text)).toEqual([])
})
