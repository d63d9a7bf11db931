/** One history from its setting to its end; what the laws say of it. */
import fc from 'fast-check'
import type { Model } from '../arbitraries/acts.ts'
import { commands, lead, type Histories, type Lead } from '../arbitraries/histories.ts'
import { setting } from '../arbitraries/settings.ts'
import type { Law } from './laws.ts'
import type { Mutant } from './mutants.ts'
import type { Trace } from './world/trace.ts'
import { World, type Changed, type Setting } from './world/world.ts'

/** Every cooperative world has merged by then. */
const longestLead = 200

/** Enough for what was begun to have its consequences. */
const longestRest = 120

/** A history up to its last command, everybody as they are then. */
export function liveThrough(
  setting: Setting,
  begin: Lead,
  history: Iterable<fc.Command<Model, World>>,
  changed: Changed = {},
): World {
  const world = World.begin(setting, changed)
  goOn(world, longestLead, (step, { actors }) => step === begin || actors.outbox.some(({ type }) => type === begin))
  fc.modelRun(() => ({ model: {}, real: world }), history)
  return world
}

function live(
  setting: Setting,
  begin: Lead,
  history: Iterable<fc.Command<Model, World>>,
  changed: Changed = {},
): Trace {
  const world = liveThrough(setting, begin, history, changed)
  goOn(world, longestRest)
  return world.actors.trace
}

function goOn(world: World, steps: number, isThere: (step: number, world: World) => boolean = () => false): void {
  for (let step = 0; step < steps && !isThere(step, world); step++) if (!world.cooperate()) return
}

/** Every history's breaches, as `judge` finds them, must be none. */
export function inEveryHistory(
  judge: (trace: Trace) => readonly string[],
  fails: (trace: Trace, breaches: readonly string[]) => Error,
  changed: Changed = {},
  settings: fc.Arbitrary<Setting> = setting,
  histories: Histories = commands,
): fc.IPropertyWithHooks<[Setting, Lead, Iterable<fc.Command<Model, World>>]> {
  return fc.property(settings, lead, histories, (where, begin, history) => {
    const trace = live(where, begin, history, changed)
    const breaches = judge(trace)
    if (breaches.length > 0) throw fails(trace, breaches)
  })
}

/** Looks for a history that breaks the law in a world with this change; the seed finds the same one each time. */
export function searchBreach(
  law: Law,
  { changed, where = {}, history }: Partial<Pick<Mutant, 'changed' | 'where' | 'history'>>,
  numRuns: number,
): Pick<fc.RunDetails<unknown>, 'failed' | 'errorInstance'> {
  const property = inEveryHistory(
    (trace) => law.breaches(trace),
    (_trace, breaches) => new Error(breaches[0]),
    changed,
    setting.map((any) => ({ ...any, other: 'none' as const, ...where })),
  )
  const options = { seed: 20261121, endOnFailure: true }
  const known =
    history === undefined ? undefined : fc.check(property, { ...options, numRuns: 1, path: String(history) })
  return known?.failed === true ? known : fc.check(property, { ...options, numRuns })
}
