/**
 * `npm run simulate -- --seeds 200 --from 1`: so many lives of the whole system, and the story of each that broke a law.
 * `--bug NAME` plants one, `--bugs` looks for each of them in turn; `--json` ends with one line for programs, `--hashes`
 * prints what each seed's trace comes to, `--repeat 2` lives each seed twice, `--story` tells a seed whatever it breaks,
 * `--seconds 60` ends sooner if need be.
 */
import './git/replace.ts'
import { parseArgs } from 'node:util'
import { plantedBugs, type PlantedBug } from './bugs.ts'
import { plant } from './plant.ts'

const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    bug: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    hashes: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
    repeat: { type: 'string', default: '1' },
    seconds: { type: 'string', default: 'Infinity' },
  },
})

const bug = plantedBugs.find(({ name }) => name === flags.bug)
if (flags.bug !== undefined && !bug)
  throw new Error(`there is no bug ${flags.bug}: ${plantedBugs.map(({ name }) => name).join(', ')}`)
if (bug) plant(bug)

const { Simulation } = await import('./run.ts')
const { brokenLaws } = await import('./laws.ts')
const { story } = await import('./story.ts')
const { crashPoints } = await import('./points.ts')

const progressEveryMs = 10_000
/** More failing seeds than these say nothing new. */
const mostFailures = 5

interface Failure {
  readonly seed: number
  readonly broken: readonly string[]
}

async function simulate(): Promise<boolean> {
  const simulation = await Simulation.open()
  const beganAt = performance.now()
  const usedBefore = process.cpuUsage()
  const [seeds, from] = [Number(flags.seeds), Number(flags.from)]
  const failures: Failure[] = []
  const hashes: string[] = []
  const faults = new Map<string, number>()
  let toldAt = beganAt
  for (let index = 0; index < seeds * Number(flags.repeat); index++) {
    if (failures.length >= mostFailures || performance.now() - beganAt > Number(flags.seconds) * 1000) break
    const seed = from + (index % seeds)
    const outcome = await simulation.run(simulation.plan(seed))
    const broken = brokenLaws(outcome)
    hashes.push(outcome.hash)
    for (const { kind } of outcome.struck) faults.set(kind, (faults.get(kind) ?? 0) + 1)
    if (broken.length > 0) failures.push({ seed, broken })
    if (broken.length > 0 || flags.story) tell(seed, broken, story(outcome, broken))
    // A bug that is found is found.
    if (bug && broken.some((sentence) => bug.law.test(sentence))) break
    if (performance.now() - toldAt < progressEveryMs) continue
    toldAt = performance.now()
    say(`${hashes.length} of ${seeds * Number(flags.repeat)} seeds, ${failures.length} failed`)
  }
  await simulation.close()
  const used = process.cpuUsage(usedBefore)
  const seconds = (performance.now() - beganAt) / 1000
  const missing = crashPoints.filter((point) => !simulation.diedAt.has(point))
  const unreached = missing.filter((point) => !simulation.passed.has(point))
  const share = Math.floor((100 * (crashPoints.length - missing.length)) / crashPoints.length)
  say(
    `${hashes.length} seeds, ${failures.length} failed, in ${Math.round(seconds)} s; ${Math.round((used.user + used.system) / 1000 / hashes.length)} ms of CPU each`,
  )
  say(`struck: ${[...faults].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing'}`)
  say(
    `died at ${crashPoints.length - missing.length} of ${crashPoints.length} points (${share} %)${missing.length > 0 ? `, not at: ${missing.join('; ')}` : ''}`,
  )
  if (unreached.length > 0) say(`never came to: ${unreached.join('; ')}`)
  if (flags.hashes) hashes.forEach((hash) => console.log(hash))
  if (flags.json)
    console.log(
      JSON.stringify({
        seeds: hashes.length,
        from,
        failures,
        seconds,
        points: { known: crashPoints, diedAt: crashPoints.filter((point) => simulation.diedAt.has(point)) },
      }),
    )
  return bug ? failures.some(({ broken }) => broken.some((sentence) => bug.law.test(sentence))) : failures.length === 0
}

function tell(seed: number, broken: readonly string[], told: string): void {
  const list = broken.slice(0, 5).map((sentence) => `\n  ${sentence}`)
  say(`seed ${seed} ${broken.length > 0 ? `breaks${list.join('')}` : 'holds'}\n${told}`)
  say(`again: npm run simulate -- --seeds 1 --from ${seed}${flags.bug === undefined ? '' : ` --bug ${flags.bug}`}`)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Each in a process of its own: what is loaded once stays as it was. */
async function findAll(): Promise<boolean> {
  const { execFile } = await import('node:child_process')
  const found: { readonly bug: string; readonly found: boolean }[] = []
  for (const { name } of plantedBugs satisfies readonly PlantedBug[]) {
    const args = [import.meta.filename, '--bug', name, '--seeds', flags.seeds, '--from', flags.from]
    const isFound = await new Promise<boolean>((resolve) =>
      execFile(process.execPath, args, { maxBuffer: 1 << 26 }, (error, _stdout, stderr) => {
        say(`${name}: ${error ? 'not found' : (/^ {2}\S.*$/m.exec(stderr)?.[0].trim() ?? 'found')}`)
        resolve(!error)
      }),
    )
    found.push({ bug: name, found: isFound })
  }
  if (flags.json) console.log(JSON.stringify(found))
  return found.every((one) => one.found)
}

process.on('unhandledRejection', (error) => {
  say(`a promise was left behind: ${String((error as Error)?.stack ?? error)}`)
  process.exit(2)
})
process.exitCode = (await (flags.bugs ? findAll() : simulate())) ? 0 : 1
