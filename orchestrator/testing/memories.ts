import type { MemoryStackContext } from '../../machines/memory-stack/context.ts'
import { memoryServices, type MemoryServices } from '../memory/memory-services.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

export const noMemory: OrchestratorSettings['memory'] = {
  ...{ urls: {}, publicUrls: {}, audience: '', clientId: '', clientSecret: '' },
  ...{ fills: true, profile: 'full', localPort: 0 },
}

/** Memories of a place that runs stacks where one is given. */
export function memoriesOf(
  settings: Partial<OrchestratorSettings['memory']>,
  stack?: Partial<MemoryStackContext>,
  path = 'running',
): MemoryServices {
  const read = async (): Promise<unknown> => stack && { path, context: stack }
  const runtime = { read } as never
  return memoryServices({ settings: { ...noMemory, ...settings }, runtime, runsStacks: stack !== undefined })
}
