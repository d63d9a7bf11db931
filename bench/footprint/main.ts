/**
 * `npm run bench -- footprint --against DIR`: what `statewright up` holds at rest, process by process, beside an older
 * checkout in the same run and PGlite alone over the same rows.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchArguments } from '../kit/arguments.ts'
import { describeMachine } from '../kit/describe-machine.ts'
import { freePort } from '../../testing/free-port.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median } from '../kit/measure/percentile.ts'
import { publish, refuseCall } from '../kit/publish.ts'
import { goalTable, type Report } from '../kit/report.ts'
import { runJournal } from '../kit/run-journal.ts'
import { atRest, sumOf, type Contender, type Rest } from './up.ts'

const name = 'footprint'
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

function tablesOf(rows: readonly Row[], ours: readonly Rest[], goals: readonly Goal[]): string {
  const table = markdownTable(
    ['MiB at rest, by PSS', 'sum', 'PGlite', 'code', 'heaps'],
    [
      ...rows.map((row) => [
        `${row.contender}: ${row.process}`,
        ...[row.pss, row.wasm, row.code, row.heap].map(numberText),
      ]),
      ...servers.map((role) => [`PGlite alone: ${role}`, numberText(aloneOf(ours, role)), '', '', '']),
    ],
  )
  return `${table}\n\n${goalTable(goals)}`
}

async function main(): Promise<number> {
  const { values } = parseArgs({ strict: false, options: { against: { type: 'string' } } })
  const { against } = values as { readonly against?: string }
  const at = process.argv.indexOf('--against')
  const others = process.argv.filter((_, index) => index > 1 && (at < 0 || (index !== at && index !== at + 1)))
  const asked = benchArguments(others, [])
  if (typeof asked === 'string') return refuseCall(`${asked}\n${usage}`)
  const contenders = [own, ...(against === undefined ? [] : [{ name: 'the older checkout', root: resolve(against) }])]
  const rests = new Map<string, Rest[]>(contenders.map((contender) => [contender.name, []]))
  const [machine, startedAt, journal] = [describeMachine(), new Date(), runJournal((line) => console.error(line))]
  // One round: what a process holds is no time, and neighbours of the machine don't change it.
  for (const contender of contenders) {
    const port = await freePort()
    const settings = { port, settleMs: asked.quick ? 9_000 : 30_000, withAlone: contender === own }
    const rest = await journal.attempt(contender.name, () => atRest(contender, settings))
    if (rest !== undefined) rests.get(contender.name)?.push(rest)
  }
  const [ours = [], theirs = []] = [...rests.values()]
  const rows = [...rests].flatMap(([contender, all]) => rowsOf(contender, all))
  const goals = goalsOf(ours, theirs)
  const minutes = (Date.now() - startedAt.getTime()) / 60_000
  const common = { name, machine, startedAt: startedAt.toISOString(), minutes, quick: asked.quick }
  const report: Report = { ...common, invalid: journal.failures, rows, goals }
  const text = tablesOf(rows, ours, goals)
  return publish(report, asked, { tables: text, section: () => `## Footprint\n\n${text}` })
}

process.exitCode = await main()
