/** States of each machine that honest worlds come to on their straight way: deep ones, which nobody meets by chance. */
import type { AnyMachineSnapshot } from 'xstate'
import type { ActorKind } from '../../../machines/definition.ts'
import { kindOf, type Moment } from '../../machines/world/trace.ts'
import { Explorer } from '../explore.ts'
import { newMemory } from '../prove.ts'
import { modelOf, worlds } from '../worlds.ts'
import type { Resting } from './steps.ts'

type Met = Map<ActorKind, Map<unknown, Resting>>

export function metInWorlds(): ReadonlyMap<ActorKind, readonly Resting[]> {
  const met: Met = new Map()
  const memory = newMemory()
  const bounds = { deviations: 0, states: 5000, milliseconds: 60_000 }
  const around = { now: () => 0, onMove: (moments: readonly Moment[]) => moments.forEach((one) => meet(met, one)) }
  for (const world of worlds) {
    const model = { ...modelOf(world, { pace: memory.steps }), futures: [] }
    new Explorer(model, bounds, memory, around).run()
  }
  return new Map([...met].map(([kind, all]) => [kind, [...all.values()]]))
}

/** Equal snapshots are one object there. */
function meet(met: Met, moment: Moment): void {
  if (moment.kind !== 'stepped') return
  const { actor, after, event } = moment
  const all = met.get(kindOf(actor)) ?? new Map<unknown, Resting>()
  met.set(kindOf(actor), all)
  const timers = moment.timers.map((id) => ({ id, delayMs: 1000, event: { type: id } }))
  all.set(after, { snapshot: after as AnyMachineSnapshot, timers, at: event.at })
}
