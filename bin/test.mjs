#!/usr/bin/env node
// `npm test`: all tests, or those that the arguments pick (vitest's own). Ends with `N passed, N failed, N skipped`,
// which vitest's own summary doesn't say in one line. A run of all tests leaves its report for `npm run rows`.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { onNode24, root, run } from './on-node-24.mjs'

/** More than these died of something else. */
const mostDead = 3

async function main(parameters) {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'))
  try {
    const first = await vitest(join(folder, 'report.json'), parameters)
    const isWhole = parameters.length === 0
    const { report, code } = isWhole ? await withoutDeadWorkers(first, join(folder, 'again.json')) : first
    if (isWhole) await leaveReport(report)
    const { passed, failed, skipped } = count(report, code)
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
    return code === 0 && failed === 0 ? 0 : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function vitest(file, parameters) {
  const code = await run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...parameters,
  ])
  return { code, report: JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) }
}

/**
 * Node 24 itself ends a process now and then (V8: "Check failed: jit_page.has_value()"). Where nothing else failed, files
 * whose worker died run once more, and are named. No test that failed runs again.
 */
async function withoutDeadWorkers(first, file) {
  const { testResults = [] } = first.report
  const dead = testResults.filter(isUnloaded)
  const hasFailed = testResults.some(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'failed'),
  )
  if (dead.length === 0 || dead.length > mostDead || hasFailed) return first
  const names = dead.map(({ name }) => name)
  for (const name of names) console.log(`FLAKY: ${relative(root, name)}: its worker died, and it runs once more`)
  const again = await vitest(file, names)
  const others = testResults.filter(({ name }) => !names.includes(name))
  return {
    code: again.code,
    report: { ...first.report, testResults: [...others, ...(again.report.testResults ?? dead)] },
  }
}

async function leaveReport(report) {
  const folder = join(root, 'node_modules', '.cache', 'statewright')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'tests.json'), JSON.stringify(report))
}

function isUnloaded({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed')
}

/** A file that could not even be loaded holds no failed test, and a run can fail without one: both count as a failure. */
function count({ testResults = [] }, code) {
  const tests = testResults.flatMap((file) => file.assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  const failedTests = tests.filter(({ status }) => status === 'failed').length
  const unloadable = testResults.filter(isUnloaded).length
  const failed = failedTests + unloadable
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed, skipped: tests.length - passed - failedTests }
}

await onNode24(import.meta.url, main)
