/** Where the memory of a Project is: at a service that the settings name, else in a stack of its own (PROJECT-MEMORY-1). */
import type { ProjectSpec } from '../../crd/project.ts'
import type { StackWanted } from '../../machines/memory-stack/events.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

interface MemoryAddress {
  readonly url: string
  /** Undefined: it is not reached from outside. */
  readonly publicUrl: string | undefined
}

export interface MemoryServices {
  /** Undefined: the Project has no memory, or nobody knows yet where its stack will be. `project`: `<namespace>/<name>`. */
  addressOf(project: string): Promise<MemoryAddress | undefined>
  /** It is in a stack that never served yet, which tells it itself once it does. */
  isAwaited(project: string): Promise<boolean>
  /** False: a stack of before can neither be looked at nor ended here. */
  readonly runsStacks: boolean
  /** Of the setting, without a question. */
  isNamed(project: string): boolean
  /** The stack that the Project gets; `null`: none. */
  stackOf(project: string, spec: Pick<ProjectSpec, 'memory'>): StackWanted | null
}

interface MemoryServicesOptions {
  readonly settings: Pick<OrchestratorSettings['memory'], 'urls' | 'publicUrls' | 'fills' | 'profile'>
  readonly runtime: Pick<Runtime, 'read'>
  /** Whether the place of this orchestrator runs stacks. */
  readonly runsStacks: boolean
}

export function memoryServices({ settings, runtime, runsStacks }: MemoryServicesOptions): MemoryServices {
  const { urls, publicUrls, fills, profile } = settings
  return {
    runsStacks,
    async addressOf(project) {
      const url = urls[project]
      if (url !== undefined) return { url, publicUrl: publicUrls[project] }
      const { endpoint = '', externalEndpoint = '' } = (await runtime.read(`memory-stack:${project}`))?.context ?? {}
      return endpoint === '' ? undefined : { url: endpoint, publicUrl: externalEndpoint || undefined }
    },
    async isAwaited(project) {
      const stack = urls[project] === undefined ? await runtime.read(`memory-stack:${project}`) : undefined
      return stack?.path === 'pending' && stack.context.wanted?.fills === true
    },
    isNamed: (project) => urls[project] !== undefined,
    stackOf(project, { memory }) {
      if (memory === undefined || !runsStacks || urls[project] !== undefined) return null
      return {
        profile: memory.profile ?? profile,
        pgInstances: memory.pgInstances ?? 1,
        pgStorage: memory.pgStorage ?? '10Gi',
        pgWalStorage: memory.pgWalStorage ?? '8Gi',
        neo4jStorage: memory.neo4jStorage ?? '10Gi',
        fills,
      }
    },
  }
}
