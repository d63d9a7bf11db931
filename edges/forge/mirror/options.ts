import type { Clock } from '../../../runtime/clock.ts'
import type { Delivery, Receipt } from '../../../runtime/runtime.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import type { OpenForge } from '../port.ts'
import type { ProjectDirectory } from '../projects.ts'
import type { TaskThreads } from '../task-threads.ts'
import type { MirrorRules } from './facts/rules.ts'

export interface MirrorOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly directory: ProjectDirectory
  readonly openForge: OpenForge
  /** `runtime.deliver`. */
  readonly deliver: (delivery: Delivery) => Promise<Receipt>
  /** `taskThreadsIn(runtime)`. */
  readonly threadsOf: TaskThreads
  /**
   * What was read of a Repository before may not be all any more, or not to be shown. `project`: `<namespace>/<name>`;
   * `key`: of what told of it. Absent: nobody keeps what was read.
   */
  readonly outdated?: (project: string, repository: string, key: string) => Promise<void>
  /** `mirrorRules`, but where a test takes one down. */
  readonly rules: MirrorRules
}
