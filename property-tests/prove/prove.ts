import type { Changed } from '../machines/world/world.ts'
import { Explorer, type Bounds, type Explored, type Memory, type Surroundings } from './explore.ts'
import { Remembered } from './remembered.ts'
import { StateKeys } from './state-key.ts'
import { modelOf, type ProvedWorld } from './worlds.ts'

export function newMemory(): Memory {
  return { steps: new Remembered(), keys: new StateKeys() }
}

/** One world within its bounds; `changed` is a mutant. */
export function prove(
  world: ProvedWorld,
  bounds: Bounds,
  around: Surroundings,
  changed: Changed = {},
  memory: Memory = newMemory(),
): Explored {
  return new Explorer(modelOf(world, { ...changed, pace: memory.steps }), bounds, memory, around).run()
}
