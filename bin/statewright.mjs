#!/usr/bin/env node
// The launcher: plain JavaScript that any Node >= 20 can read. The program itself is TypeScript that Node 24 runs as it
// stands.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { handOver, root } from './hand-over.mjs'

const dist = join(root, 'dist')
const source = join(root, 'cli', 'main.ts')
const parameters = process.argv.slice(2)

if (!(await handOver(fileURLToPath(import.meta.url), parameters))) {
  // The cache lies with the program and is as trusted as that; nobody else may write it.
  if (!existsSync(source)) module.enableCompileCache?.({ directory: join(dist, 'compile-cache'), portable: true })
  const { main } = await import(pathToFileURL(existsSync(source) ? source : join(dist, 'statewright.mjs')).href)
  await main(parameters)
}
