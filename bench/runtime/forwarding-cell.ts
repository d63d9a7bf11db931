/** Delivers to actors that the other process owns, and says how long the receipts took. */
import { Window, closedLoop, shares, until } from '../kit/measure/closed-loop.ts'
import { percentile } from '../kit/measure/percentile.ts'
import { shardOf } from '../../runtime/address.ts'
import { runtimeDefaults } from '../../runtime/options.ts'
import type { ForwardingResult } from './forwarding.ts'
import { actorOf } from './contenders/own-runtime.ts'
import { startSharedRuntime } from './contenders/shared-runtime.ts'

interface Argument {
  readonly url: string
  readonly clients: readonly number[]
  readonly actors: number
  readonly warmMs: number
  readonly measureMs: number
}

const { url, clients, actors, warmMs, measureMs } = JSON.parse(process.argv[2] ?? '') as Argument
const { sql, runtime } = await startSharedRuntime(url, 'sender')

async function shardsOfTheOther(): Promise<ReadonlySet<number>> {
  const { rows } = await sql.query<{ shard: number }>(`select shard from shard where owner = 'other'`)
  return new Set(rows.map(({ shard }) => shard))
}

/** Half of the shards: both processes know of each other, and nothing moves any more. */
await until(async () => (await shardsOfTheOther()).size === runtimeDefaults.shards / 2, 'the shards are shared', 60_000)
const theirs = await shardsOfTheOther()
const subjects = Array.from({ length: actors }, (_, index) => actorOf(index)).filter((address) =>
  theirs.has(shardOf(address, runtimeDefaults.shards)),
)
let sent = 0

async function measure(count: number, ms: number): Promise<Window> {
  const turn = shares(subjects.length, count)
  const window = new Window(ms)
  await closedLoop(window, count, async (client) => {
    const id = `forwarded-${sent++}`
    const begun = performance.now()
    await runtime.deliver({ to: subjects[turn(client)]!, key: id, event: { type: 'ring.moved', at: Date.now(), id } })
    window.acknowledged(performance.now() - begun)
  })
  return window
}

const results: ForwardingResult[] = []
for (const count of clients) {
  await measure(count, warmMs)
  const startedAt = performance.now()
  const { operations, latenciesMs } = await measure(count, measureMs)
  results.push({
    clients: count,
    perSecond: operations / ((performance.now() - startedAt) / 1000),
    p50Ms: percentile(latenciesMs, 0.5)!,
    p99Ms: percentile(latenciesMs, 0.99)!,
  })
}
console.log(JSON.stringify(results))
process.exit(0)
