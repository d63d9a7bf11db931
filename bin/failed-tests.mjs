#!/usr/bin/env node
// Names each test that failed in the last run of each suite, with the first lines of its message. `.ci/run` ends with it.
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { onNode24, root } from './on-node-24.mjs'
import { reportOf, suites } from './suite-reports.mjs'

const shownLines = 20

async function main() {
  for (const suite of Object.keys(suites)) await nameFailed(suite)
  return 0
}

async function nameFailed(suite) {
  const { testResults = [] } = JSON.parse(await readFile(reportOf(suite), 'utf8').catch(() => '{}'))
  for (const file of testResults.filter(({ status }) => status === 'failed')) {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed')
    const place = relative(root, file.name)
    if (failed.length === 0) console.log(`${place}\n${firstLines(file.message)}`)
    for (const { fullName, failureMessages } of failed)
      console.log(`${place}: ${fullName}\n${firstLines(failureMessages.join('\n'))}`)
  }
}

function firstLines(text = '') {
  return text
    .split('\n')
    .slice(0, shownLines)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join('\n')
}

await onNode24(import.meta.url, main)
