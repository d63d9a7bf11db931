/** The memory in the status of a Project (PROJECT-STATUS-4 to 6). */
import type { MemoryContext } from '../../machines/memory/context.ts'
import { stackPhase, type StackActor } from './memory-stack.ts'
import { stateOf, type ActorShape } from './shape.ts'

/** Where its service is reached. */
interface MemoryAddresses {
  /** Undefined: nobody knows yet. */
  readonly endpoint: string | undefined
  /** From outside; undefined: it is not reached from there. */
  readonly externalEndpoint: string | undefined
}

interface MemoryStatus {
  /** Absent while nobody fills it: then nobody knows. */
  readonly phase?: 'Pending' | 'Running' | 'Degraded'
  readonly endpoint?: string
  readonly externalEndpoint?: string
}

interface MemoryActors {
  /** What fills it; undefined: nothing ever did. */
  readonly filling: Pick<ActorShape<MemoryContext>, 'path' | 'context'> | undefined
  /** Undefined: it is at a service that somebody else runs. */
  readonly stack?: StackActor | undefined
}

export function memoryStatus(
  { endpoint, externalEndpoint }: MemoryAddresses,
  { filling, stack }: MemoryActors,
): MemoryStatus {
  const isFilled = filling !== undefined && stateOf(filling) !== 'off'
  const phase = stack === undefined ? isFilled && phaseOf(filling.context) : stackPhase(stack)
  return {
    ...(phase ? { phase } : {}),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(externalEndpoint === undefined ? {} : { externalEndpoint }),
  }
}

/** Before the first step has come to its end nothing of it was seen. */
function phaseOf({ trouble, repositories }: MemoryContext): MemoryStatus['phase'] {
  if (trouble !== '') return 'Degraded'
  return Object.keys(repositories).length > 0 ? 'Running' : 'Pending'
}
