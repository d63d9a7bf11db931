/** `npm run bench -- counts`: what 10,000 transitions cost in counts that no neighbour changes, against the table. */
import { benchArguments } from '../kit/arguments.ts'
import { describeMachine } from '../kit/describe-machine.ts'
import { onInterrupt } from '../kit/interrupted.ts'
import { publish, refuseCall } from '../kit/publish.ts'
import { goalTable } from '../kit/report.ts'
import type { Report } from '../kit/report.ts'
import { differenceText, differences, goalsOf, hasGrown } from './compare.ts'
import type { Counts } from './count-cell.ts'
import { documentOf } from './document.ts'
import { leftOut, measureCells, startCountedServer } from './measure.ts'
import { clientCounts, majorOf, readTable, writeTable } from './table.ts'
import type { Cells } from './table.ts'

const name = 'counts'

interface Run {
  readonly postgres: string
  readonly cells: Cells
  /** Not compared on this server. */
  readonly left: readonly (keyof Counts)[]
}

async function measure(only: ReadonlySet<string>): Promise<Run> {
  const server = await startCountedServer()
  const carryOn = onInterrupt(() => server.stop())
  try {
    const wanted = clientCounts.filter((clients) => only.size === 0 || only.has(String(clients)))
    const cells = await measureCells(server, wanted)
    return { postgres: server.version, cells, left: leftOut(readTable(), server) }
  } finally {
    carryOn()
    await server.stop()
  }
}

async function main(): Promise<number> {
  const asked = benchArguments(process.argv.slice(2), clientCounts.map(String))
  if (typeof asked === 'string') return refuseCall(asked)
  const machine = describeMachine()
  const startedAt = new Date()
  const { postgres, cells, left } = await measure(asked.only)
  const found = asked.write ? [] : differences(readTable().cells, cells, left)
  for (const count of left) console.error(`not compared on PostgreSQL ${postgres}: ${count}`)
  for (const difference of found) console.error(differenceText(difference))
  if (asked.write) writeTable({ ...readTable(), postgres: majorOf(postgres), cells })
  const report: Report = {
    name,
    machine: { ...machine, postgres },
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    quick: asked.quick,
    invalid: [],
    rows: Object.entries(cells).map(([clients, counts]) => ({ clients: Number(clients), ...counts })),
    goals: goalsOf(readTable().cells, cells, left),
  }
  const section = (): string => documentOf(readTable())
  const code = await publish(report, asked, { tables: goalTable(report.goals), section })
  return found.every(hasGrown) ? code : Math.max(code, 1)
}

process.exitCode = await main()
