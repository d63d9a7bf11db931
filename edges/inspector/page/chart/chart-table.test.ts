import { expect, test } from 'vitest'
import { inside } from './chart-table.ts'

test('a row of a line names what lies inside of its end, and whole what lies elsewhere', () => {
  expect(inside('pod', 'pod')).toBeUndefined()
  expect(inside('pod', 'pod.none')).toBe('none')
  expect(inside('pod.none', 'pod.backingOff')).toBe('pod.backingOff')
  expect(inside('pod', 'podium')).toBe('podium')
})
