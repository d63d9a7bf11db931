/** `npm run rows -- --help`: exit code 0 when every row is held or listed, and when tests see every mutation. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { citationFinder } from './citations.ts'
import { faultsOf, heldBy, isHeldElsewhere, Report, Unheld } from './held.ts'
import { drawn, filesOf, mutate, Mutation } from './mutations.ts'
import { heldPages, readRows } from './pages.ts'
import { weighed } from './weight.ts'
import { readOptions, refuseCall } from '../options.ts'

const root = join(import.meta.dirname, '..', '..')
const { reportOf, suites: projects } = (await import(new URL('../../bin/suite-reports.mjs', import.meta.url).href)) as {
  readonly reportOf: (suite: string) => string
  readonly suites: Readonly<Record<string, readonly string[]>>
}
const suites = Object.keys(projects)

const usage = `usage: npm run rows -- [options]

Compares the rows of docs/contract and docs/rules.md with the last whole npm test, test:system and test:laws. A test covers a
row when it passed and its title cites the row. Every other row must be in testing/rows/unheld.json, with a reason. Where one
of the three did not run here, the rows that a source cites count as "not run here".

  --report FILE   read this JSON report of vitest (default: those of the last runs)
  --list          print the rows that no test covers
  --mutate N      break N rows, each by its mutation in testing/rows/mutations.json; a test that cites the row must fail
  --seed S        draw the N rows from S (default 1)
  --only ID       break only this row`

const values = readOptions(
  usage,
  {
    report: { type: 'string' },
    list: { type: 'boolean', default: false },
    mutate: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
  ['seed', 'mutate'],
)

const rows = readRows(root, heldPages)
const find = citationFinder(rows)

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

interface LastRuns {
  readonly report: Report
  /** Suites that left no report. */
  readonly missing: readonly string[]
}

function readReports(): LastRuns {
  const file = values.report
  if (file !== undefined) {
    if (existsSync(file)) return { report: Parse(Report, readJson(file)), missing: [] }
    refuseCall(usage, `${file} is not there`)
  }
  const there = suites.filter((suite) => existsSync(reportOf(suite)))
  if (there.length === 0) refuseCall(usage, 'no suite has left a report: run npm test first')
  const testResults = there.flatMap((suite) => Parse(Report, readJson(reportOf(suite))).testResults)
  return { report: { testResults }, missing: suites.filter((suite) => !there.includes(suite)) }
}

/** The rows that a suite may hold which did not run: a test's title can come from any source that it loads. */
function citedBy(missing: readonly string[]): ReadonlySet<string> {
  const files = missing.length === 0 ? [] : globSync('**/*.ts', { cwd: root, exclude: ['node_modules', 'dist'] })
  return new Set(files.flatMap((path) => find(readFileSync(join(root, path), 'utf8'))))
}

function main(): number {
  const { report, missing } = readReports()
  return values.mutate === undefined && values.only === undefined ? compare(report, missing) : breakRows(report)
}

function compare(report: Report, missing: readonly string[]): number {
  const held = heldBy(report, find)
  const unheld = Parse(Unheld, readJson(join(import.meta.dirname, 'unheld.json')))
  const cited = citedBy(missing)
  const isNotRun = ({ id }: { readonly id: string }): boolean =>
    !held.has(id) && !Object.hasOwn(unheld, id) && cited.has(id)
  const faults = faultsOf(
    rows.filter((row) => !isNotRun(row)),
    held,
    unheld,
  )
  for (const fault of faults) console.log(fault)
  if (values.list) for (const [id, { why, note }] of Object.entries(unheld)) console.log(`${id} ${why}: ${note}`)
  for (const suite of missing) console.log(`${suite === 'test' ? 'npm test' : `npm run test:${suite}`}: not run here`)
  const count = rows.filter(({ id }) => held.has(id)).length
  const elsewhere = Object.values(unheld).filter(({ why }) => isHeldElsewhere(why)).length
  const notRun = rows.filter(isNotRun).length
  const not = rows.length - count - elsewhere - notRun
  const parts = [`${count} held`, `${elsewhere} by other commands`, ...(notRun > 0 ? [`${notRun} not run here`] : [])]
  console.log(`${rows.length} rows: ${parts.join(', ')}, ${not} not, ${faults.length} faults`)
  console.log(weighed(root, count))
  return faults.length === 0 ? 0 : 1
}

function breakRows(report: Report): number {
  const all = Parse(Type.Array(Mutation), readJson(join(import.meta.dirname, 'mutations.json')))
  const named = all.filter(({ id }) => values.only === undefined || id === values.only)
  const chosen = drawn(named, Number(values.mutate ?? named.length), Number(values.seed))
  const copy = copyOfTree()
  try {
    const seen = chosen.map((mutation) => isSeen(copy, mutation, report))
    const missed = seen.filter((one) => !one).length
    console.log(`${chosen.length} rows broken, ${missed} of them unseen`)
    return missed === 0 && chosen.length > 0 ? 0 : 1
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'rows-'))
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const path of listed
    .toString()
    .trim()
    .split('\n')
    .filter((each) => existsSync(join(root, each)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function isSeen(copy: string, mutation: Mutation, report: Report): boolean {
  const { id, file } = mutation
  const files = filesOf(report, id, find).map((name) => relative(root, name))
  if (files.length === 0) {
    // Without a file vitest would run every test.
    console.log(`${id}: UNSEEN, no test of the report cites it`)
    return false
  }
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  const result = join(copy, 'rows-report.json')
  rmSync(result, { force: true })
  writeFileSync(path, mutate(mutation, source))
  const parameters = ['run', '--reporter=json', `--outputFile=${result}`, '-t', `${id}(?!\\d)`, ...files]
  spawnSync('vitest', parameters, { cwd: copy, stdio: 'ignore' })
  writeFileSync(path, source)
  const failed = existsSync(result) ? failedTests(Parse(Report, readJson(result)), id) : []
  console.log(failed.length > 0 ? `${id}: seen by "${failed[0]}"` : `${id}: UNSEEN, ${file}`)
  return failed.length > 0
}

function failedTests({ testResults }: Report, id: string): readonly string[] {
  const failed = testResults.flatMap((one) => one.assertionResults.filter(({ status }) => status === 'failed'))
  return failed.map(({ fullName }) => fullName).filter((name) => find(name).includes(id))
}

process.exitCode = main()
