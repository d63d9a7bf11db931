#!/usr/bin/env node
// `npm test`, `npm run test:system`, `test:laws` and `test:all`: a suite, or the files that the arguments pick (vitest's own).
// Ends with `N passed, N failed, N skipped`, which vitest's own summary doesn't say in one line. A whole suite leaves its report
// for `npm run rows`, and what each file took.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { missedTests } from './missed-tests.mjs'
import { onNode24, root, run } from './on-node-24.mjs'
import { reportOf, reportsFolder, suites } from './suite-reports.mjs'

/** The scripts of package.json name their suite first; what follows is the caller's. */
const named = process.argv[2] === '--suite' ? process.argv[3] : undefined

const script = named === undefined ? 'npm test' : `npm run test:${named}`

const usage = `usage: ${script} [-- FILE... [vitest's options]]

  npm test      what needs no server, browser or program besides git: the suite of every day
  test:system   *.system.test.ts: programs, whole orchestrators, the real agent CLI, chromium, deploy, bench
  test:laws     property-tests/
  test:all      the three, each once

With FILE, every test file whose path contains FILE runs, whichever its suite. With options alone the suite runs with them. A
FILE or a title (-t) that no test has is a failure. A whole suite leaves its report and its times in
node_modules/.cache/statewright/, and prints the 30 files that took most.`

/** More than these died of something else. */
const mostDead = 3
const shownTimes = 30
/** Seconds of a processor: a file above is named, so that somebody makes it cheaper. */
const dear = 20

async function main(parameters) {
  const others = named === undefined ? parameters : parameters.slice(2)
  if (others.length > 0) return end([await runPicked(others)])
  const runs = []
  for (const suite of named === 'all' ? Object.keys(suites) : [named ?? 'test']) runs.push(await runSuite(suite))
  return end(runs)
}

/** What is picked by its path may be of any suite. */
async function runPicked(parameters) {
  // Loaded here, since an older Node reads this file too, before it hands over.
  const { parseCLI } = await import('vitest/node')
  const { filter, options } = parseCLI(['vitest', 'run', ...parameters])
  const isOfSuite = filter.length === 0 && options.project === undefined
  const projects = isOfSuite ? projectsOf(named ?? 'test') : []
  const ended = await runTests([...projects, ...parameters])
  const missed = missedTests(ended.report, filter, options.testNamePattern)
  for (const each of missed) console.error(`${script}: ${each}`)
  return missed.length === 0 ? ended : { ...ended, code: ended.code || 1 }
}

function projectsOf(suite) {
  const names = suite === 'all' ? Object.values(suites).flat() : suites[suite]
  return names.flatMap((name) => ['--project', name])
}

function end(runs) {
  const counts = runs.map(({ report, code }) => count(report, code))
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((name) =>
    counts.reduce((sum, each) => sum + each[name], 0),
  )
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  return runs.every(({ code }) => code === 0) && failed === 0 ? 0 : 1
}

async function runSuite(suite) {
  const ended = await withoutDeadWorkers(await runTests(projectsOf(suite)))
  await mkdir(reportsFolder, { recursive: true })
  await writeFile(reportOf(suite), JSON.stringify(ended.report))
  await writeFile(join(reportsFolder, `${suite}-times.json`), JSON.stringify(ended.times))
  printTimes(ended.times)
  return ended
}

async function runTests(parameters) {
  const folder = await mkdtemp(join(tmpdir(), 'test-report-'))
  try {
    const [file, times] = ['report.json', 'times'].map((name) => join(folder, name))
    process.env['PROCESSOR_TIMES'] = times
    // Programs that the tests start keep what they compiled for their next start.
    process.env['NODE_COMPILE_CACHE'] ??= join(reportsFolder, 'compile')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const code = await run('vitest', ['run', ...reporters, ...parameters])
    const report = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
    return { code, report, times: timesOf(report, await readFile(times, 'utf8').catch(() => '')) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Of each file: seconds of wall time between its first and last test, of processors with its share of its process's start. */
function timesOf({ testResults = [] }, lines) {
  const processor = new Map(
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .map(({ file, processor: seconds }) => [file, seconds]),
  )
  return testResults
    .map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      wall: Math.max(0, Math.round((endTime - startTime) / 10) / 100),
      processor: processor.get(name) ?? 0,
    }))
    .toSorted((a, b) => b.processor - a.processor)
}

function printTimes(times) {
  const sum = (of) => times.reduce((all, each) => all + each[of], 0).toFixed(0)
  console.log(
    `\n${'processor'.padStart(9)} ${'wall'.padStart(7)}  file (seconds; all ${times.length}: ${sum('processor')}, ${sum('wall')})`,
  )
  for (const { file, wall, processor } of times.slice(0, shownTimes))
    console.log(`${processor.toFixed(1).padStart(9)} ${wall.toFixed(1).padStart(7)}  ${file}`)
  for (const { file, processor } of times.filter((each) => each.processor > dear))
    console.log(`DEAR: ${file} took ${processor.toFixed(0)} processor seconds, more than ${dear}`)
}

/**
 * Node 24 itself ends a process now and then (V8: "Check failed: jit_page.has_value()"). Where nothing else failed, files
 * whose worker died run once more, and are named. No test that failed runs again.
 */
async function withoutDeadWorkers(first) {
  const { testResults = [] } = first.report
  const dead = testResults.filter(isUnloaded)
  const hasFailed = testResults.some(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'failed'),
  )
  if (dead.length === 0 || dead.length > mostDead || hasFailed) return first
  const names = dead.map(({ name }) => name)
  for (const name of names) console.log(`FLAKY: ${relative(root, name)}: its worker died, and it runs once more`)
  const again = await runTests(names)
  const others = testResults.filter(({ name }) => !names.includes(name))
  return {
    code: again.code,
    report: { ...first.report, testResults: [...others, ...(again.report.testResults ?? dead)] },
    times: [...first.times.filter(({ file }) => !names.includes(join(root, file))), ...again.times],
  }
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

await onNode24(import.meta.url, main, usage)
