import { expect, test } from 'vitest'
import { longFunctions } from './long-functions.ts'
import { houseOfTexts } from './house.ts'

function breachesOf(path: string, text: string): readonly string[] {
  return longFunctions.breaches(houseOfTexts({ [path]: text })).map(({ entry, count, at }) => `${at} ${entry} ${count}`)
}

/** A body that makes `head {` a function of so many lines. */
function ofLines(head: string, lines: number, tail = ''): string {
  return `${head} {\n${'  work()\n'.repeat(lines - 2)}}${tail}\n`
}

test.each<[what: string, text: string, complaint: string]>([
  ['a declared one', ofLines('\nexport function build()', 71), 'wrapper/x.ts:2 wrapper/x.ts build 71'],
  ['one in a constant', ofLines('const build = () =>', 71), 'wrapper/x.ts:1 wrapper/x.ts build 71'],
  ['a method', `class X {\n${ofLines('  build()', 80)}}`, 'wrapper/x.ts:2 wrapper/x.ts build 80'],
  ['a property', `const x = {\n${ofLines('  build: () =>', 71)}}`, 'wrapper/x.ts:2 wrapper/x.ts build 71'],
  ['a callback at the top', ofLines('use(() =>', 71, ')'), 'wrapper/x.ts:1 wrapper/x.ts (callback) 71'],
])('a function of the product over 70 lines is named: %s', (_what, text, complaint) => {
  expect(breachesOf('wrapper/x.ts', text)).toEqual([complaint])
})

test('a callback is named by the function around it', () => {
  const text = `function build() {\n${ofLines('  use(() =>', 71, ')')}}`
  expect(breachesOf('wrapper/x.ts', text)).toEqual([
    'wrapper/x.ts:1 wrapper/x.ts build 73',
    'wrapper/x.ts:2 wrapper/x.ts build (callback) 71',
  ])
})

test('70 lines pass, and so do tests and the laboratory', () => {
  expect(breachesOf('wrapper/x.ts', ofLines('function build()', 70))).toEqual([])
  const long = ofLines('function build()', 90)
  for (const path of ['wrapper/x.test.ts', 'wrapper/testing/x.ts', 'property-tests/x.ts', 'bench/x.ts'])
    expect(breachesOf(path, long)).toEqual([])
})
