/** `npm run bench -- what-if`: how long `statewright prove --against` takes over a fleet's journals, beside XState alone. */
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BenchArguments } from '../kit/arguments.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { interleave } from '../kit/measure/interleave.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median } from '../kit/measure/percentile.ts'
import { treeSeconds } from '../kit/measure/process-times.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { writeFleet, type Fleet } from './fleet.ts'

/** As many Tasks as the aim names, and as many events as its Tasks of 30 have. */
const whole = { tasks: 10_000, events: 300_000, lives: 600 }
const quick = { tasks: 1000, events: 10_000, lives: 60 }
const boundMs = 600_000

interface Folded {
  readonly tasks: number
  readonly events: number
  readonly different: number
}

interface Contender {
  readonly name: string
  readonly program: string
  parameters(folder: string): readonly string[]
  read(output: string): Folded
}

function path(program: string): string {
  return fileURLToPath(new URL(program, import.meta.url))
}

const lastLine = (output: string): Folded => JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Folded

function summary(output: string): Folded {
  const numbers = /(\d+) journals, (\d+) events: (\d+) would/.exec(output)?.slice(1).map(Number)
  if (!numbers) throw new Error(`prove --against printed no sum: ${output.slice(-500)}`)
  return { tasks: numbers[0]!, events: numbers[1]!, different: numbers[2]! }
}

const own = 'statewright prove --against'
const plain = 'XState alone, nothing compared but the end'
const contenders: readonly Contender[] = [
  {
    name: own,
    program: path('../../bin/statewright.mjs'),
    parameters: (folder) => ['prove', '--against', folder],
    read: summary,
  },
  { name: plain, program: path('./plain-fold.ts'), parameters: (folder) => [folder], read: lastLine },
  {
    name: 'limit: to read and parse the files',
    program: path('./read-only.ts'),
    parameters: (folder) => [folder],
    read: lastLine,
  },
]

interface Run {
  readonly seconds: number
  readonly cpuSeconds: number
}

function runOnce({ name: contender, program, parameters, read }: Contender, fleet: Fleet): Run {
  const [startedAt, usedBefore] = [performance.now(), treeSeconds([process.pid])]
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, [program, ...parameters(fleet.folder)], {
    encoding: 'utf8',
    timeout: boundMs,
    killSignal: 'SIGKILL',
  })
  const run = {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: treeSeconds([process.pid]) - usedBefore,
  }
  if (status !== 0) throw new Error(`${contender} ended with ${status ?? signal}: ${stderr.slice(-500)}`)
  const folded = read(stdout)
  if (folded.tasks !== fleet.tasks || folded.events !== fleet.events || folded.different > 0)
    throw new Error(`${contender} folded ${JSON.stringify(folded)}, not ${fleet.tasks} Tasks of ${fleet.events} events`)
  return run
}

function lower(goalName: string, value: number | undefined): Goal {
  return { name: goalName, value, unit: 'x', better: 'lower', gate: 2, goal: 1 }
}

async function measure(asked: BenchArguments, journal: RunJournal): Promise<Measured> {
  const fleet = await writeFleet(asked.quick ? quick : whole)
  const runs = new Map<string, Run[]>(contenders.map((contender) => [contender.name, []]))
  try {
    await interleave(asked.quick ? 2 : 5, contenders, async (contender, round) => {
      const run = await journal.attempt(contender.name, () => Promise.resolve(runOnce(contender, fleet)))
      if (run === undefined) return
      console.error(
        `round ${round + 1} ${contender.name}: ${run.seconds.toFixed(1)} s, ${run.cpuSeconds.toFixed(1)} s of CPU`,
      )
      runs.get(contender.name)?.push(run)
    })
  } finally {
    await rm(fleet.folder, { recursive: true, force: true })
  }
  const rows = [...runs].map(([contender, made]) => {
    const seconds = median(made.map((run) => run.seconds)) ?? Number.NaN
    const cpuSeconds = median(made.map((run) => run.cpuSeconds)) ?? Number.NaN
    return { name: contender, seconds, cpuSeconds, eventsPerCpuSecond: fleet.events / cpuSeconds }
  })
  const toPlain = (figure: 'seconds' | 'cpuSeconds'): number | undefined =>
    median(
      (runs.get(own) ?? []).flatMap((run, round) => {
        const other = runs.get(plain)?.[round]
        return other ? [run[figure] / other[figure]] : []
      }),
    )
  const size = `${fleet.tasks} Tasks, ${fleet.events} events`
  const goals: readonly Goal[] = [
    lower('time against XState alone, median of pairs', toPlain('seconds')),
    lower('CPU against XState alone, median of pairs', toPlain('cpuSeconds')),
  ]
  const tables = markdownTable(
    [`${size}, ${Math.round(fleet.megabytes)} MB`, 's', 's of CPU', 'events / s of CPU'],
    rows.map((row) => [row.name, ...[row.seconds, row.cpuSeconds, row.eventsPerCpuSecond].map(numberText)]),
  )
  const about = `${fleet.distinct} of the Tasks were lived apart from each other, the others are those under new names.`
  return { rows, goals, tables, heading: 'What if', about }
}

process.exitCode = await runBench({ name: 'what-if', parts: [], measure })
