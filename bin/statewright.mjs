#!/usr/bin/env node
// The launcher: plain JavaScript that any Node >= 20 can read. The program itself is TypeScript that Node 24 runs
// as it stands, so an older Node hands over to the one that npm installed beside us.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const own = join(root, 'node_modules', 'node', 'bin', 'node')
const dist = join(root, 'dist')
const source = join(root, 'cli', 'main.ts')
const major = Number(process.versions.node.split('.')[0])

if (major < 24 && existsSync(own)) {
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
} else if (major < 24) {
  console.error(`statewright needs Node 24; this is ${process.version}. Run npm ci in ${root}, which brings it.`)
  process.exit(1)
} else if (existsSync(source)) {
  await start(source)
} else {
  // The cache lies with the program and is as trusted as that; nobody else may write it.
  module.enableCompileCache?.({ directory: join(dist, 'compile-cache'), portable: true })
  await start(join(dist, 'statewright.mjs'))
}

async function start(program) {
  const { main } = await import(pathToFileURL(program).href)
  await main(process.argv.slice(2))
}
