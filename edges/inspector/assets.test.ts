import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readAssets } from './assets.ts'

test('what a browser loads before its first view has at most 70 KB with gzip, and no chart', async () => {
  const { html, style, script } = await readAssets([])
  const sizes = [html, style, script].map((text) => gzipSync(text).length)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(70_000)
  expect(script).not.toContain('stage.live')
})
