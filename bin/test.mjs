#!/usr/bin/env node
// `npm test`: all tests, or those that the arguments pick (vitest's own). Ends with `N passed, N failed, N skipped`,
// which vitest's own summary doesn't say in one line. A run of all tests leaves its report for `npm run rows`.
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

async function main(parameters) {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'))
  try {
    const report = join(folder, 'report.json')
    const code = await run('vitest', [
      'run',
      '--reporter=default',
      '--reporter=json',
      '--reporter=./bin/flaky-reporter.mjs',
      `--outputFile.json=${report}`,
      ...parameters,
    ])
    if (parameters.every((each) => each.startsWith('--retry'))) await leaveReport(report)
    const { passed, failed, skipped } = count(JSON.parse(await readFile(report, 'utf8').catch(() => '{}')), code)
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
    return code === 0 && failed === 0 ? 0 : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function leaveReport(report) {
  const folder = join(root, 'node_modules', '.cache', 'statewright')
  await mkdir(folder, { recursive: true })
  await copyFile(report, join(folder, 'tests.json')).catch(() => undefined)
}

/** A file that could not even be loaded holds no failed test, and a run can fail without one: both count as a failure. */
function count({ testResults = [] }, code) {
  const tests = testResults.flatMap((file) => file.assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  const failedTests = tests.filter(({ status }) => status === 'failed').length
  const unloadable = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length
  const failed = failedTests + unloadable
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped: tests.length - passed - failedTests }
}

await onNode24(import.meta.url, main)
