/** Every step of each machine alone against its row, and every timer that it arms against the tables. */
import type { MachineDefinition } from '../../../machines/definition.ts'
import { broughtAlong, keepSpent } from '../../machines/laws/comes-back.ts'
import { againstItsRow } from '../rows/judge.ts'
import { StateKeys } from '../state-key.ts'
import { misarmed } from '../times.ts'
import { live, type Life } from './life.ts'
import type { metInWorlds } from './met.ts'

export interface Held extends Life {
  /** One of each sort. */
  readonly breaches: readonly string[]
}

/** `most`: so many steps, for a machine whose whole life is long. */
export function holdAlone(definition: MachineDefinition, met?: ReturnType<typeof metInWorlds>, most = Infinity): Held {
  const found = new Map<string, string>()
  const life = live(
    definition,
    new StateKeys(),
    (step) => {
      const old = broughtAlong(keepSpent({}, step), step)
      for (const what of [...againstItsRow(step), ...misarmed(step.actor, step.armed), ...old])
        found.set(what.replaceAll(/\d+/g, '#'), what)
    },
    { from: met?.get(definition.kind) ?? [], most },
  )
  return { ...life, breaches: [...found.values()] }
}
