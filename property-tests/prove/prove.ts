import type { Changed } from '../machines/world/world.ts'
import { Explorer, type Bounds, type Explored, type Surroundings } from './explore.ts'
import { Remembered } from './remembered.ts'
import { modelOf, type ProvedWorld } from './worlds.ts'

/** One world within its bounds; `changed` is a mutant. */
export function prove(world: ProvedWorld, bounds: Bounds, around: Surroundings, changed: Changed = {}): Explored {
  const memory = new Remembered()
  return new Explorer(modelOf(world, { ...changed, pace: memory }), bounds, memory, around).run()
}
