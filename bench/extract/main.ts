/** `npm run bench -- extract`: the code graph against TypeScript's own answer and Jedi's, and against graphify's speed. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchArguments } from '../kit/arguments.ts'
import { markdownTable } from '../kit/markdown.ts'
import type { Report } from '../kit/report.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import { agreement, type Agreement, type Links } from './links.ts'
import { ownLinks, parsePieces } from './own-links.ts'
import { findGraphify, findJedi, pythonPackages } from './python.ts'
import { timed } from './timed.ts'

const bench = fileURLToPath(new URL('..', import.meta.url))
const program = join(bench, '..', 'bin', 'statewright.mjs')

interface Package {
  readonly name: string
  /** Its sources, and what says where they lie; the rest of the package is what was built of them. */
  readonly parts: readonly string[]
  /** Generated files, and declarations that stand before the JavaScript they declare. */
  readonly without: readonly string[]
  readonly conditions: readonly string[]
}

const packages: readonly Package[] = [
  { name: 'zod', parts: ['src', 'package.json'], without: [], conditions: ['@zod/source'] },
  { name: 'rxjs', parts: ['src', 'package.json'], without: [], conditions: [] },
  {
    name: 'fastify',
    parts: ['lib', 'test', 'examples', 'integration', 'build', 'fastify.js', 'package.json'],
    without: ['lib/error-serializer.js', 'lib/config-validator.js', 'test/types'],
    conditions: [],
  },
]

/** Confidences that links are counted from. */
const levels = [1, 0.85, 0.55, 0] as const

interface Row {
  readonly package: string
  readonly least: number
  readonly calls: Agreement
  /** Jedi is asked for calls alone. */
  readonly imports?: Agreement
}

interface Speed {
  readonly package: string
  readonly ownCpuSeconds: number
  readonly ownWallSeconds: number
  readonly graphifyCpuSeconds?: number
  readonly graphifyWallSeconds?: number
}

