#!/usr/bin/env node
// `npm run bench -- NAME`: measures against peers. Only here is bench/ installed, a package of its own with its own lockfile.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const folder = join(root, 'bench')
const marker = join(folder, 'node_modules', '.installed')

async function main([name = '', ...parameters]) {
  const program = join(folder, name, 'main.ts')
  if (!/^[a-z][a-z-]*$/.test(name) || !existsSync(program)) {
    console.error(
      `usage: npm run bench -- ${(await names()).join(' | ')} [--json] [--quick] [--write] [--only NAME,...]`,
    )
    return 2
  }
  return (await install()) || (await run('tsc', ['-p', 'bench'])) || run(process.execPath, [program, ...parameters])
}

async function names() {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.map((entry) => entry.name).filter((each) => existsSync(join(folder, each, 'main.ts')))
}

/** Once for each state of the lockfile. The peers bring programs, so their scripts (which report the installation) stay off. */
async function install() {
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex')
  if ((await readFile(marker, 'utf8').catch(() => '')) === lock) return 0
  const code = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', process.stderr, 'inherit'],
  })
  if (code === 0) await writeFile(marker, lock)
  return code
}

await onNode24(import.meta.url, main)
