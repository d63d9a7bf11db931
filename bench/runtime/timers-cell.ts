/** Arms timers that fall due one after another, and says how late their events were committed. */
import { until } from '../kit/measure/closed-loop.ts'
import { percentile } from '../kit/measure/percentile.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { actorOf, startOwnRuntime } from './contenders/own-runtime.ts'

interface Argument {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
}

const { url, perSecond, seconds } = JSON.parse(process.argv[2] ?? '') as Argument
const count = perSecond * seconds
/** Time to arm all of them before the first is due. */
const leadMs = 6000
const atOnce = 500
const now = (): number => performance.timeOrigin + performance.now()

const sql = await openPgSql({ url })
const runtime = await startOwnRuntime(sql, async () => [])
const dueAt = new Map<string, number>()
const lateness: number[] = []
runtime.subscribe(({ address, event, at }) => {
  // The runtime's own arithmetic: whole milliseconds, never before the delay is over.
  if (event.type === 'alarm.armed') dueAt.set(address, Math.ceil(at + Number(event['delayMs'])))
  else if (event.type === 'alarm.rang') lateness.push(now() - dueAt.get(address)!)
})
const firstDueAt = Date.now() + leadMs
for (let first = 0; first < count; first += atOnce) {
  const indexes = Array.from({ length: Math.min(atOnce, count - first) }, (_, offset) => first + offset)
  await Promise.all(
    indexes.map((index) => {
      const at = Date.now()
      const delayMs = firstDueAt + (index * 1000) / perSecond - at
      return runtime.deliver({
        to: actorOf(index),
        key: `arm-${index}`,
        event: { type: 'alarm.armed', at, id: `arm-${index}`, delayMs },
      })
    }),
  )
}
const armedBeforeDueMs = firstDueAt - Date.now()
if (armedBeforeDueMs < 0) throw new Error(`the first timer was due ${-armedBeforeDueMs} ms before the last was armed`)
await until(() => lateness.length >= count, `${count} timers fired`, leadMs + seconds * 1000 + 60_000)
console.log(
  JSON.stringify({
    fired: lateness.length,
    p50Ms: percentile(lateness, 0.5),
    p99Ms: percentile(lateness, 0.99),
    maxMs: percentile(lateness, 1),
    earliestMs: percentile(lateness, 0),
  }),
)
process.exit(0)
