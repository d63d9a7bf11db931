import type { Projects } from '../../edges/forge/project-directory.ts'
import type { ResourceReader } from '../../edges/ports/resources.ts'
import type { ThreadReader } from '../../edges/ports/threads.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { MemoryServices } from '../memory/memory-services.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** What the views and the words of resources stand on. */
export interface ResourceViewsDeps {
  readonly runtime: Runtime
  readonly directory: Projects
  readonly threads: ThreadReader
  readonly clock: Clock
  readonly resources: ResourceReader
  readonly webhookUrl: (project: string) => string
  /** As the forge said last; undefined: it was not asked yet. `project`: `<namespace>/<name>`, as below. */
  readonly forgeIdOf: (project: string, repository: string) => Promise<string | undefined>
  readonly memories: MemoryServices
  /** Whether memories of Projects are filled here. */
  readonly fillsMemory: boolean
  /** Print of the key of the model that pods get. */
  readonly modelKey: string
}
