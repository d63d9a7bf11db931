/** The product as one of two processes over one store: each hears of what the other left for it. */
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { openPgHints } from '../../../runtime/store/postgres/pg-hints.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { startOwnRuntime } from './own-runtime.ts'

export interface SharedRuntime {
  readonly sql: Sql
  readonly runtime: Runtime
}

export async function startSharedRuntime(url: string, owner: string): Promise<SharedRuntime> {
  const sql = await openPgSql({ url })
  const hints = openPgHints({ url, owner, clock: systemClock, random: Math.random, logger: silentLogger })
  const runtime = await startOwnRuntime(sql, async () => [], { owner, hint: hints.hint })
  hints.listen(() => runtime.wake())
  return { sql, runtime }
}
