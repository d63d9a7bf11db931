import { expect, test } from 'vitest'
import { weightLine } from '../rows/weight.ts'
import { houseOfTexts, type House } from './house.ts'
import { differences, type Listed } from './ratchet.ts'
import { lowered, weight } from './weight.ts'

const listed: Listed = { '!': 1, bench: 10, casts: 2, 'property-tests': 10, standins: 10, 'test kits': 10 }
const product = 'export const x = y! as string\nexport const z = <number>w\n'
const folders = {
  bench: 'bench/testing/x.ts',
  'property-tests': 'property-tests/contract/x.test.ts',
  standins: 'standins/x.tsx',
  'test kits': 'wrapper/testing/x.ts',
}

function houseWith(texts: Readonly<Record<string, string>>): House {
  const lines = Object.values(folders).map((path) => [path, '\n'.repeat(10)] as const)
  return houseOfTexts({ ...Object.fromEntries(lines), 'runtime/x.ts': product, ...texts })
}

function faults(house: House): readonly string[] {
  return differences(weight.breaches(house), listed, weight.remedy, weight.room)
}

test.each(Object.entries(folders))('lines of %s may exceed the number by 500, and no more', (name, path) => {
  expect(faults(houseWith({ [path]: '\n'.repeat(510) }))).toEqual([])
  expect(faults(houseWith({ [path]: '\n'.repeat(511) }))).toEqual([
    `testing/architecture/weight.json ${name}: 511, the list has 10. ${weight.remedy}`,
  ])
})

test('fewer lines are no fault: npm run generate lowers the number, and raises none', () => {
  const house = houseWith({ [folders.bench]: '\n'.repeat(7), [folders.standins]: '\n'.repeat(20) })
  expect(faults(house)).toEqual([])
  expect(lowered(house, listed)).toEqual({ ...listed, bench: 7 })
  expect(Object.keys(lowered(house, {}))).toEqual(Object.keys(listed))
})

test.each([
  ['cast', 'casts', 'export const a = b as string'],
  ['cast in angle brackets', 'casts', 'export const a = <string>b'],
  ['`!`', '!', 'export const a = b!'],
])('one more %s of the product fails, and the generator does not raise the number', (_what, entry, text) => {
  for (const path of ['runtime/y.ts', 'edges/inspector/page/y.tsx']) {
    const house = houseWith({ [path]: path.endsWith('x') ? text.replace('<string>b', 'b as string') : text })
    expect(faults(house)).toHaveLength(1)
    expect(faults(house)[0]).toContain(` ${entry}: ${listed[entry]! + 1}, the list has ${listed[entry]}. `)
    expect(lowered(house, listed)).toEqual(listed)
  }
})

test('one cast and one `!` fewer have to be lowered', () => {
  const house = houseWith({ 'runtime/x.ts': 'export const x = y as string' })
  expect(faults(house)).toEqual([
    '! fell from 1 to 0: write 0 into the list',
    'casts fell from 2 to 1: write 1 into the list',
  ])
  expect(lowered(house, listed)).toEqual({ ...listed, '!': 0, casts: 1 })
})

test('what overrules no type is no cast, and tests and kits may cast', () => {
  const none =
    'export const a = [1] as const\nexport const b = 1 satisfies number\nexport let c!: string\nexport const d = !a\n'
  const cast = 'export const a = b! as string\n'
  const house = houseWith({
    'runtime/y.ts': none,
    'runtime/x.test.ts': cast,
    'bin/x.test.ts': cast,
    [folders.bench]: cast,
  })
  expect(faults(house)).toEqual([])
})

test('lines a held row count the product, and all TypeScript', () => {
  const house = houseWith({ 'runtime/x.test.ts': '\n'.repeat(8), 'bin/x.mjs': '\n'.repeat(9) })
  expect(weightLine(house, 2)).toBe('product: 2 lines, 1 a held row; all TypeScript: 50 lines, 25 a held row')
  expect(weightLine(house, 0)).toBe('product: 2 lines, no held row; all TypeScript: 50 lines, no held row')
})
