import { expect, it } from 'vitest'
import { seeded } from './random.ts'

it.each([
  [0, [1144304738, 1416247, 958946056]],
  [7, [50271532, 266108690, 4195786334]],
  [2 ** 32 - 1, [3850105811, 813802916, 3073704848]],
])('the seed %i draws what it drew when it was recorded', (seed, draws) => {
  const random = seeded(seed)
  expect(draws.map(() => random() * 2 ** 32)).toEqual(draws)
})
