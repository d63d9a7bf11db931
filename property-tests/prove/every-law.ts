/** The laws by name, as the certificate and `docs/laws.md` list them. */
import { acceptanceLaw } from './acceptance.ts'
import { commutingLaw } from './commuting.ts'
import { futures } from './futures.ts'
import { finiteLaws } from './laws.ts'
import { scheduleFutures } from './schedules/futures.ts'
import { scheduleLaws } from './schedules/laws.ts'
import type { LawName } from './world-model.ts'

export interface StatedLaw {
  readonly law: LawName
  readonly says: string
}

/** What a single state or step can break. */
export const lawsOfStates: readonly StatedLaw[] = [...finiteLaws, ...scheduleLaws]

/** What must be possible, or must come about, from every state. */
export const lawsOfFutures: readonly StatedLaw[] = [...futures, ...scheduleFutures]

/** What only all states of a world together can break. */
export const lawsOfWorlds: readonly StatedLaw[] = [acceptanceLaw, commutingLaw]

/** What is held of each machine alone (`alone/`). */
export const lawsAlone: readonly StatedLaw[] = [
  { law: 'rest', says: 'every step comes to an end' },
  { law: 25, says: 'an issue that comes back after its delivery has no plan, approval or grant of before' },
  { law: 'rows', says: 'each step is the one that its row gives' },
]
