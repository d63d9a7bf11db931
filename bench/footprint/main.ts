/**
 * `npm run bench -- footprint --against DIR`: what `statewright up` holds at rest, process by process, beside an older
 * checkout in the same run and PGlite alone over the same rows; what a second Project adds there; and what an idle memory stack
 * of a cluster costs.
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
import { stackAtRest, type Part } from './stack.ts'
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
    {
      ...lower,
      name: 'what a second Project adds, to the memory of the first',
      value: addedOf(ours),
      gate: 1.1,
      goal: 0.9,
    },
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

/** All processes with it, less all without it, to the one memory service that was there. */
function addedOf(ours: readonly Rest[]): number | undefined {
  return median(
    ours.flatMap(({ processes, withSecond }) => {
      const first = sumOf(processes.filter(({ role }) => role === 'memory'))
      return withSecond === undefined ? [] : [(sumOf(withSecond) - sumOf(processes)) / first]
    }),
  )
}

function tablesOf(rows: readonly Row[], ours: readonly Rest[], parts: readonly Part[]): string {
  const ofStack = markdownTable(
    ['an idle memory stack', 'MiB by PSS', 'thousandths of a core', 'MiB on disk'],
    parts.map(({ name, pss, millicores, diskMiB }) => [name, ...[pss, millicores, diskMiB].map(numberText)]),
  )
  return [tableOf(rows, ours), ofStack].join('\n\n')
}

function tableOf(rows: readonly Row[], ours: readonly Rest[]): string {
  const added = median(
    ours.flatMap(({ processes, withSecond }) =>
      withSecond === undefined ? [] : [sumOf(withSecond) - sumOf(processes)],
    ),
  )
  return markdownTable(
    ['MiB at rest, by PSS', 'sum', 'PGlite', 'code', 'heaps'],
    [
      ...rows.map((row) => [
        `${row.contender}: ${row.process}`,
        ...[row.pss, row.wasm, row.code, row.heap].map(numberText),
      ]),
      ['a second Project adds', numberText(added), '', '', ''],
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
    const settings = { port, settleMs: quick ? 9_000 : 30_000, isOwn: contender === own }
    const rest = await journal.attempt(contender.name, () => atRest(contender, settings))
    if (rest !== undefined) rests.get(contender.name)?.push(rest)
  }
  const [ours = [], theirs = []] = [...rests.values()]
  // A part that this machine cannot start is left out, and said.
  const skipped = (what: string, error: unknown): void => console.error(`${what} is left out: ${String(error)}`)
  const parts = await stackAtRest(quick ? 9_000 : 30_000, skipped)
  const rows = [...rests].flatMap(([contender, all]) => rowsOf(contender, all))
  return { rows, goals: goalsOf(ours, theirs), tables: tablesOf(rows, ours, parts), heading: 'Footprint' }
}

process.exitCode = await runBench({ name: 'footprint', parts: [], more: ['against'], usage, measure })
