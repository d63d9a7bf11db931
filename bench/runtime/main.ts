/** `npm run bench -- runtime`: the durable runtime against its peers, what is written by hand, and the limit. */
import { benchArguments } from '../kit/arguments.ts'
import { describeMachine } from '../kit/describe-machine.ts'
import { onInterrupt } from '../kit/interrupted.ts'
import { publish, refuseCall } from '../kit/publish.ts'
import { isMeasured } from '../kit/measure/goals.ts'
import type { Goal } from '../kit/measure/goals.ts'
import type { Report } from '../kit/report.ts'
import { contenders } from './contenders/contenders.ts'
import type { ContenderInfo } from './contenders/contenders.ts'
import { documentOf } from './tables/document.ts'
import { measureForwarding } from './forwarding.ts'
import { goalsOf } from './tables/goals.ts'
import { fullPlan, quickPlan } from './plan.ts'
import type { Plan } from './plan.ts'
import { measureRecovery } from './recovery.ts'
import type { Results } from './results.ts'
import { jsonRows } from './tables/rows.ts'
import { runJournal } from '../kit/run-journal.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { measureScale } from './scale.ts'
import { makeTemplates, startServers, stopServers } from './servers.ts'
import type { Servers } from './servers.ts'
import { tablesOf } from './tables/tables.ts'
import { measureThroughput } from './throughput.ts'
import { measureTimers } from './timers.ts'
import { invalidity } from './tables/validity.ts'

const name = 'runtime'
const sections = ['throughput', 'scale', 'recovery', 'forwarding', 'timers']

interface Run {
  readonly results: Results
  readonly postgresVersion: string
}

/** A contender's name asks for its throughput alone; a section's for all of the section. */
function wantedOf(only: ReadonlySet<string>): {
  readonly has: (section: string) => boolean
  readonly wanted: readonly ContenderInfo[]
} {
  const named = contenders.filter((contender) => only.has(contender.name))
  const all = only.size === 0 || only.has('throughput')
  return { has: (section) => only.size === 0 || only.has(section), wanted: all ? contenders : named }
}

type SectionArguments = readonly [servers: Servers, plan: Plan, journal: RunJournal]

async function measure(only: ReadonlySet<string>, plan: Plan, journal: RunJournal): Promise<Run> {
  const { has, wanted } = wantedOf(only)
  const servers = await startServers(wanted)
  const carryOn = onInterrupt(() => stopServers(servers))
  try {
    await makeTemplates(servers.postgres, wanted, plan.actors)
    const throughput = await measureThroughput(servers, wanted, plan, journal)
    const section = <T>(title: string, run: (...given: SectionArguments) => Promise<T>): Promise<T | undefined> =>
      has(title) ? journal.attempt(title, () => run(servers, plan, journal)) : Promise.resolve(undefined)
    const recovery = (await section('recovery', measureRecovery)) ?? []
    const forwarding = (await section('forwarding', measureForwarding)) ?? []
    const timers = (await section('timers', measureTimers)) ?? []
    const scale = (await section('scale', measureScale)) ?? []
    return { results: { throughput, scale, recovery, forwarding, timers }, postgresVersion: servers.postgres.version }
  } finally {
    carryOn()
    await stopServers(servers)
  }
}

/** A whole run answers all of them. */
function unmeasured(goals: readonly Goal[]): string[] {
  return goals.filter((goal) => !isMeasured(goal)).map((goal) => `${goal.name} was not measured`)
}

async function main(): Promise<number> {
  const asked = benchArguments(process.argv.slice(2), [...sections, ...contenders.map((contender) => contender.name)])
  if (typeof asked === 'string') return refuseCall(asked)
  const machine = describeMachine()
  const startedAt = new Date()
  const journal = runJournal((line) => console.error(line))
  const { results, postgresVersion } = await measure(asked.only, asked.quick ? quickPlan : fullPlan, journal)
  const goals = goalsOf(results)
  const missing = asked.only.size === 0 ? unmeasured(goals) : []
  const report: Report = {
    name,
    machine: { ...machine, postgres: postgresVersion },
    startedAt: startedAt.toISOString(),
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    quick: asked.quick,
    invalid: [...journal.failures, ...invalidity(results), ...missing],
    repeated: journal.repeats,
    rows: jsonRows(results),
    goals,
  }
  return publish(report, asked, { tables: tablesOf(report, results), section: () => documentOf(report, results) })
}

process.exitCode = await main()
