import { expect, test } from 'vitest'
import { Halving } from './halving.ts'

function measured(stepMs: number, commitMs: number): Halving {
  const halving = new Halving('measured')
  for (let round = 0; round < 50; round++) {
    halving.stepped(100, 100 * stepMs)
    halving.committed(commitMs)
  }
  return halving
}

test('a commit is cut in two where stepping all of it takes longer than the store takes for one', () => {
  const halving = measured(0.05, 3)
  expect([50, 60, 61, 500].map((items) => halving.isWorthwhile(items))).toEqual([false, false, true, true])
})

test('a store that has become slow gets whole commits, until it is fast again', () => {
  const halving = measured(0.05, 3)
  for (let round = 0; round < 50; round++) halving.committed(30)
  expect(halving.isWorthwhile(128)).toBe(false)
  for (let round = 0; round < 50; round++) halving.committed(2)
  expect(halving.isWorthwhile(128)).toBe(true)
})

test('a few items are never cut in two, and nothing is before anything was measured', () => {
  expect(measured(1, 0.1).isWorthwhile(15)).toBe(false)
  expect(new Halving('measured').isWorthwhile(1000)).toBe(false)
})

test('where the rule says so every two items are', () => {
  const halving = new Halving('always')
  expect([1, 2].map((items) => halving.isWorthwhile(items))).toEqual([false, true])
})
