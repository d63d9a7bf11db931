/** MEMORY-LIMITS-1: a bulk body has 32 MiB. What reading one adds to memory is measured in a process of its own. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const mebibyte = 1024 * 1024

test('reading 32 MiB of items adds less than half of that to what the process holds at any moment (MEMORY-LIMITS-3)', async () => {
  const program = new URL('./testing/heap-measure.ts', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program], { timeout: 80_000 })
  const { bytes, items, most, whole } = JSON.parse(stdout) as Record<'bytes' | 'items' | 'most' | 'whole', number>
  expect(bytes).toBeGreaterThan(31 * mebibyte)
  expect(items).toBeGreaterThan(7000)
  expect(most).toBeLessThan(bytes / 2)
  // The measure itself can fail: what is read in one piece is seen.
  expect(whole).toBeGreaterThan(bytes)
})
