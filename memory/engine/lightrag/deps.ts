import type { Clock } from '../../../runtime/clock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { LightRagApi } from './api.ts'

export interface LightRagCounts {
  stored: number
  duplicates: number
  failed: number
  withoutEntities: number
  wakes: number
}

/** What every part of the adapter is given. */
export interface LightRagDeps {
  readonly api: LightRagApi
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly counts: LightRagCounts
  readonly underway: Map<string, Promise<unknown>>
  /** How long it may lie still, with texts that it accepted, before it is woken. */
  readonly stoppedAfterMs: number
}
