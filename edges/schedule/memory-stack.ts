/** A look at the memory stack of a Project, which brings it nearer to what is wanted (PROJECT-MEMORY-1). */
import type { EffectParams } from '../../machines/effect.ts'
import type { StackSight } from '../../machines/memory-stack/events.ts'
import { withDeadline } from '../../http/deadline.ts'
import type { Clock } from '../../runtime/clock.ts'
import { messageOf, TerminalError } from '../../runtime/errors.ts'
import type { EffectHandler } from '../../runtime/runtime.ts'
import type { MemoryStacks } from '../ports/memory-stacks.ts'

const projectsAtOnce = 4
/** Its actor asks again after five minutes. */
const longestMs = 2 * 60_000
const longestWords = 1000

interface MemoryStackDeps {
  /** Absent: nobody runs any. */
  readonly stacks: MemoryStacks | undefined
  readonly clock: Clock
}

export function reconcileMemoryStack(deps: MemoryStackDeps): EffectHandler<EffectParams<'reconcileMemoryStack'>> {
  return {
    concurrency: projectsAtOnce,
    target: { name: 'memory-stack', of: ({ project }) => project, concurrency: 1 },
    async perform({ project, run, wanted }, { actor, key, at, signal }) {
      const sight = await look(deps, { project, wanted }, signal)
      const words = sight.words.slice(0, longestWords)
      return [{ to: actor, key: `${key}/seen`, event: { type: 'stack.seen', at, run, ...sight, words } }]
    },
  }
}

async function look(
  { stacks, clock }: MemoryStackDeps,
  { project, wanted }: Pick<EffectParams<'reconcileMemoryStack'>, 'project' | 'wanted'>,
  stopped: AbortSignal,
): Promise<StackSight> {
  if (stacks === undefined) throw new TerminalError('this orchestrator runs no memory stacks')
  try {
    return await withDeadline(clock, longestMs, (late) => {
      const signal = AbortSignal.any([stopped, late])
      return wanted === null ? stacks.end(project, signal) : stacks.reconcile(project, wanted, signal)
    })
  } catch (error) {
    // Whoever stops this process is no trouble of the stack: the look is asked for again.
    stopped.throwIfAborted()
    // The actor itself says when it looks again, and people read why it saw nothing.
    const words = messageOf(error).slice(0, longestWords)
    throw new TerminalError('unanswered', words, { words, cause: error })
  }
}
