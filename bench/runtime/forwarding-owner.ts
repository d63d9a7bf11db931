/** The other process: it owns its part of the shards, steps what comes for them, and waits to be killed. */
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { openPgHints } from '../../runtime/store/pg-hints.ts'
import { openPgSql } from '../../runtime/store/pg-sql.ts'
import { ownRuntime } from './own-runtime.ts'

const { url } = JSON.parse(process.argv[2] ?? '') as { readonly url: string }
const owner = 'other'
const sql = await openPgSql({ url })
const hints = openPgHints({
  url,
  owner,
  clock: systemClock,
  logger: silentLogger,
  hear: () => runtime.wake(),
})
const runtime = ownRuntime(sql, async () => [], { owner, hint: hints.tell })
await runtime.start()
console.log(JSON.stringify({ ready: true }))
setInterval(() => undefined, 60_000)
