#!/usr/bin/env node
// `npm run build`: the release's programs below `dist/` (Node runs no TypeScript below node_modules).
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { onNode24, root } from './on-node-24.mjs'

const usage = `usage: npm run build [-- DIR]

Bundles the release into DIR (default: dist/), because Node runs no TypeScript below node_modules.`

async function main([outDir = join(root, 'dist')]) {
  // Loaded here: an older Node reads this file too.
  const { bundle } = await import('./build/bundle.mjs')
  await bundle({ root, outDir })
  for (const name of (await readdir(outDir)).toSorted()) {
    const entry = await stat(join(outDir, name))
    console.log(entry.isDirectory() ? `${name}/` : `${name} ${(entry.size / 1024).toFixed(0)} KiB`)
  }
  return 0
}

await onNode24(import.meta.url, main, usage)
