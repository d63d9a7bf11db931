/** `npm run test:boundary -- --help`: exit code 0 when every attack was refused and every control succeeded. */
import { everySuite } from './suites.ts'
import { runAll } from './run.ts'
import { readOptions, refuseCall } from '../../testing/options.ts'
import { runOverCluster } from './cluster-run.ts'
import { selected, type Selection } from './selection.ts'
import { countOf, faultsOf, isSkipped, table, type Outcome } from './verdict.ts'

const usage = `usage: npm run test:boundary -- [options]

Attacks the boundary between the platform and what an agent writes. Each attack runs twice. With every wall up the platform
must refuse it. The control takes down the walls that refuse it, and then it must succeed. Some controls want root: another
user skips them, and the report names and counts them.

  --short        run each attack in one kind of pod only
  --class NAME   run this class only (repeat it for more)
  --only TEXT    run only attacks whose name contains TEXT
  --jobs N       use N stages at a time (default 4)
  --kubernetes   run over pods of a real Kubernetes API server, which a stand-in kubelet runs. Attacks that need no pod are
                 left out, and the report names them. The API server is built once: bash .ci/kube.sh build
  --list         print the classes
  --json         print the report as one line of JSON before the last line`

const values = readOptions(
  usage,
  {
    short: { type: 'boolean', default: false },
    class: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    jobs: { type: 'string', default: '4' },
    kubernetes: { type: 'boolean', default: false },
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
  const selection: Selection = {
    classes: values.class,
    isShort: values.short,
    jobs: Number(values.jobs),
    ...(values.only === undefined ? {} : { only: values.only }),
  }
  const suites = selected(everySuite, selection)
  const began = performance.now()
  const { outcomes, places } = values.kubernetes
    ? await runOverCluster(suites, selection, { told, opened: endWhenInterrupted })
    : { outcomes: await runAll(suites, { ...selection, told }), places: [] }
  // What was picked by its name is no whole class.
  const faults = faultsOf(values.only === undefined ? suites : [], outcomes)
  return report(faults, names, { outcomes, places, milliseconds: performance.now() - began })
}

/** Pods of a cluster outlive this process. */
function endWhenInterrupted(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close().finally(() => process.exit(exitCodeOf[signal])))
}

/** A shell's for what a signal ended. */
const exitCodeOf = { SIGINT: 130, SIGTERM: 143 } as const

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

interface Ran {
  readonly outcomes: readonly Outcome[]
  /** Of a cluster. */
  readonly places: readonly string[]
  readonly milliseconds: number
}

function report(faults: readonly string[], names: readonly string[], { outcomes, places, milliseconds }: Ran): number {
  const counts = names.map((name) => countOf(name, outcomes)).filter(({ attacks }) => attacks > 0)
  const seconds = Math.round(milliseconds / 1000)
  console.log(`${table(counts)}\n\n${seconds} s`)
  for (const place of places) console.log(place)
  for (const fault of faults) console.log(fault)
  if (values.json) console.log(JSON.stringify({ ok: faults.length === 0, seconds, counts, places, faults }))
  const right = outcomes.filter(({ isControl, lived }) => lived.hasSucceeded === isControl).length
  console.log(`${right} passed, ${faults.length} failed, ${outcomes.filter(isSkipped).length} skipped`)
  return faults.length === 0 && outcomes.length > 0 ? 0 : 1
}

process.exitCode = await main()
