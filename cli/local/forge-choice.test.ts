import { expect, test } from 'vitest'
import { dialectOf, forgeChoice } from './forge-choice.ts'

test('--forge takes a dialect of the local forge, and a typo is told with what it takes', () => {
  expect(forgeChoice(undefined)).toEqual({})
  expect(forgeChoice('gitlab')).toEqual({ forge: 'gitlab' })
  expect(() => forgeChoice('gitlap')).toThrow('--forge takes github or gitlab, not gitlap')
})

test('a folder keeps the dialect that it began with, and another one is refused with the way out', () => {
  const lab = { forgeApi: 'http://127.0.0.1:1/api/v4' }
  expect(dialectOf('d', undefined, undefined)).toBe('github')
  expect(dialectOf('d', undefined, lab)).toBe('gitlab')
  expect(dialectOf('d', 'gitlab', lab)).toBe('gitlab')
  expect(() => dialectOf('d', 'github', lab)).toThrow(
    'd has a forge that speaks the API of gitlab: leave out --forge, or name another folder with --dir',
  )
})
