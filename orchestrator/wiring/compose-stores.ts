/** What the orchestrator knows of Projects, forges, threads and repositories, and how it asks. Nothing here acts by itself. */
import { pushRefusalIn, type PushRefusal } from '../../edges/forge/forge-edge.ts'
import { createMirror, type Mirror } from '../../edges/forge/mirror/mirror.ts'
import type { MirrorOptions } from '../../edges/forge/mirror/options.ts'
import { mirrorRules } from '../../edges/forge/mirror/facts/rules.ts'
import { gatedThreadReader, threadReader } from '../../edges/forge/mirror/threads.ts'
import { createOpenForge } from '../../edges/forge/transport/open-forge.ts'
import { grantHoldsIn } from '../../edges/forge/outbound/grants.ts'
import type { OpenForge } from '../../edges/forge/port.ts'
import { createProjectDirectory } from '../../edges/forge/project-directory.ts'
import { taskThreadsIn, type TaskThreads } from '../../edges/forge/task-threads.ts'
import type { GitCache } from '../../edges/git/store/cache.ts'
import type { TaskRights } from '../../edges/git/task-rights.ts'
import type { Core } from '../../edges/ports/core.ts'
import type { ResourceReader } from '../../edges/ports/resources.ts'
import type { ThreadReader } from '../../edges/ports/threads.ts'
import { watchForgeLimits } from '../../edges/telemetry/forge-limits.ts'
import type { Setup } from './setup.ts'
import { defaultBranches } from '../pods/default-branch.ts'
import { openGitCache, taskRights } from '../pods/gateway.ts'
import { memoryServices, type MemoryServices } from '../memory/memory-services.ts'
import { deliverToMemory } from '../memory/memory-actor.ts'

export interface Stores {
  readonly core: Core
  readonly resources: ResourceReader
  readonly defaultBranch: (project: string, repository: string) => Promise<string>
  readonly openForge: OpenForge
  readonly mirror: Mirror
  /** What was said, by whomever; what an agent may read of it. */
  readonly threads: ThreadReader
  readonly gatedThreads: ThreadReader
  readonly threadsOf: TaskThreads
  readonly grantHolds: (issue: string) => Promise<boolean>
  readonly rights: TaskRights
  readonly cache: GitCache
  readonly pushRefusal: PushRefusal
  readonly memories: MemoryServices
}

function outdateMemory({ runtime, clock }: Pick<Core, 'runtime' | 'clock'>): NonNullable<MirrorOptions['outdated']> {
  return async (project, repository, key) => {
    const event = { type: 'memory.outdated', at: clock.now(), repository }
    await deliverToMemory(runtime, project, { key: `outdated/${repository}/${key}`, event })
  }
}

export function composeStores({ settings, ports, parts, runtime, metrics, platform, fetch }: Setup): Stores {
  const { clock, ids, logger } = ports
  const { sql, place } = parts
  const { resources, secrets } = place
  const traffic = { fetch: watchForgeLimits(metrics, fetch, clock), clock, sql, onLimited: platform.scmLimited }
  const defaultBranch = defaultBranches({ ...traffic, resources, secrets, logger })
  const directory = createProjectDirectory({ resources, secrets, defaultBranch, models: settings.models })
  const core: Core = { runtime, sql, clock, ids, logger, directory }
  const openForge = createOpenForge({ ...traffic, directory })
  const threadsOf = taskThreadsIn(runtime)
  const grantHolds = grantHoldsIn(runtime)
  const mirror = createMirror({
    ...core,
    openForge,
    threadsOf,
    rules: mirrorRules,
    outdated: outdateMemory(core),
    deliver: (delivery) => runtime.deliver(delivery),
  })
  return {
    core,
    resources,
    defaultBranch,
    openForge,
    mirror,
    threads: threadReader(mirror, directory),
    gatedThreads: gatedThreadReader(mirror, directory),
    threadsOf,
    grantHolds,
    rights: taskRights(runtime, mirror, grantHolds),
    cache: parts.gitCache ?? openGitCache(settings, clock),
    pushRefusal: pushRefusalIn(core),
    memories: memoryServices({ settings: settings.memory, runtime, runsStacks: place.memoryStacks !== undefined }),
  }
}
