/** The laws (docs/laws.md) that are checked over whole worlds of the machines. */
import { law1 } from './laws/admission.ts'
import { law5 } from './laws/endings.ts'
import { law16, law17 } from './laws/forge-writes.ts'
import { law22 } from './laws/heads.ts'
import { law10 } from './laws/labels.ts'
import { law23 } from './laws/hand-over.ts'
import { law18, law3 } from './laws/gates.ts'
import type { Law } from './laws/law.ts'
import { law6 } from './laws/notes.ts'
import { law15 } from './laws/outcomes.ts'
import { law20 } from './laws/prompts.ts'
import { law4 } from './laws/own-voice.ts'
import { law7 } from './laws/single.ts'
import { law19, law21 } from './laws/stops.ts'
import { law2 } from './laws/verdicts.ts'
import { law24 } from './laws/withdrawals.ts'
import type { Trace } from './world/trace.ts'

export const laws: readonly Law[] = [
  law1,
  law2,
  law3,
  law4,
  law5,
  law6,
  law7,
  law10,
  law15,
  law16,
  law17,
  law18,
  law19,
  law20,
  law21,
  law22,
  law23,
  law24,
]

export function brokenLaws(trace: Trace): readonly string[] {
  return laws.flatMap(({ number, breaches }) => breaches(trace).map((breach) => `LAW-${number}: ${breach}`))
}
