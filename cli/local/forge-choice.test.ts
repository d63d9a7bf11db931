import { expect, test } from 'vitest'
import { forgeChoice } from './forge-choice.ts'

test('--forge takes a dialect of the local forge, and a typo is told with what it takes', () => {
  expect(forgeChoice(undefined)).toEqual({})
  expect(forgeChoice('gitlab')).toEqual({ forge: 'gitlab' })
  expect(() => forgeChoice('gitlap')).toThrow('--forge takes github or gitlab, not gitlap')
})
