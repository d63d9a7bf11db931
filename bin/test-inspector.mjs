#!/usr/bin/env node
// `npm run test:inspector`: all tests of the inspector, then its page in chromium over 100,000 actors on PostgreSQL and a history
// of 5,000 steps. `--pictures DIR` leaves a picture of each view there, at three widths, light and dark. Mermaid, which draws the
// text of each chart, comes from npm's registry; where that is not there, these tests alone are left out.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ciScript } from './ci-script.mjs'
import { onNode24, run } from './on-node-24.mjs'

const usage = `usage: npm run test:inspector [-- --pictures DIR]

Tests the inspector, and its page in chromium over 100,000 actors and a history of 5,000 steps. Mermaid, which npm's registry
brings once, draws the Mermaid text of each chart.

  --pictures DIR   store a picture of each view in DIR, at 390, 1440 and 2560 pixels, light and dark`

async function main(parameters) {
  const { values } = parseArgs({ args: parameters, options: { pictures: { type: 'string' } } })
  const mermaid = await fetchMermaid()
  process.env['STATEWRIGHT_LARGE'] = 'yes'
  process.env['STATEWRIGHT_REQUIRE'] ??= ['chromium', ...mermaid].join(',')
  if (values.pictures !== undefined) process.env['STATEWRIGHT_PICTURES'] = resolve(values.pictures)
  const code = await run('vitest', ['run', '--no-file-parallelism', 'edges/inspector', 'bench/inspector'])
  if (mermaid.length === 0) console.error('LEFT OUT: no chart was drawn by Mermaid, which npm’s registry did not give.')
  return code
}

/** What the tests may then require. */
async function fetchMermaid() {
  try {
    process.env['MERMAID_UNDER_TEST'] = await ciScript('mermaid.sh', ['install'])
    console.log(`Mermaid: ${process.env['MERMAID_UNDER_TEST']}`)
    return ['mermaid']
  } catch (error) {
    console.error(`Mermaid: left out. ${error.message}`)
    return []
  }
}

await onNode24(import.meta.url, main, usage)
