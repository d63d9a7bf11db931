import type { Logger } from '../../http/operational/logging.ts'
import type { Ids } from '../../http/ports.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { Projects } from '../forge/project-directory.ts'

/** What the edges of one process stand on; each takes of it what it uses, under these names. */
export interface Core {
  readonly runtime: Runtime
  readonly sql: Sql
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly directory: Projects
}
