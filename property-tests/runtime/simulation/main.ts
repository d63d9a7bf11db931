/** `npm run simulate:runtime -- --help`: exit code 0 when no schedule broke a law; with `--bugs`, when each bug was found. */
import { plantedBugs } from './bugs.ts'
import type { PlantedBug } from './bugs.ts'
import { withJumps } from './make-plan.ts'
import { loadRuntime } from './load-runtime.ts'
import { crashPoints } from './points.ts'
import { shrink } from './shrink.ts'
import { withStore } from './simulate.ts'
import type { Simulation, Verdict } from './simulate.ts'
import { story } from './story.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { readOptions, refuseCall } from '../../../testing/options.ts'

const usage = `usage: npm run simulate:runtime -- [options]

Simulates the runtime alone: several processes, a store that fails, clocks that jump. A seed draws each schedule of faults.
The command prints the story of each schedule that breaks a law, in its smallest form. It stops after five such schedules.

  --seeds N      run N schedules (default 100)
  --from S       start at seed S (default 1)
  --bug NAME     run with this planted bug; an unknown name lists all
  --bugs         search for each planted bug in turn, in N schedules each
  --jumps        inject only jumps of the clocks
  --repeat N     run each seed N times (default 1)
  --seconds N    stop after N seconds (default: no limit)
  --hashes       print the hash of each schedule's trace
  --json         print the report as one line of JSON at the end

Example: npm run simulate:runtime -- --seeds 1 --from 4711`

const flags = readOptions(
  usage,
  {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    hashes: { type: 'boolean', default: false },
    seconds: { type: 'string', default: 'Infinity' },
    jumps: { type: 'boolean', default: false },
    repeat: { type: 'string', default: '1' },
  },
  ['seeds', 'from', 'seconds', 'repeat'],
)

const progressEveryMs = 5000
/** More failing seeds than these say nothing new. */
const mostFailures = 5

interface Failure {
  readonly seed: number
  readonly broken: readonly string[]
}

interface Report {
  readonly schedules: number
  readonly from: number
  readonly failures: readonly Failure[]
  readonly perSecond: number
  readonly cpuMsPerSchedule: number
  readonly points: { readonly known: number; readonly diedAt: number; readonly missing: readonly string[] }
  readonly hashes: readonly string[]
}

async function runSeeds(simulation: Simulation, change: PlantedBug['change']): Promise<Report> {
  const [from, seeds] = [Number(flags.from), Number(flags.seeds)]
  const beganAt = performance.now()
  const usedBefore = process.cpuUsage()
  const failures: Failure[] = []
  const hashes: string[] = []
  let toldAt = beganAt
  const isTime = (): boolean => performance.now() - beganAt < Number(flags.seconds) * 1000
  const all = Array.from({ length: seeds * Number(flags.repeat) }, (_, index) => from + (index % seeds))
  for (const seed of all) {
    if (failures.length >= mostFailures || !isTime()) break
    const verdict = await simulation.run(seed, change)
    hashes.push(verdict.outcome.hash)
    if (verdict.broken.length > 0) failures.push(await explain(simulation, seed, verdict))
    if (performance.now() - toldAt < progressEveryMs) continue
    toldAt = performance.now()
    say(`${hashes.length} of ${all.length} schedules, ${failures.length} failed`)
  }
  const used = process.cpuUsage(usedBefore)
  const missing = crashPoints.filter((point) => !simulation.diedAt.has(point))
  return {
    schedules: hashes.length,
    from,
    failures,
    perSecond: round(hashes.length / ((performance.now() - beganAt) / 1000)),
    cpuMsPerSchedule: round((used.user + used.system) / 1000 / hashes.length),
    points: { known: crashPoints.length, diedAt: crashPoints.length - missing.length, missing },
    hashes,
  }
}

