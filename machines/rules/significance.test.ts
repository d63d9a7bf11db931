import { expect, test } from 'vitest'
import { highest, isLevel, isWithin, lowers } from './significance.ts'

test('patch is below minor, minor below major, and nothing is below itself', () => {
  expect([
    lowers('patch', 'minor'),
    lowers('minor', 'major'),
    lowers('major', 'patch'),
    lowers('minor', 'minor'),
  ]).toEqual([true, true, false, false])
})

test('the higher of two levels holds', () => {
  expect(highest('patch', 'major')).toBe('major')
  expect(highest('minor', 'patch')).toBe('minor')
})

test('a ceiling that is off lets nothing through, not even a patch (PROJECT-17)', () => {
  expect(isWithin('patch', 'off')).toBe(false)
})

test('a level is within its own ceiling and within every higher one (PROJECT-19)', () => {
  expect([isWithin('patch', 'patch'), isWithin('minor', 'patch'), isWithin('minor', 'major')]).toEqual([
    true,
    false,
    true,
  ])
})

test('an undeclared level counts as major', () => {
  expect([isWithin(null, 'minor'), isWithin(null, 'major')]).toEqual([false, true])
})

test('only the three words are levels', () => {
  expect([isLevel('minor'), isLevel('huge'), isLevel(undefined)]).toEqual([true, false, false])
})
