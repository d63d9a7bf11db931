/** States of each machine that honest worlds come to on their straight way: deep ones, which nobody meets by chance. */
import type { AnyMachineSnapshot } from 'xstate'
import type { ActorKind } from '../../../machines/definition.ts'
import { kindOf } from '../../machines/world/trace.ts'
import { newMemory, prove } from '../prove.ts'
import { worlds } from '../worlds.ts'
import type { Resting } from './steps.ts'

export function metInWorlds(): ReadonlyMap<ActorKind, readonly Resting[]> {
  const met = new Map<ActorKind, Resting[]>()
  const memory = newMemory()
  const bounds = { deviations: 0, states: 5000, milliseconds: 60_000 }
  for (const world of worlds)
    prove(
      world,
      bounds,
      {
        now: () => 0,
        onMove: (moments) => {
          for (const moment of moments) {
            if (moment.kind !== 'stepped') continue
            const kind = kindOf(moment.actor)
            const timers = moment.timers.map((id) => ({ id, delayMs: 1000, event: { type: id } }))
            const at = moment.event.at
            met.set(kind, [...(met.get(kind) ?? []), { snapshot: moment.after as AnyMachineSnapshot, timers, at }])
          }
        },
      },
      {},
      memory,
    )
  return met
}
