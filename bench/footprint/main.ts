/**
 * `npm run bench -- footprint --against DIR`: what `statewright up` holds at rest, process by process, beside an older
 * checkout in the same run and PGlite alone over the same rows.
 */
import { resolve } from 'node:path'
import type { BenchArguments } from '../kit/arguments.ts'
import { freePort } from '../../testing/free-port.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median } from '../kit/measure/percentile.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { atRest, sumOf, type Contender, type Rest } from './up.ts'

const usage = `usage: npm run bench -- footprint [--against DIR] [--quick] [--json] [--write]; DIR is an older checkout with its packages
installed; --write takes a whole run: no --quick`

/** MiB of a server beside its store. */
const perServer = 80
const servers = ['orchestrator', 'memory'] as const
const own: Contender = { name: 'this checkout', root: resolve(import.meta.dirname, '../..') }

interface Row {
  readonly contender: string
  readonly process: string
  readonly pss: number
  readonly wasm: number
  readonly code: number
  readonly heap: number
}

function rowsOf(contender: string, rests: readonly Rest[]): readonly Row[] {
  const roles = [...new Set(rests.flatMap(({ processes }) => processes.map(({ role }) => role)))]
  return roles.map((role) => {
    const of = (value: 'pss' | 'wasm' | 'code' | 'heap'): number =>
      median(
        rests.map(({ processes }) =>
          processes.filter((one) => one.role === role).reduce((sum, one) => sum + one[value], 0),
        ),
      ) ?? Number.NaN
    return { contender, process: role, pss: of('pss'), wasm: of('wasm'), code: of('code'), heap: of('heap') }
  })
}

function totalOf(rests: readonly Rest[]): number | undefined {
  return median(rests.map(({ processes }) => sumOf(processes)))
}

function aloneOf(rests: readonly Rest[], role: string): number | undefined {
  return median(rests.flatMap(({ alone }) => (alone?.[role] === undefined ? [] : [alone[role]])))
}

function goalsOf(ours: readonly Rest[], theirs: readonly Rest[]): readonly Goal[] {
  const [total, before] = [totalOf(ours), totalOf(theirs)]
  const ratio = total === undefined || before === undefined ? undefined : total / before
  const lower = { unit: 'x', better: 'lower' } as const
  const alone = servers.reduce((sum, role) => sum + (aloneOf(ours, role) ?? Number.NaN), 0)
  const least = alone + perServer * servers.length
  const both = median(
    ours.map(({ processes }) => sumOf(processes.filter(({ role }) => servers.some((server) => server === role)))),
  )
  return [
    { ...lower, name: 'all processes, to the older checkout', value: ratio, gate: 0.6, goal: 0.5 },
    {
      ...lower,
      name: `the two servers, to PGlite alone with ${perServer} MiB for each`,
      value: both === undefined ? undefined : both / least,
      gate: 2,
      goal: 1,
    },
  ]
}

function tableOf(rows: readonly Row[], ours: readonly Rest[]): string {
  return markdownTable(
    ['MiB at rest, by PSS', 'sum', 'PGlite', 'code', 'heaps'],
    [
      ...rows.map((row) => [
        `${row.contender}: ${row.process}`,
        ...[row.pss, row.wasm, row.code, row.heap].map(numberText),
      ]),
      ...servers.map((role) => [`PGlite alone: ${role}`, numberText(aloneOf(ours, role)), '', '', '']),
    ],
  )
}

async function measure({ quick, more: { against } }: BenchArguments, journal: RunJournal): Promise<Measured> {
  const contenders = [own, ...(against === undefined ? [] : [{ name: 'the older checkout', root: resolve(against) }])]
  const rests = new Map<string, Rest[]>(contenders.map((contender) => [contender.name, []]))
  // One round: what a process holds is no time, and neighbours of the machine don't change it.
  for (const contender of contenders) {
    const port = await freePort()
    const settings = { port, settleMs: quick ? 9_000 : 30_000, withAlone: contender === own }
    const rest = await journal.attempt(contender.name, () => atRest(contender, settings))
    if (rest !== undefined) rests.get(contender.name)?.push(rest)
  }
  const [ours = [], theirs = []] = [...rests.values()]
  const rows = [...rests].flatMap(([contender, all]) => rowsOf(contender, all))
  return { rows, goals: goalsOf(ours, theirs), tables: tableOf(rows, ours), heading: 'Footprint' }
}

process.exitCode = await runBench({ name: 'footprint', parts: [], more: ['against'], usage, measure })
