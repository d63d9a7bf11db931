/** `npm run test:boundary -- --help`: exit code 0 when every attack was refused and every control succeeded. */
import { everySuite } from './suites.ts'
import { runAll } from './run.ts'
import { readOptions, refuseCall } from '../../testing/options.ts'
import { countOf, faultsOf, isSkipped, table, type Outcome } from './verdict.ts'

const usage = `usage: npm run test:boundary -- [options]

Attacks the boundary between the platform and what an agent writes. Each attack runs twice. With every wall up the platform
must refuse it. The control takes down the walls that refuse it, and then it must succeed. Some controls want root: another
user skips them, and the report names and counts them.

  --short        run each attack in one kind of pod only
  --class NAME   run this class only (repeat it for more)
  --only TEXT    run only attacks whose name contains TEXT
  --jobs N       use N stages at a time (default 4)
  --list         print the classes
  --json         print the report as one line of JSON before the last line`

const values = readOptions(
  usage,
  {
    short: { type: 'boolean', default: false },
    class: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    jobs: { type: 'string', default: '4' },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  ['jobs'],
)

async function main(): Promise<number> {
  const names = [...new Set(everySuite.map((suite) => suite.class))].toSorted(
    (a, b) => parseInt(a, 10) - parseInt(b, 10),
  )
  if (values.list) return say(names.join('\n'))
  const unknown = values.class.filter((name) => !names.includes(name))
  if (unknown.length > 0) refuseCall(usage, `no class is called ${unknown.join()}: ${names.join(', ')}`)
  const chosen = everySuite.filter((suite) => values.class.length === 0 || values.class.includes(suite.class))
  const text = values.only
  const suites =
    text === undefined
      ? chosen
      : chosen.map((suite) => ({ ...suite, attacks: suite.attacks.filter(({ name }) => name.includes(text)) }))
  const began = performance.now()
  const outcomes = await runAll(suites, { isShort: values.short, jobs: Number(values.jobs), told })
  // What was picked by its name is no whole class.
  return report(
    text === undefined ? faultsOf(suites, outcomes) : faultsOf([], outcomes),
    names,
    outcomes,
    performance.now() - began,
  )
}

function say(text: string): number {
  console.log(text)
  return 0
}

function told(outcome: Outcome): void {
  const { class: name, profile, isControl, lived } = outcome
  if (isSkipped(outcome)) console.log(`SKIPPED ${name} | ${lived.name} | ${profile} | control | ${lived.skipped}`)
  else if (lived.hasSucceeded !== isControl)
    console.log(
      `FAULT ${name} | ${lived.name} | ${profile} | ${isControl ? 'control' : 'attack'} | ${lived.trouble ?? lived.hasSucceeded}`,
    )
}

function report(
  faults: readonly string[],
  names: readonly string[],
  outcomes: readonly Outcome[],
  milliseconds: number,
): number {
  const counts = names.map((name) => countOf(name, outcomes)).filter(({ attacks }) => attacks > 0)
  const seconds = Math.round(milliseconds / 1000)
  console.log(`${table(counts)}\n\n${seconds} s`)
  for (const fault of faults) console.log(fault)
  if (values.json) console.log(JSON.stringify({ ok: faults.length === 0, seconds, counts, faults }))
  const right = outcomes.filter(({ isControl, lived }) => lived.hasSucceeded === isControl).length
  console.log(`${right} passed, ${faults.length} failed, ${outcomes.filter(isSkipped).length} skipped`)
  return faults.length === 0 && outcomes.length > 0 ? 0 : 1
}

process.exitCode = await main()
