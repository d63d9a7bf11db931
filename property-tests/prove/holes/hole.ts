/** A hole is one thing wrong, and the law that finds it: by what the law says, so that no other law can stand in for it. */
import type { MachineDefinition } from '../../../machines/definition.ts'
import type { Effect } from '../../../runtime/runtime.ts'
import { withTable, type Part } from '../../machines/rewrite.ts'
import type { Tamper } from '../../machines/world/actors.ts'
import type { Changed } from '../../machines/world/world.ts'
import { Explorer, type Explored } from '../explore.ts'
import { everyWorld, newMemory } from '../prove.ts'
import { scheduleModelOf } from '../schedules/worlds.ts'
import type { Living, WorldModel } from '../world-model.ts'
import { modelOf } from '../worlds.ts'

export interface Hole {
  readonly wrong: string
  readonly world: string
  /** What the law that finds it says. */
  readonly finds: string
  readonly deviations: number
  readonly changed: Changed
}

/** With the law that is meant and no other; by states, never by time: the same on every machine. */
function searched<W extends Living<W>, G>(whole: WorldModel<W, G>, { finds, deviations }: Hole): Explored {
  const laws = whole.laws.filter(({ says }) => says === finds)
  const futures = whole.futures.filter(({ says }) => says === finds)
  const bounds = { deviations, states: 30_000, milliseconds: 600_000 }
  return new Explorer({ ...whole, laws, futures }, bounds, newMemory(), { now: () => 0, stopsAtFirst: true }).run()
}

export function explored(hole: Hole): Explored {
  const world = everyWorld.find(({ name }) => name === hole.world)!
  const changed = { ...hole.changed, pace: newMemory().steps }
  return 'settings' in world ? searched(scheduleModelOf(world, changed), hole) : searched(modelOf(world, changed), hole)
}

interface Told {
  readonly to: string
  readonly event: { readonly type: string; readonly [field: string]: unknown }
}

function toldBy({ type, params }: Effect): Told | undefined {
  return type === 'deliver' ? (params as unknown as Told) : undefined
}

/** What one kind of actor says becomes something else. */
export function said(
  kind: string,
  change: (effect: Effect, told: Told | undefined) => readonly Effect[],
): Changed & { readonly tamper: Tamper } {
  const tamper: Tamper = (actor, effects) =>
    actor.startsWith(`${kind}:`) ? effects.flatMap((effect) => change(effect, toldBy(effect))) : effects
  return { tamper }
}

/** What one kind of actor says and another never hears. */
export function unsaid(kind: string, type: string): Changed {
  return said(kind, (effect, told) => (told?.event.type === type ? [] : [effect]))
}

export function table(kind: MachineDefinition['kind'], change: (root: Part) => void): Changed {
  return { definitions: withTable(kind, change) }
}
