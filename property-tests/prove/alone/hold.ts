/** Every step of each machine alone against its row, and every timer that it arms against the tables. */
import type { MachineDefinition } from '../../../machines/definition.ts'
import { againstItsRow } from '../rows/judge.ts'
import { StateKeys } from '../state-key.ts'
import { misarmed } from '../times.ts'
import { issueIn, kindOf, type Stepped } from '../../machines/world/trace.ts'
import { live, type Life } from './life.ts'
import type { metInWorlds } from './met.ts'

/** LAW-25 of the step; over whole histories `machines/issue/comes-back.test.ts` holds it. */
function broughtAlong({ actor, before, after }: Stepped): readonly string[] {
  if (kindOf(actor) !== 'issue' || !before || !issueIn(before).delivered || issueIn(after).delivered) return []
  const { plans, accepted, grant } = issueIn(after)
  return plans.length > 0 || accepted || grant ? [`${actor} comes back with what was planned or approved before`] : []
}

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
      for (const what of [...againstItsRow(step), ...misarmed(step.actor, step.armed), ...broughtAlong(step)])
        found.set(what.replaceAll(/\d+/g, '#'), what)
    },
    { from: met?.get(definition.kind) ?? [], most },
  )
  return { ...life, breaches: [...found.values()] }
}
