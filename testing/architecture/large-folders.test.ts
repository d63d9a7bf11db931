import { expect, test } from 'vitest'
import { houseOfTexts } from './house.ts'
import { largeFolders } from './large-folders.ts'
import { differences, readList, type Listed } from './ratchet.ts'

function faultsOf(files: number, listed: Listed): readonly string[] {
  const names = Array.from({ length: files }, (_, index) => `cli/x${index}${index % 2 ? '.test' : ''}.ts`)
  const house = houseOfTexts(Object.fromEntries([...names, 'cli/deep/y.ts', 'cli/z.md'].map((name) => [name, ''])))
  return differences(largeFolders.breaches(house), listed, largeFolders.remedy)
}

test('a folder has at most 25 files of TypeScript, tests counted, and those below it are its own', () => {
  expect(faultsOf(25, {})).toEqual([])
  expect(faultsOf(26, {})).toEqual([`cli/ cli: 26, the list has none. ${largeFolders.remedy}`])
})

test('a listed one may not grow, and leaves the list where it shrank', () => {
  expect(faultsOf(27, { cli: 26 })).toHaveLength(1)
  expect(faultsOf(26, { cli: 27 })).toEqual(['cli fell from 27 to 26: write 26 into the list'])
  expect(faultsOf(25, { cli: 26 })).toEqual(['cli is gone: strike it from the list'])
})

test('at most twelve are listed', () => {
  expect(Object.keys(readList('large-folders')).length).toBeLessThanOrEqual(12)
})
