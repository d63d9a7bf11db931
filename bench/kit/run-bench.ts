import { benchArguments, type BenchArguments } from './arguments.ts'
import { describeMachine } from './describe-machine.ts'
import { publish, refuseCall } from './publish.ts'
import { goalTable, sectionOf, type Report } from './report.ts'
import { runJournal, type RunJournal } from './run-journal.ts'

export interface Measured
  extends
    Pick<Report, 'rows' | 'goals'>,
    Partial<Pick<Report, 'invalid' | 'repeated'>>,
    Pick<Report['machine'], 'postgres' | 'cli'> {
  /** A text without the goals, which come below it. */
  readonly tables: string | ((report: Report) => string)
  /** Of its section in BENCHMARKS.md. */
  readonly heading: string
  readonly about?: string
}

interface Bench {
  readonly name: string
  /** What `--only` may name; where it is left out: anything. */
  readonly parts?: readonly string[]
  /** Options that name a folder, which no other bench has. */
  readonly more?: readonly string[]
  /** Said where a call is refused. */
  readonly usage?: string
  isRefused?(asked: BenchArguments): boolean
  measure(asked: BenchArguments, journal: RunJournal): Promise<Measured>
}

/** A whole run by the arguments of this process, around what the bench measures itself; it resolves to the exit code. */
export async function runBench({
  name,
  parts,
  more = [],
  usage = '',
  isRefused,
  measure,
}: Bench): Promise<0 | 1 | 2 | 64> {
  const asked = benchArguments(process.argv.slice(2), parts, more)
  if (typeof asked === 'string') return refuseCall([asked, usage].filter(Boolean).join('\n'))
  if (isRefused?.(asked) === true) return refuseCall(usage)
  const [machine, startedAt] = [describeMachine(), new Date()]
  const journal = runJournal((line) => console.error(line))
  const {
    postgres,
    cli,
    invalid = [],
    repeated,
    rows,
    goals,
    tables,
    heading,
    about = '',
  } = await measure(asked, journal)
  const report: Report = {
    name,
    machine: { ...machine, ...(postgres && { postgres }), ...(cli && { cli }) },
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    quick: asked.quick,
    invalid: [...journal.failures, ...invalid],
    ...(repeated && { repeated }),
    rows,
    goals,
  }
  const said = typeof tables === 'string' ? `${tables}\n\n${goalTable(goals)}` : tables(report)
  const options = more.map((option) => (asked.more[option] === undefined ? '' : `--${option} DIR `)).join('')
  return publish(report, asked, {
    tables: said,
    section: () => sectionOf(report, { heading, about, options, tables: said }),
  })
}
