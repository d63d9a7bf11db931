import type { Changed } from '../machines/world/world.ts'
import { Explorer, type Bounds, type Explored, type Memory, type Surroundings } from './explore.ts'
import { Remembered } from './remembered.ts'
import { scheduleModelOf, scheduleWorlds, type ProvedSchedule } from './schedules/worlds.ts'
import { StateKeys } from './state-key.ts'
import { modelOf, worlds, type ProvedWorld } from './worlds.ts'

export type Provable = ProvedWorld | ProvedSchedule

export const everyWorld: readonly Provable[] = [...worlds, ...scheduleWorlds]

export function newMemory(): Memory {
  return { steps: new Remembered(), keys: new StateKeys() }
}

/** One world within its bounds; `changed` is a mutant. */
export function prove(
  world: Provable,
  bounds: Bounds,
  around: Surroundings,
  changed: Changed = {},
  memory: Memory = newMemory(),
): Explored {
  const paced = { ...changed, pace: memory.steps }
  if ('settings' in world) return new Explorer(scheduleModelOf(world, paced), bounds, memory, around).run()
  return new Explorer(modelOf(world, paced), bounds, memory, around).run()
}
