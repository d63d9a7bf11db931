import { expect, test } from 'vitest'
import { CheckoutSize } from './checkout-size.ts'

const sha = 'a'.repeat(40)
const file = (size: number | '-', path = 'a'): string => `100644 blob ${sha} ${`${size}`.padStart(7)}\t${path}\0`

test('a tree is summed from whatever pieces git prints it in, up to its bound', () => {
  const size = new CheckoutSize(30)
  for (const letter of `${file(10)}${file(20, 'b\nc')}040000 tree ${sha}       -\td\0`)
    expect(size.take(letter)).toBe(false)
  expect(size.fault).toBeUndefined()
  expect(size.take(file(1))).toBe(true)
  expect(size.fault).toBe('more than 30 bytes')
})

test.each([
  ['names that hold nothing', 1_001_000, '-', 'a', 'more than 1000000 names'],
  ['long paths', 70_000, 0, 'x'.repeat(4000), 'paths of more than 268435456 bytes'],
] as const)('%s have a bound of their own', (_what, count, bytes, path, fault) => {
  const size = new CheckoutSize(1)
  const many = file(bytes, path).repeat(count / 1000)
  for (let n = 0; n < 1000; n += 1) size.take(many)
  expect(size.fault).toBe(fault)
})
