/** Forges date comments in whole seconds, so a comment of the plan's own second may be its answer. */
const forgeResolution = 1000

function seconds(at: number): number {
  return Math.floor(at / forgeResolution)
}

/** The plan that a person could see when he wrote at this moment: undefined before the first one (APPROVAL-10). */
export function planSeenAt<P extends { readonly at: number }>(plans: readonly P[], at: number): P | undefined {
  return plans.findLast((plan) => seconds(plan.at) <= seconds(at))
}

/**
 * The plan that an approval speaks for, asked when it is heard: a plan that comes later is none that its author saw.
 * One in advance of the first plan speaks for that one (APPROVAL-10). Undefined: there is no plan.
 */
export function planApprovedAt<P extends { readonly at: number }>(plans: readonly P[], at: number): P | undefined {
  return planSeenAt(plans, at) ?? plans[0]
}
