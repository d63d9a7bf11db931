#!/usr/bin/env node
// `npm run test:inspector`: all tests of the inspector, then its page in chromium over 100,000 actors on PostgreSQL and a history
// of 5,000 steps. `--pictures DIR` leaves a picture of each view there, at three widths, light and dark.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { onNode24, run } from './on-node-24.mjs'

const usage = `usage: npm run test:inspector [-- --pictures DIR]

Tests the inspector, and its page in chromium over 100,000 actors and a history of 5,000 steps.

  --pictures DIR   store a picture of each view in DIR, at 390, 1440 and 2560 pixels, light and dark`

async function main(parameters) {
  const { values } = parseArgs({ args: parameters, options: { pictures: { type: 'string' } } })
  process.env['STATEWRIGHT_LARGE'] = 'yes'
  process.env['STATEWRIGHT_REQUIRE'] ??= 'chromium'
  if (values.pictures !== undefined) process.env['STATEWRIGHT_PICTURES'] = resolve(values.pictures)
  return run('vitest', ['run', '--no-file-parallelism', 'edges/inspector', 'bench/inspector'])
}

await onNode24(import.meta.url, main, usage)
