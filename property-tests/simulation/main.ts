/** `npm run simulate -- --help`: exit code 0 when no life broke a law; with a planted bug, when a law found it. */
import { plantedBugs } from './bugs.ts'
import { inProcesses } from './in-processes.ts'
import { plant } from '../plant.ts'
import { merged, told, type Report } from './report.ts'
import { readOptions, refuseCall } from '../../testing/options.ts'

const usage = `usage: npm run simulate -- [options]

Simulates the whole orchestrator under a virtual clock: crashes, lost webhooks, a failing forge, lying agents.
A seed draws the faults of each run. The command prints the story of each run that breaks a law, and how to repeat it.
It stops after five such runs.

  --seeds N      run N seeds (default 200)
  --from S       start at seed S (default 1)
  --only S,...   run exactly these seeds
  --jobs N       share the seeds among N processes (default 1)
  --bug NAME     run with this planted bug; an unknown name lists all
  --bugs         search for each planted bug in turn, in N seeds each
  --repeat N     run each seed N times (default 1)
  --seconds N    stop after N seconds (default: no limit)
  --share N      fail unless runs crashed at N percent of the known crash points (default 0)
  --story        print the story of every seed
  --hashes       print the hash of each run's trace
  --json         print the report as one line of JSON at the end

Example: npm run simulate -- --seeds 1 --from 4711 --story`

const flags = readOptions(
  usage,
  {
    seeds: { type: 'string', default: '200' },
    only: { type: 'string' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    hashes: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
    repeat: { type: 'string', default: '1' },
    seconds: { type: 'string', default: 'Infinity' },
    share: { type: 'string', default: '0' },
  },
  ['seeds', 'from', 'jobs', 'repeat', 'seconds', 'share'],
)
const only = flags.only?.split(',').map(Number)
const [seeds, from, jobs] = [only?.length ?? Number(flags.seeds), only?.[0] ?? Number(flags.from), Number(flags.jobs)]

const bug = plantedBugs.find(({ name }) => name === flags.bug)
if (flags.bug !== undefined && !bug)
  refuseCall(usage, `there is no bug ${flags.bug}: ${plantedBugs.map(({ name }) => name).join(', ')}`)
if (bug) plant(bug)

/** More failing seeds than these say nothing new. */
const mostFailures = 5
const progressEveryMs = 10_000
let living: number | undefined

/** Each life in turn, in this process. */
async function simulate(): Promise<Report> {
  const { Simulation } = await import('./run.ts')
  const { brokenLaws } = await import('./laws.ts')
  const { story } = await import('./story.ts')
  const { crashPoints, stackPoints } = await import('./points.ts')
  const simulation = await Simulation.open()
  const [beganAt, usedBefore] = [performance.now(), process.cpuUsage()]
  const failures: { readonly seed: number; readonly broken: readonly string[] }[] = []
  const hashes: string[] = []
  const struck: Record<string, number> = {}
  let toldAt = beganAt
  for (let index = 0; index < seeds * Number(flags.repeat); index++) {
    if (failures.length >= mostFailures || performance.now() - beganAt > Number(flags.seconds) * 1000) break
    const seed = only?.[index % seeds] ?? from + (index % seeds)
    living = seed
    const outcome = await simulation.run(simulation.plan(seed))
    const broken = brokenLaws(outcome)
    hashes.push(outcome.hash)
    for (const { kind } of outcome.struck) struck[kind] = (struck[kind] ?? 0) + 1
    if (broken.length > 0) failures.push({ seed, broken })
    if (broken.length > 0 || flags.story) tell(seed, broken, story(outcome, broken))
    // A bug that is found is found.
    if (bug && broken.some((sentence) => bug.law.test(sentence))) break
    if (performance.now() - toldAt < progressEveryMs) continue
    toldAt = performance.now()
    say(`${hashes.length} of ${seeds * Number(flags.repeat)} seeds from ${from}, ${failures.length} failed`)
  }
  await simulation.close()
  const used = process.cpuUsage(usedBefore)
  return {
    seeds: hashes.length,
    from,
    failures,
    hashes,
    struck,
    seconds: (performance.now() - beganAt) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    points: { known: [...crashPoints, ...stackPoints], passed: [...simulation.passed], diedAt: [...simulation.diedAt] },
  }
}

function tell(seed: number, broken: readonly string[], text: string): void {
  const list = broken.slice(0, 5).map((sentence) => `\n  ${sentence}`)
  say(`seed ${seed} ${broken.length > 0 ? `breaks${list.join('')}` : 'holds'}\n${text}`)
  say(`again: npm run simulate -- --seeds 1 --from ${seed}${flags.bug === undefined ? '' : ` --bug ${flags.bug}`}`)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** The seeds in as many runs as there are processes, side by side. */
async function share(): Promise<Report> {
  const each = Math.ceil(seeds / jobs)
  const parts = Array.from({ length: jobs }, (_, index) => index * each).filter((done) => done < seeds)
  const runs = parts.map((done) => [
    ...['--json', '--from', String(from + done), '--seeds', String(Math.min(each, seeds - done))],
    ...['--seconds', flags.seconds, ...(flags.bug === undefined ? [] : ['--bug', flags.bug])],
  ])
  return merged((await inProcesses(runs, { jobs, say })).map(({ line }) => JSON.parse(line) as Report))
}

/** Each in a process of its own: what is loaded once stays as it was. */
async function findAll(): Promise<boolean> {
  const runs = plantedBugs.map(({ name }) => ['--bug', name, '--seeds', flags.seeds, '--from', flags.from])
  const found = await inProcesses(runs, { jobs, say: () => undefined })
  const results = plantedBugs.map(({ name, law }, index) => {
    const { code, told: text } = found[index]!
    const broken = [...text.matchAll(/^ {2}(\S.*)$/gm)].map(([, sentence = '']) => sentence)
    say(`${name}: ${code === 0 ? broken.find((sentence) => law.test(sentence)) : 'not found'}`)
    return { bug: name, found: code === 0 }
  })
  if (flags.json) console.log(JSON.stringify(results))
  return results.every((one) => one.found)
}

async function run(): Promise<boolean> {
  const report = await (jobs > 1 ? share() : simulate())
  say(told(report))
  if (flags.hashes) report.hashes.forEach((hash) => console.log(hash))
  if (flags.json) console.log(JSON.stringify(report))
  const { failures, points } = report
  if (bug) return failures.some(({ broken }) => broken.some((sentence) => bug.law.test(sentence)))
  const isShared = points.diedAt.length >= (Number(flags.share) / 100) * points.known.length
  return failures.length === 0 && isShared && points.passed.every((point) => points.known.includes(point))
}

process.on('unhandledRejection', (error) => {
  say(`a promise was left behind in seed ${living}: ${String((error as Error)?.stack ?? error)}`)
  process.exit(2)
})
process.exitCode = (await (flags.bugs ? findAll() : run())) ? 0 : 1