async function measure(asked: BenchArguments): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'statewright-extract-'))
  const rows: Row[] = []
  const speeds: Speed[] = []
  try {
    const isAsked = (name: string): boolean => asked.only.size === 0 || asked.only.has(name)
    const graphify = packages.some(({ name }) => isAsked(name)) ? findGraphify(asked.quick) : undefined
    rows.push(...(await measurePython(folder, Object.keys(pythonPackages).filter(isAsked), asked.quick)))
    for (const each of packages.filter(({ name }) => isAsked(name))) {
      const dir = prepare(folder, each)
      const own = await extractOwn(dir, folder)
      const truth = await askPeer(process.execPath, 'language-service.ts', [dir, ...each.conditions])
      for (const least of levels) rows.push(compare(each.name, least, truth, own.text))
      const peer =
        graphify === undefined ? undefined : await timed(graphify, ['extract', '.', '--code-only', '--no-cluster'], dir)
      speeds.push({
        package: each.name,
        ownCpuSeconds: own.cpuSeconds,
        ownWallSeconds: own.wallSeconds,
        ...(peer === undefined ? {} : { graphifyCpuSeconds: peer.cpuSeconds, graphifyWallSeconds: peer.wallSeconds }),
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    rows: [...rows, ...speeds],
    goals: goalsOf(rows, speeds),
    tables: tables(rows, speeds),
    heading: 'Code graph extraction',
    about: `Calls and imports of three packages, compared with what the language service of TypeScript says of the same sources, and calls of
two in Python, compared with what Jedi says: \`true\` is its answer, \`found\` ours at this confidence or above. Both programs read the
same trees, without a cache; graphify without its communities.`,
  }
}

async function measurePython(folder: string, names: readonly string[], quick: boolean): Promise<Row[]> {
  const jedi = names.length === 0 ? undefined : findJedi(quick)
  if (jedi === undefined) return []
  const rows: Row[] = []
  for (const name of names) {
    const dir = join(folder, name)
    cpSync(join(jedi.sources, name), join(dir, name), { recursive: true })
    const own = await extractOwn(dir, folder)
    const truth = await askPeer(jedi.python, 'python_calls.py', [dir])
    for (const least of levels) {
      const { imports: _, ...row } = compare(name, least, truth, own.text)
      rows.push(row)
    }
  }
  return rows
}

/** Out of node_modules: both programs leave out what lies there. */
function prepare(folder: string, { name, parts, without }: Package): string {
  const dir = join(folder, name)
  for (const part of parts)
    cpSync(join(bench, 'node_modules', `sources-${name}`, part), join(dir, part), { recursive: true })
  for (const part of without) rmSync(join(dir, part), { recursive: true, force: true })
  return dir
}

async function extractOwn(
  dir: string,
  folder: string,
): Promise<{ text: string; cpuSeconds: number; wallSeconds: number }> {
  const out = join(folder, 'graph.ndjson')
  const run = await timed(process.execPath, [program, 'code-graph', 'extract', dir, '--no-cache', '--out', out], dir)
  return { ...run, text: readFileSync(out, 'utf8') }
}

function askPeer(command: string, peer: string, parameters: readonly string[]): Promise<Links> {
  return new Promise((resolve, reject) => {
    const oracle = fileURLToPath(new URL(`./peers/${peer}`, import.meta.url))
    const child = spawn(command, [oracle, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(Buffer.concat(chunks).toString()) as Links)
      else reject(new Error(`the answer of ${peer} failed with ${code}`))
    })
  })
}

function compare(name: string, least: number, truth: Links, text: string): Row {
  const own = ownLinks(parsePieces(text), least)
  return {
    package: name,
    least,
    calls: agreement(truth.calls, own.calls),
    imports: agreement(truth.imports, own.imports),
  }
}

/** Judged at the confidence of declared and inferred types: below it we only guess, and say so. */
const judgedAt = 0.85

function goalsOf(rows: readonly Row[], speeds: readonly Speed[]): Report['goals'] {
  const judged = rows.filter(({ least }) => least === judgedAt)
  const imports = judged.flatMap((row) => row.imports ?? [])
  const least = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : Math.min(...values)
  const times = speeds.flatMap(({ ownCpuSeconds, graphifyCpuSeconds }) =>
    graphifyCpuSeconds === undefined ? [] : [graphifyCpuSeconds / ownCpuSeconds],
  )
  const higher = { better: 'higher', unit: '' } as const
  return [
    {
      name: 'calls, precision (worst package)',
      value: least(judged.map(({ calls }) => calls.precision)),
      ...higher,
      gate: 0.9,
      goal: 0.95,
    },
    {
      name: 'calls, recall (worst package)',
      value: least(judged.map(({ calls }) => calls.recall)),
      ...higher,
      gate: 0.7,
      goal: 0.9,
    },
    {
      name: 'imports, precision (worst package)',
      value: least(imports.map(({ precision }) => precision)),
      ...higher,
      gate: 0.98,
      goal: 1,
    },
    {
      name: 'imports, recall (worst package)',
      value: least(imports.map(({ recall }) => recall)),
      ...higher,
      gate: 0.98,
      goal: 1,
    },
    { name: "graphify's CPU time over ours (worst package)", value: least(times), ...higher, gate: 1, goal: 2 },
  ]
}

function tables(rows: readonly Row[], speeds: readonly Speed[]): string {
  const share = (value: number): string => value.toFixed(3)
  const seconds = (value: number | undefined): string => (value === undefined ? '-' : value.toFixed(1))
  return [
    markdownTable(
      [
        'package',
        'confidence',
        'calls: true',
        'found',
        'precision',
        'recall',
        'imports: true',
        'found',
        'precision',
        'recall',
      ],
      rows.map(({ package: name, least, calls, imports }) => [
        name,
        `≥ ${least}`,
        String(calls.true),
        String(calls.found),
        share(calls.precision),
        share(calls.recall),
        ...(imports === undefined
          ? ['-', '-', '-', '-']
          : [String(imports.true), String(imports.found), share(imports.precision), share(imports.recall)]),
      ]),
    ),
    markdownTable(
      ['package', 'CPU s', 'wall s', 'graphify CPU s', 'graphify wall s'],
      speeds.map((each) => [
        each.package,
        seconds(each.ownCpuSeconds),
        seconds(each.ownWallSeconds),
        seconds(each.graphifyCpuSeconds),
        seconds(each.graphifyWallSeconds),
      ]),
    ),
  ].join('\n\n')
}

const parts = [...packages.map(({ name }) => name), ...Object.keys(pythonPackages)]
process.exitCode = await runBench({ name: 'extract', parts, measure })
