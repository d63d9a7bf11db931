import { expect, test } from 'vitest'
import { isDrawn } from './drawn.ts'

const controls = Array.from({ length: 400 }, (_, number) => `control ${number}`)
const drawnBy = (commit: string): readonly string[] => controls.filter((control) => isDrawn(control, commit))

test('by hand each control runs', () => {
  expect(drawnBy('')).toEqual(controls)
})

test('a commit draws about a quarter of the controls, the same each time', () => {
  expect(drawnBy('5c1b9d2e')).toEqual(drawnBy('5c1b9d2e'))
  expect(drawnBy('5c1b9d2e').length).toBeGreaterThan(70)
  expect(drawnBy('5c1b9d2e').length).toBeLessThan(130)
})

test('commits in a row repeat all controls', () => {
  const commits = Array.from({ length: 40 }, (_, number) => `commit ${number}`)
  expect(new Set(commits.flatMap(drawnBy)).size).toBe(controls.length)
})
