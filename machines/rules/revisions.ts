/** Facts that the mirror numbered when it told them; older journals have none. */
export interface Numbered {
  readonly revision?: number
}

/**
 * Facts of an older telling that came after a newer one: two orchestrators work side by side while one replaces the
 * other, and what the first had read may reach the actor last. Facts without a number are believed as they come.
 */
export function isOvertaken(known: Numbered | null, told: Numbered): boolean {
  return known?.revision !== undefined && told.revision !== undefined && told.revision < known.revision
}
