/** `npm run bench -- wrapper`: what the wrapper adds to the agent's CLI, against the method of a stable screen. */
import { execFileSync } from 'node:child_process'
import { realCli } from '../../wrapper/testing/pod.ts'
import { benchArguments } from '../kit/arguments.ts'
import { describeMachine } from '../kit/describe-machine.ts'
import { writeSection } from '../kit/document.ts'
import { isMeasured } from '../kit/goals.ts'
import { exitCodeOf, jsonLine, verdictLines, type Report } from '../kit/report.ts'
import { runJournal } from '../kit/run-journal.ts'
import { documentOf } from './document.ts'
import { goalsOf } from './goals.ts'
import { measureWrapper } from './measure.ts'
import { fullPlan, quickPlan } from './plan.ts'
import { contenders } from './results.ts'
import { invalidity } from './summary.ts'
import { tablesOf } from './tables.ts'

const name = 'wrapper'
/** EX_USAGE of sysexits: neither a missed gate nor an invalid run. */
const usageExitCode = 64

async function main(): Promise<number> {
  const asked = benchArguments(process.argv.slice(2), contenders)
  if (typeof asked === 'string') {
    console.error(asked)
    return usageExitCode
  }
  const machine = { ...describeMachine(), cli: execFileSync(realCli, ['--version'], { encoding: 'utf8' }).trim() }
  const startedAt = new Date()
  const journal = runJournal((line) => console.error(line))
  const results = await measureWrapper(asked.quick ? quickPlan : fullPlan, asked.only, journal)
  const goals = goalsOf(results)
  const missing = asked.only.size === 0 ? goals.filter((goal) => !isMeasured(goal)) : []
  const report: Report = {
    name,
    machine,
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    quick: asked.quick,
    invalid: [...journal.failures, ...invalidity(results), ...missing.map((goal) => `${goal.name} was not measured`)],
    rows: [...results.turns, ...results.boots, ...results.memory],
    goals,
  }
  console.log(`\n${tablesOf(report, results)}\n`)
  for (const line of verdictLines(report)) console.log(line)
  if (asked.write) await writeSection(name, documentOf(report, results))
  if (asked.json) console.log(jsonLine(report))
  return exitCodeOf(report)
}

process.exit(await main())
