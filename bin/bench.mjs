#!/usr/bin/env node
// `npm run bench -- NAME`: measures against peers. Only here is bench/ installed, a package of its own with its own lockfile.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

const usage = `usage: npm run bench -- NAME [options]

Measures one part of Statewright against its peers and the limits of the machine. The first run installs the peers of bench/.

  bundle      render an issue's thread for an agent
  counts      count statements, rows, log and JSON of 10,000 transitions; no neighbour changes them
  extract     extract code graphs from zod, rxjs and fastify
  footprint   weigh the processes of statewright up at rest, a second Project, and an idle memory stack; --against DIR, an older checkout
  inspector   press a key in the search at 100,000 actors, and keep 200 pages open
  mcp         start the tools of a pod
  memory      query the knowledge service and its code graph
  retrieval   find the files that a commit changed; needs --repos DIR, a folder of git repositories
  runtime     deliver events and perform effects
  what-if     replay the journals of 10,000 Tasks
  wrapper     run turns and boots, beside the agent's CLI alone

  --only NAME,...   measure only these parts; an unknown name lists them
  --quick           run fewer and shorter rounds, to see that the bench works
  --write           store the result in BENCHMARKS.md; not with --quick or --only
  --json            print the report as one line of JSON at the end

Example: npm run bench -- runtime --quick`

const folder = join(root, 'bench')
const marker = join(folder, 'node_modules', '.installed')

async function main([name = '', ...parameters]) {
  const program = join(folder, name, 'main.ts')
  if (!/^[a-z][a-z-]*$/.test(name) || !existsSync(program)) {
    console.error(usage)
    return 2
  }
  return (await install()) || (await run('tsc', ['-p', 'bench'])) || run(process.execPath, [program, ...parameters])
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

await onNode24(import.meta.url, main, usage)
