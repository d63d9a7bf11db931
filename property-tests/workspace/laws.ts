import type { Act } from './acts.ts'
import { isAtRest, linesInHead, linesReached, World, type Mutate } from './world.ts'

/** Lives one history and answers every law of WORKSPACE (docs/contract/wrapper.md) that it broke. */
export async function brokenLaws(acts: readonly Act[], mutate?: Mutate): Promise<readonly string[]> {
  const world = new World(mutate)
  try {
    await world.live(acts)
    return [...lost(world), ...unfit(world), ...unsaid(world, acts)]
  } catch (error) {
    return [`W0 the workspace can't be brought up: ${(error as Error).message}`]
  } finally {
    world.close()
  }
}

function lost(world: World): readonly string[] {
  const reached = linesReached(world)
  const missing = world.lines.filter((line) => !reached.has(line))
  return missing.length > 0 ? [`W1 nothing reaches ${missing.join(' ')}`] : []
}

function unfit(world: World): readonly string[] {
  return isAtRest(world) ? [] : ['W2 the agent starts in a tree that is dirty, elsewhere or in the middle of something']
}

/** What is not in the work branch is named to the agent; only its own revert takes lines out of it. */
function unsaid(world: World, acts: readonly Act[]): readonly string[] {
  const revert = acts.some((act) => act.kind === 'begin' && act.operation === 'revert')
  if (revert || world.last!.findings.length > 0) return []
  const present = linesInHead(world)
  const missing = world.lines.filter((line) => !present.has(line))
  return missing.length > 0 ? [`W3 nobody says where ${missing.join(' ')} is`] : []
}
