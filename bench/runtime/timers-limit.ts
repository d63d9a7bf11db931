/** The limit of timers: a bare timeout for each, and one INSERT at a time for whatever is due. Nothing survives a crash. */
import pg from 'pg'
import { until } from '../kit/measure/closed-loop.ts'
import { percentile } from '../kit/measure/percentile.ts'

interface Argument {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
}

const { url, perSecond, seconds } = JSON.parse(process.argv[2] ?? '') as Argument
const count = perSecond * seconds
/** Time to start all of them before the first is due. */
const leadMs = 1000

const client = new pg.Client(url)
await client.connect()
await client.query('create table rang (timer integer primary key, due_at float8 not null)')
const lateness: number[] = []
let waiting: { readonly timer: number; readonly dueAt: number }[] = []
let isWriting = false

async function write(): Promise<void> {
  isWriting = true
  while (waiting.length > 0) {
    const due = waiting
    waiting = []
    await client.query('insert into rang select * from unnest($1::int[], $2::float8[])', [
      due.map(({ timer }) => timer),
      due.map(({ dueAt }) => dueAt),
    ])
    const committedAt = performance.now()
    for (const { dueAt } of due) lateness.push(committedAt - dueAt)
  }
  isWriting = false
}

const firstDueAt = performance.now() + leadMs
for (let timer = 0; timer < count; timer++) {
  const dueAt = firstDueAt + (timer * 1000) / perSecond
  // A timeout of whole milliseconds may come early by part of one, which a timer must not.
  setTimeout(
    () => {
      waiting.push({ timer, dueAt })
      if (!isWriting) void write()
    },
    Math.ceil(dueAt - performance.now()),
  )
}
await until(() => lateness.length >= count, `${count} timeouts committed`, leadMs + seconds * 1000 + 60_000)
console.log(JSON.stringify({ p50Ms: percentile(lateness, 0.5), p99Ms: percentile(lateness, 0.99) }))
await client.end()
