import { expect, it } from 'vitest'
import { meanOverTime } from './measure.ts'

it('counts an answer for as long as it took, so that many short ones do not hide a long one', () => {
  expect(meanOverTime([10, 10, 10])).toBe(10)
  expect(meanOverTime([10, 10, 10, 10, 10, 50])).toBe(30)
})
