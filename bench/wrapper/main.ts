/** `npm run bench -- wrapper`: what the wrapper adds to the agent's CLI, against the method of a stable screen. */
import { execFileSync } from 'node:child_process'
import { realCli } from '../../wrapper/testing/pod.ts'
import { benchArguments } from '../kit/arguments.ts'
import { describeMachine } from '../kit/describe-machine.ts'
import { publish, refuseCall } from '../kit/publish.ts'
import { isMeasured } from '../kit/measure/goals.ts'
import type { Report } from '../kit/report.ts'
import { runJournal } from '../kit/run-journal.ts'
import { documentOf } from './document.ts'
import { goalsOf } from './goals.ts'
import { measureWrapper } from './measure.ts'
import { fullPlan, quickPlan } from './plan.ts'
import { contenders } from './results.ts'
import { invalidity } from './summary.ts'
import { tablesOf } from './tables.ts'

const name = 'wrapper'

async function main(): Promise<number> {
  const asked = benchArguments(process.argv.slice(2), contenders)
  if (typeof asked === 'string') return refuseCall(asked)
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
  return publish(report, asked, { tables: tablesOf(report, results), section: () => documentOf(report, results) })
}

process.exit(await main())
