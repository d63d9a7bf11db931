/** Starts on what a killed process left, and says how long it took until nothing was pending any more. */
import { until } from '../kit/measure/closed-loop.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { startOwnRuntime } from './contenders/own-runtime.ts'

const { url, actors } = JSON.parse(process.argv[2] ?? '') as { readonly url: string; readonly actors: number }
const boundMs = 60_000
const performed = new Set<string>()
const sql = await openPgSql({ url })
const startedAt = performance.now()
const runtime = await startOwnRuntime(sql, async (_params, { key }) => {
  performed.add(key)
  return []
})
const readyAt = performance.now()
await until(() => performed.size === actors, 'every effect performed', boundMs)
const performedAt = performance.now()
await until(async () => (await runtime.pendingEffects()).length === 0, 'every effect settled', boundMs)
const settledAt = performance.now()
console.log(
  JSON.stringify({
    startMs: readyAt - startedAt,
    performedMs: performedAt - startedAt,
    settledMs: settledAt - startedAt,
    // The time origin is the start of this process.
    processMs: settledAt,
  }),
)
process.exit(0)
