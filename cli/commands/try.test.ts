import { expect, test } from 'vitest'
import { tryOwn } from './try.ts'

test('try takes no empty path, which would be the current folder', async () => {
  await expect(tryOwn(['', '--issue', 'x', '--model-provider', 'none'])).rejects.toThrow(/^try takes one PATH/)
})
