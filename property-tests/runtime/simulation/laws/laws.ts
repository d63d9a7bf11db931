import type { Outcome } from '../live.ts'
import { deliveryLaws } from './deliveries.ts'
import { effectLaws } from './effects.ts'
import { eventLaws } from './events.ts'
import { factsOf } from './facts.ts'
import { restLaws } from './rest.ts'
import { timerLaws } from './timers.ts'

/** What the schedule broke, as sentences that begin with the rule's number. */
export function brokenLaws(outcome: Outcome): readonly string[] {
  const facts = factsOf(outcome)
  return [...eventLaws, ...effectLaws, ...timerLaws, ...deliveryLaws, ...restLaws].flatMap((law) => law(facts))
}
