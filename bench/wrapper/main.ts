/** `npm run bench -- wrapper`: what the wrapper adds to the agent's CLI, against the method of a stable screen. */
import { execFileSync } from 'node:child_process'
import { realCli } from '../../wrapper/testing/pod.ts'
import type { BenchArguments } from '../kit/arguments.ts'
import { isMeasured } from '../kit/measure/goals.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { aboutOf } from './about.ts'
import { goalsOf } from './goals.ts'
import { measureWrapper } from './measure.ts'
import { fullPlan, quickPlan } from './plan.ts'
import { contenders } from './results.ts'
import { invalidity } from './summary.ts'
import { tablesOf } from './tables.ts'

async function measure(asked: BenchArguments, journal: RunJournal): Promise<Measured> {
  const cli = execFileSync(realCli, ['--version'], { encoding: 'utf8' }).trim()
  const results = await measureWrapper(asked.quick ? quickPlan : fullPlan, asked.only, journal)
  const goals = goalsOf(results)
  const missing = asked.only.size === 0 ? goals.filter((goal) => !isMeasured(goal)) : []
  return {
    cli,
    invalid: [...invalidity(results), ...missing.map((goal) => `${goal.name} was not measured`)],
    rows: [...results.turns, ...results.boots, ...results.memory],
    goals,
    tables: (report) => tablesOf(report, results),
    heading: 'Wrapper',
    about: aboutOf(),
  }
}

process.exit(await runBench({ name: 'wrapper', parts: contenders, measure }))
