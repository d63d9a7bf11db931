/** `npm run bench -- runtime`: the durable runtime against its peers, what is written by hand, and the limit. */
import type { BenchArguments } from '../kit/arguments.ts'
import { onInterrupt } from '../kit/interrupted.ts'
import { isMeasured } from '../kit/measure/goals.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import type { RunJournal } from '../kit/run-journal.ts'
import { contenders } from './contenders/contenders.ts'
import type { ContenderInfo } from './contenders/contenders.ts'
import { aboutOf } from './tables/about.ts'
import { measureForwarding } from './forwarding.ts'
import { goalsOf } from './tables/goals.ts'
import { fullPlan, quickPlan } from './plan.ts'
import type { Plan } from './plan.ts'
import { measureRecovery } from './recovery.ts'
import type { Results } from './results.ts'
import { jsonRows } from './tables/rows.ts'
import { measureScale } from './scale.ts'
import { makeTemplates, startServers, stopServers } from './servers.ts'
import type { Servers } from './servers.ts'
import { tablesOf } from './tables/tables.ts'
import { measureThroughput } from './throughput.ts'
import { measureTimers } from './timers.ts'
import { invalidity } from './tables/validity.ts'

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

async function measureSections(only: ReadonlySet<string>, plan: Plan, journal: RunJournal): Promise<Run> {
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

async function measure(asked: BenchArguments, journal: RunJournal): Promise<Measured> {
  const { results, postgresVersion } = await measureSections(asked.only, asked.quick ? quickPlan : fullPlan, journal)
  const goals = goalsOf(results)
  return {
    postgres: postgresVersion,
    invalid: [...invalidity(results), ...(asked.only.size === 0 ? unmeasured(goals) : [])],
    repeated: journal.repeats,
    rows: jsonRows(results),
    goals,
    tables: (report) => tablesOf(report, results),
    heading: 'Runtime',
    about: aboutOf(),
  }
}

const parts = [...sections, ...contenders.map((contender) => contender.name)]
process.exitCode = await runBench({ name: 'runtime', parts, measure })
