#!/usr/bin/env node
// `npm run test:tools`: the tools' server before other people's programs. Each of the 21 tools once by the MCP inspector and
// once by the real agent CLI (its model scripted), read back from the server; the public conformance suite over the same
// server; the tests of the tools; then every text of the corpus of hidden orders before an agent that obeys, and every planted
// hole. Only here is testing/protocol/ installed, a package of its own. With parameters: these tests alone.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run test:tools [-- FILE...]

Tests the server of the tools with other programs: the MCP inspector, the real agent CLI and the public conformance suite.
Then an agent that obeys every order reads each hostile text, on GitHub and on GitLab. The first run installs the packages of testing/protocol/.

  FILE...   run only test files whose path contains FILE, without the hostile texts`

const folder = join(root, 'testing', 'protocol')
const marker = join(folder, 'node_modules', '.installed')

async function main(parameters) {
  const code = await install()
  if (code !== 0) return code
  process.env['PROTOCOL_PEERS'] = folder
  process.env['STATEWRIGHT_REQUIRE'] ??= 'protocol,claude'
  const tests =
    parameters.length > 0 ? parameters : ['edges/agents', 'property-tests/tools', 'property-tests/injection']
  const tested = await run('vitest', ['run', '--no-file-parallelism', ...tests])
  if (tested !== 0 || parameters.length > 0) return tested
  for (const forge of ['github', 'gitlab']) {
    const played = await run('node', ['property-tests/injection/main.ts', '--forge', forge, '--holes'])
    if (played !== 0) return played
  }
  return 0
}

/** Once for each state of the lockfile; no script of theirs runs. */
async function install() {
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex')
  if ((await readFile(marker, 'utf8').catch(() => '')) === lock) return 0
  const code = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  if (code === 0) await writeFile(marker, lock)
  return code
}

await onNode24(import.meta.url, main, usage)
