/** The memory in the status of a Project (PROJECT-STATUS-4 to 6). */
import type { MemoryContext } from '../../machines/memory/context.ts'
import { stateOf, type ActorShape } from './shape.ts'

/** Where its service is reached. */
interface MemoryAddresses {
  readonly endpoint: string
  /** From outside; undefined: it is not reached from there. */
  readonly externalEndpoint: string | undefined
}

interface MemoryStatus {
  /** Absent while nobody fills it: then nobody knows. */
  readonly phase?: 'Pending' | 'Running' | 'Degraded'
  readonly endpoint: string
  readonly externalEndpoint?: string
}

/** `actor`: what fills it; undefined: nothing ever did. */
export function memoryStatus(
  { endpoint, externalEndpoint }: MemoryAddresses,
  actor: Pick<ActorShape<MemoryContext>, 'path' | 'context'> | undefined,
): MemoryStatus {
  const isFilled = actor !== undefined && stateOf(actor) !== 'off'
  return {
    ...(isFilled ? { phase: phaseOf(actor.context) } : {}),
    endpoint,
    ...(externalEndpoint === undefined ? {} : { externalEndpoint }),
  }
}

/** Before the first step has come to its end nothing of it was seen. */
function phaseOf({ trouble, repositories }: MemoryContext): MemoryStatus['phase'] {
  if (trouble !== '') return 'Degraded'
  return Object.keys(repositories).length > 0 ? 'Running' : 'Pending'
}