async function explain(simulation: Simulation, seed: number, verdict: Verdict): Promise<Failure> {
  const rule = ruleOf(verdict)
  let smallest = verdict
  await shrink(verdict.outcome.plan, async (plan) => {
    const smaller = await simulation.runPlan(plan)
    const isSame = smaller.broken.length > 0 && ruleOf(smaller) === rule
    if (isSame) smallest = smaller
    return isSame
  })
  const { plan } = smallest.outcome
  const how = `${flags.bug === undefined ? '' : ` --bug ${flags.bug}`}${flags.jumps ? ' --jumps' : ''}`
  say(
    `seed ${seed} breaks\n${verdict.broken
      .slice(0, 5)
      .map((one) => `  ${one}`)
      .join('\n')}`,
  )
  say(
    `its smallest form (${plan.faults.length} faults, ${plan.clients.length} senders) breaks\n  ${smallest.broken[0]}\n${story(smallest)}`,
  )
  say(`again: node property-tests/runtime/simulation/main.ts --seeds 1 --from ${seed}${how}`)
  return { seed, broken: verdict.broken }
}

function ruleOf({ broken }: Verdict): string {
  return broken[0]!.split(':')[0]!
}

interface Found {
  readonly bug: string
  readonly seed: number | undefined
  readonly tried: number
  readonly broken: string | undefined
}

/** Runs seeds with the bug until one breaks the law that it should. */
async function find(bug: PlantedBug, simulation: Simulation, store: Sql, seeds: number): Promise<Found> {
  if (bug.schema) await store.exec(bug.schema.plant)
  try {
    const inOrder = Array.from({ length: seeds }, (_, index) => Number(flags.from) + index)
    for (const [index, seed] of [...(bug.schedule === undefined ? [] : [bug.schedule]), ...inOrder].entries()) {
      const tried = index + 1
      const { broken } = await simulation.run(seed, bug.change)
      const sentence = broken.find((one) => bug.law.test(one))
      if (sentence) return { bug: bug.name, seed, tried, broken: sentence }
    }
    return { bug: bug.name, seed: undefined, tried: seeds, broken: undefined }
  } finally {
    if (bug.schema) await store.exec(bug.schema.heal)
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function seedsMain(): Promise<boolean> {
  const bug = plantedBugs.find((one) => one.name === flags.bug)
  if (flags.bug !== undefined && !bug)
    refuseCall(usage, `there is no bug ${flags.bug}: ${plantedBugs.map((one) => one.name).join(', ')}`)
  const createRuntime = await loadRuntime(bug)
  return withStore(async (open, store) => {
    if (bug?.schema) await store.exec(bug.schema.plant)
    const report = await runSeeds(open(createRuntime), flags.jumps ? withJumps : bug?.change)
    const { schedules, failures, perSecond, cpuMsPerSchedule, points, hashes } = report
    say(`${schedules} schedules, ${failures.length} failed; ${perSecond} a second, ${cpuMsPerSchedule} ms of CPU each`)
    say(
      `died at ${points.diedAt} of ${points.known} points${points.missing.length > 0 ? `, not at: ${points.missing.join('; ')}` : ''}`,
    )
    if (flags.hashes) hashes.forEach((hash) => console.log(hash))
    if (flags.json) console.log(JSON.stringify({ ...report, hashes: undefined }))
    return failures.length === 0
  })
}

async function bugsMain(): Promise<boolean> {
  return withStore(async (open, store) => {
    const found: Found[] = []
    for (const bug of plantedBugs) {
      const simulation = open(await loadRuntime(bug))
      const one = await find(bug, simulation, store, Number(flags.seeds))
      found.push(one)
      say(
        `${bug.name}: ${one.seed === undefined ? `not found in ${one.tried} schedules` : `schedule ${one.tried}: ${one.broken}`}`,
      )
    }
    if (flags.json) console.log(JSON.stringify(found))
    return found.every((one) => one.seed !== undefined)
  })
}

process.exitCode = (await (flags.bugs ? bugsMain() : seedsMain())) ? 0 : 1
