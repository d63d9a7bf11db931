/** One history from its setting to its end; what the laws say of it. */
import fc from 'fast-check'
import { commands, lead, type Model } from '../arbitraries/histories.ts'
import { setting } from '../arbitraries/settings.ts'
import type { Trace } from './world/trace.ts'
import { World, type Changed, type Setting } from './world/world.ts'

/** Enough for what was begun to have its consequences. */
const longestRest = 120

export function live(setting: Setting, steps: number, history: Iterable<fc.Command<Model, World>>, changed: Changed = {}): Trace {
  const world = new World(setting, changed)
  goOn(world, steps)
  fc.modelRun(() => ({ model: {}, real: world }), history)
  goOn(world, longestRest)
  return world.actors.trace
}

function goOn(world: World, steps: number): void {
  for (let step = 0; step < steps; step++) if (!world.cooperate()) return
}

/** Every history's breaches, as `judge` finds them, must be none. */
export function inEveryHistory(judge: (trace: Trace) => readonly string[], fails: (trace: Trace, breaches: readonly string[]) => Error, changed: Changed = {}): fc.IPropertyWithHooks<[Setting, number, Iterable<fc.Command<Model, World>>]> {
  return fc.property(setting, lead, commands, (where, steps, history) => {
    const trace = live(where, steps, history, changed)
    const breaches = judge(trace)
    if (breaches.length > 0) throw fails(trace, breaches)
  })
}
