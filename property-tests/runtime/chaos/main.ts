/** `npm run chaos -- --help`: exit code 0 when no law was broken. */
import { plants, type Plant } from './messages.ts'
import { run, type Verdict } from './run.ts'
import { readOptions, refuseCall } from '../../../testing/options.ts'

const usage = `usage: npm run chaos -- [options]

Kills, pauses and cuts off real processes under load. They share one PostgreSQL, which the command starts.
It then proves from the store that no event was lost, doubled or reordered. PostgreSQL must be installed.

  --rounds N     play N rounds of faults (default 20)
  --seed S       draw the faults from S (default: the clock; the report prints it)
  --plant BUG    plant a bug that a law must find: ${plants.join(', ')} (repeat it for more)
  --json         print the report as one line of JSON at the end

Example: npm run chaos -- --rounds 200 --seed 7`

const values = readOptions(
  usage,
  {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    plant: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
  ['rounds', 'seed'],
)
const rounds = Number(values.rounds)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
if (rounds < 1) refuseCall(usage, '--rounds is a number from 1 on')
if (!values.plant.every((name) => plants.includes(name as Plant)))
  refuseCall(usage, `--plant is one of ${plants.join(', ')}`)

/** Enough to see what is wrong; the rest is more of the same. */
const mostShown = 30

function story({ broken, faults, ...numbers }: Verdict): string {
  const { acknowledged, repeated, steps, performed, takeovers, takeoverMs, seconds } = numbers
  const done = Object.entries(faults).map(([fault, count]) => `${count} ${fault}`)
  return [
    `${numbers.rounds} rounds in ${seconds} s: ${done.join(', ')}`,
    `${acknowledged} events acknowledged, ${repeated} attempts repeated; ${steps} steps, ${performed} effects performed`,
    `${takeovers} shards taken over; after a kill all are held again in ${takeoverMs.p50} ms (median), ${takeoverMs.max} ms (longest), the machine up to ${takeoverMs.lateMs} ms late`,
    ...broken.slice(0, mostShown).map((one) => `BROKEN ${one}`),
    broken.length === 0
      ? 'no law was broken'
      : `${broken.length} laws were broken; again: npm run chaos -- --rounds ${numbers.rounds} --seed ${numbers.seed}`,
  ].join('\n')
}

async function main(): Promise<number> {
  const verdict = await run({ rounds, seed, plants: values.plant as Plant[], say: (line) => console.log(line) })
  console.log(story(verdict))
  if (values.json) console.log(JSON.stringify({ name: 'chaos', ok: verdict.broken.length === 0, ...verdict }))
  return verdict.broken.length === 0 ? 0 : 1
}

process.exitCode = await main()
